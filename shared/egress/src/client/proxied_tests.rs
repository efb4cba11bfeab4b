//! Tests with a proxy. It accepts CONNECT and absolute URLs, and resolves every name to its own backend.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reqwest::header::HeaderMap;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::builder;
use crate::proxies::Proxies;
use crate::{Access, Client, Error, Lookup, Policy, parse_url};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

/// A fake DNS: `inside.test` is on this machine, `outside.test` is public, and all other names are unknown.
struct Names;

#[async_trait]
impl Lookup for Names {
    async fn addresses(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        match name {
            "inside.test" => Ok(vec![[93, 184, 216, 34].into(), [127, 0, 0, 1].into()]),
            "outside.test" => Ok(vec![[93, 184, 216, 34].into()]),
            _ => Err(std::io::Error::other("no such name")),
        }
    }
}

/// Starts a TLS server for `outside.test` and `unknown.test`. Returns its address and certificate.
async fn https() -> (SocketAddr, reqwest::Certificate) {
    let names = ["outside.test", "unknown.test"].map(str::to_owned);
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(socket).await {
                let mut buffer = vec![0; 8192];
                let _ = stream.read(&mut buffer).await;
                let _ = stream.write_all(ANSWER).await;
                let _ = stream.shutdown().await;
            }
        }
    });
    let certificate = reqwest::Certificate::from_der(&certificate).unwrap();
    (address, certificate)
}

/// A proxy that records the first line of each request.
struct Proxy {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn before(backend: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let mut buffer = vec![0; 8192];
                let read = client.read(&mut buffer).await.unwrap_or(0);
                let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                let line = text.lines().next().unwrap_or_default().to_owned();
                let is_tunnel = line.starts_with("CONNECT ");
                seen.lock().unwrap().push(line);
                if !is_tunnel {
                    let _ = client.write_all(ANSWER).await;
                    continue;
                }
                let mut server = TcpStream::connect(backend).await.unwrap();
                let _ = client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                tokio::spawn(async move {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self { address, requests }
    }

    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// Creates a client that uses the proxy, except for the hosts in `except`, and trusts `certificate`.
    fn client(&self, policy: Policy, certificate: reqwest::Certificate, except: &str) -> Client {
        let url = format!("http://{}", self.address);
        let proxied = builder()
            .no_proxy()
            .proxy(reqwest::Proxy::all(&url).unwrap())
            .tls_certs_only([certificate])
            .build()
            .unwrap();
        let proxies = Proxies::fixed(&url, except);
        Client::with_proxies(policy, Arc::new(Names), proxies, proxied).unwrap()
    }
}

async fn get(client: &Client, url: &str) -> Result<Vec<u8>, Error> {
    let response = client.get(parse_url(url)?, |_| HeaderMap::new()).await?;
    Ok(response.body)
}

#[tokio::test]
async fn a_proxy_gets_names_of_the_list_that_are_not_inside() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (backend, certificate) = https().await;
    let proxy = Proxy::before(backend).await;
    let plain = Access {
        http: true,
        private: false,
    };
    let ours = Access {
        http: true,
        private: true,
    };
    let policy = Policy::default()
        .allow("outside.test", Access::default())
        .allow("unknown.test", Access::default())
        .allow("inside.test", plain)
        .allow("plain.test", plain)
        .allow("ours.test", ours)
        .allow("169.254.169.254", plain);
    let client = proxy.client(policy, certificate, "");

    for name in ["outside.test", "unknown.test"] {
        assert_eq!(
            get(&client, &format!("https://{name}/a")).await.unwrap(),
            b"hello"
        );
        assert_eq!(proxy.requests(), [format!("CONNECT {name}:443 HTTP/1.1")]);
    }
    for name in ["plain.test", "ours.test"] {
        assert_eq!(
            get(&client, &format!("http://{name}/a")).await.unwrap(),
            b"hello"
        );
        assert_eq!(proxy.requests(), [format!("GET http://{name}/a HTTP/1.1")]);
    }
    for (url, expected) in [
        ("http://inside.test/", "not public"),
        ("http://169.254.169.254/latest", "not public"),
        ("https://unlisted.test/", "not allowed"),
        ("http://outside.test/", "not allowed for host"),
    ] {
        let error = get(&client, url).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{url}: {error}");
    }
    assert_eq!(proxy.requests(), [""; 0], "none of them was handed over");
}

#[tokio::test]
async fn what_no_proxy_names_is_requested_directly_and_guarded() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (backend, certificate) = https().await;
    let proxy = Proxy::before(backend).await;
    let policy = Policy::default().allow("inside.test", Access::default());
    let client = proxy.client(policy, certificate, ".test");
    let error = get(&client, "https://inside.test/").await.unwrap_err();
    assert!(matches!(error, Error::PrivateAddress(_)), "{error:?}");
    assert_eq!(proxy.requests(), [""; 0]);
}
