//! Each reason why a server can't be reached has its own message.

use std::sync::Arc;

use rcgen::CertifiedKey;
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::{http, one};

/// Returns the address of a server whose certificate no authority signed.
async fn self_signed() -> String {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a server");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = acceptor.accept(stream).await;
        }
    });
    format!("https://localhost:{port}/mcp")
}

async fn reason(url: &str) -> String {
    let (_pool, tools) = one(http("away", url));
    tools.list().await.unavailable.remove(0).1.to_lowercase()
}

#[tokio::test]
async fn a_closed_port_an_unknown_name_and_a_strange_certificate_read_differently() {
    let refused = reason("http://127.0.0.1:9/mcp").await;
    let unknown = reason("http://no-such-host.invalid/mcp").await;
    let strange = reason(&self_signed().await).await;
    assert!(refused.contains("connection refused"), "{refused}");
    assert!(
        unknown.contains("dns") || unknown.contains("lookup"),
        "{unknown}"
    );
    assert!(strange.contains("certificate"), "{strange}");
    for reason in [refused, unknown] {
        assert!(!reason.contains("certificate"), "{reason}");
    }
}
