//! Providers with certificates that no public authority signed.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tarsy_llm::{CallError, ChatReply, ErrorClass, ProviderKind};
use tarsy_testing::fake_llm::{FakeLlm, WireFormat};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::{build, question, settings};

/// A fake provider behind TLS.
struct TlsProvider {
    /// The https base URL.
    base_url: String,
    /// The authority that signed its certificate.
    authority_pem: String,
    _fake: FakeLlm,
}

async fn tls_provider() -> TlsProvider {
    let fake = FakeLlm::answering("over TLS").await.unwrap();
    let (authority_pem, config) = certificates();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = fake.base_url(WireFormat::OpenAi);
    let inner = url::Url::parse(&plain).unwrap();
    let base_url = plain.replacen(
        &format!("http://127.0.0.1:{}", inner.port().unwrap()),
        &format!(
            "https://localhost:{}",
            listener.local_addr().unwrap().port()
        ),
        1,
    );
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, port) = (acceptor.clone(), inner.port().unwrap());
            tokio::spawn(async move {
                let Ok(mut outer) = acceptor.accept(stream).await else {
                    return;
                };
                let mut inner = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outer, &mut inner).await;
            });
        }
    });
    TlsProvider {
        base_url,
        authority_pem,
        _fake: fake,
    }
}

/// Returns an authority, and the server configuration with a certificate for `localhost` that it signed.
fn certificates() -> (String, ServerConfig) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["localhost".to_owned()])
        .unwrap()
        .signed_by(&key, &authority)
        .unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key)
        .unwrap();
    (authority.pem(), config)
}

async fn ask(
    provider: &TlsProvider,
    extra_roots_pem: Option<&str>,
    accept_invalid_certificates: bool,
) -> Result<ChatReply, CallError> {
    let mut settings = settings(ProviderKind::OpenAi, &provider.base_url);
    settings.tls.extra_roots_pem = extra_roots_pem.map(str::to_owned);
    settings.tls.accept_invalid_certificates = accept_invalid_certificates;
    build(settings).chat(&question("Why?")).await
}

#[tokio::test]
async fn an_extra_root_is_trusted_and_nothing_else() {
    let (provider, other) = (tls_provider().await, tls_provider().await);
    let answer = ask(&provider, Some(&provider.authority_pem), false).await;
    assert_eq!(answer.unwrap().text, "over TLS");
    for roots in [None, Some(other.authority_pem.as_str())] {
        let error = ask(&provider, roots, false).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Connection, "{error}");
    }
    let bundle = format!("{}\n{}", other.authority_pem, provider.authority_pem);
    assert!(
        ask(&provider, Some(&bundle), false).await.is_ok(),
        "a bundle"
    );
    assert!(
        ask(&provider, None, true).await.is_ok(),
        "without any check"
    );
}
