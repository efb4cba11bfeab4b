//! Tests against loopback listeners that count connections.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::{Access, Client, Error, Lookup, Policy, parse_url};

/// Represents the public internet. Every other loopback address represents a private network.
const PUBLIC: &str = "127.0.0.2";

/// A fake DNS with one answer per query. The last answer is repeated.
#[derive(Default)]
struct Answers {
    queue: Mutex<VecDeque<Vec<IpAddr>>>,
    lookups: AtomicUsize,
}

impl Answers {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        Arc::new(Self {
            queue: Mutex::new(answers.iter().map(parse).collect()),
            lookups: AtomicUsize::new(0),
        })
    }
}

#[async_trait]
impl Lookup for Answers {
    async fn addresses(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
        self.lookups.fetch_add(1, Ordering::SeqCst);
        let mut queue = self.queue.lock().unwrap();
        let answer = if queue.len() > 1 {
            queue.pop_front()
        } else {
            queue.front().cloned()
        };
        answer.ok_or_else(|| std::io::Error::other("no such name"))
    }
}

/// A server with a fixed answer that records its requests.
struct Listener {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    async fn start(ip: &str, port: u16, answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind((ip, port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), answer.into());
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut buffer = vec![0; 8192];
                let n = socket.read(&mut buffer).await.unwrap_or(0);
                seen.lock()
                    .unwrap()
                    .push(String::from_utf8_lossy(&buffer[..n]).into_owned());
                let _ = socket.write_all(&answer).await;
            }
        });
        Self { address, requests }
    }

    fn hits(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn redirect(to: &str) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
}

/// Creates a client for which only [`PUBLIC`] is public and the given hosts are allowed over http.
fn client(hosts: &[String], lookup: Arc<dyn Lookup>) -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut policy = Policy {
        is_public: |ip| ip.to_string() == PUBLIC,
        max_bytes: 64,
        ..Policy::default()
    };
    policy.timeout = Duration::from_secs(5);
    for host in hosts {
        policy = policy.allow(
            host,
            Access {
                http: true,
                private: false,
            },
        );
    }
    Client::new(policy, lookup).unwrap()
}

async fn get(client: &Client, url: &str) -> Result<crate::Response, Error> {
    client.get(parse_url(url)?, |_| HeaderMap::new()).await
}

#[tokio::test]
async fn a_name_is_resolved_once_and_the_checked_address_is_the_one_connected_to() {
    let public = Listener::start(PUBLIC, 0, ok("hello")).await;
    let port = public.address.port();
    let inside = Listener::start("127.0.0.1", port, ok("inside")).await;
    let answers = Answers::new(&[&[PUBLIC], &["127.0.0.1"]]);
    let client = client(&[format!("docs.test:{port}")], answers.clone());

    let response = get(&client, &format!("http://docs.test:{port}/a"))
        .await
        .unwrap();
    assert_eq!(response.body, b"hello");
    assert_eq!(answers.lookups.load(Ordering::SeqCst), 1);

    // The DNS answer has changed (rebinding).
    let error = get(&client, &format!("http://docs.test:{port}/a"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::PrivateAddress(_)), "{error:?}");
    assert_eq!((public.hits(), inside.hits()), (1, 0));
}

#[tokio::test]
async fn one_address_inside_among_public_ones_is_enough_to_refuse() {
    let inside = Listener::start("127.0.0.1", 0, ok("inside")).await;
    let port = inside.address.port();
    let client = client(
        &[format!("docs.test:{port}")],
        Answers::new(&[&[PUBLIC, "127.0.0.1"]]),
    );
    let error = get(&client, &format!("http://docs.test:{port}/"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::PrivateAddress(_)), "{error:?}");
    assert_eq!(inside.hits(), 0);
}

#[tokio::test]
async fn a_name_that_may_be_inside_on_one_port_may_not_on_another() {
    let ours = Listener::start("127.0.0.1", 0, ok("ours")).await;
    let other = Listener::start("127.0.0.1", 0, ok("other")).await;
    let (ours, to) = (&ours.address.port(), other.address.port());
    let policy = Policy::default()
        .allow(
            &format!("docs.test:{ours}"),
            Access {
                http: true,
                private: true,
            },
        )
        .allow(
            &format!("docs.test:{to}"),
            Access {
                http: true,
                private: false,
            },
        );
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::new(policy, Answers::new(&[&["127.0.0.1"]])).unwrap();
    let response = get(&client, &format!("http://docs.test:{ours}/")).await;
    assert_eq!(response.unwrap().body, b"ours");
    let error = get(&client, &format!("http://docs.test:{to}/"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::PrivateAddress(_)), "{error:?}");
    assert_eq!(other.hits(), 0);
}

#[tokio::test]
async fn no_spelling_of_an_address_inside_is_requested() {
    let inside = Listener::start("127.0.0.1", 0, ok("inside")).await;
    let port = inside.address.port();
    // Refused even if the operator has listed the address itself.
    let client = client(
        &[
            format!("127.0.0.1:{port}"),
            format!("[::1]:{port}"),
            format!("docs.test:{port}"),
        ],
        Answers::new(&[&["127.0.0.1"]]),
    );
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "localhost",
        "localhost.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "0",
        "[::]",
        "①②⑦.0.0.1",
        "docs.test",
        "docs.test@127.0.0.1",
        "user:pw@docs.test",
        "docs.test%00.evil",
    ] {
        for scheme in ["http", "https"] {
            let result = get(&client, &format!("{scheme}://{host}:{port}/")).await;
            assert!(result.is_err(), "{scheme}://{host}");
        }
    }
    for text in [
        "http://docs.test\r\nHost: evil/",
        "http://docs.test\\@evil/",
        "http://docs\ttest/",
        "file:///etc/passwd",
        "gopher://docs.test/",
        "data:text/plain,x",
        "//docs.test/",
        "docs.test",
        "",
        "https://",
        "http://docs.test /x",
    ] {
        assert!(get(&client, text).await.is_err(), "{text:?}");
    }
    assert_eq!(inside.hits(), 0);
}

#[tokio::test]
async fn a_redirect_is_checked_like_the_first_hop_and_carries_no_foreign_header() {
    let inside = Listener::start("127.0.0.1", 0, ok("inside")).await;
    let other = Listener::start(PUBLIC, 0, ok("other")).await;
    let inner = inside.address.port();
    let targets = [
        format!("http://127.0.0.1:{inner}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        format!("http://unlisted.test:{inner}/"),
        format!("//127.0.0.1:{inner}/"),
        "file:///etc/passwd".to_owned(),
        format!("https://other.test:{}/", inner),
    ];
    for target in &targets {
        let first = Listener::start(PUBLIC, 0, redirect(target)).await;
        let host = format!("docs.test:{}", first.address.port());
        let client = client(std::slice::from_ref(&host), Answers::new(&[&[PUBLIC]]));
        assert!(
            get(&client, &format!("http://{host}/")).await.is_err(),
            "{target}"
        );
        assert_eq!((first.hits(), inside.hits()), (1, 0), "{target}");
    }

    let second = format!("other.test:{}", other.address.port());
    let first = Listener::start(PUBLIC, 0, redirect(&format!("http://{second}/"))).await;
    let host = format!("docs.test:{}", first.address.port());
    let client = client(&[host.clone(), second], Answers::new(&[&[PUBLIC]]));
    let token_for_docs = |url: &url::Url| {
        let mut headers = HeaderMap::new();
        if url.host_str() == Some("docs.test") {
            headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer canary"));
        }
        headers
    };
    let response = client
        .get(
            parse_url(&format!("http://{host}/")).unwrap(),
            token_for_docs,
        )
        .await
        .unwrap();
    assert_eq!(response.body, b"other");
    assert!(first.requests.lock().unwrap()[0].contains("canary"));
    assert!(!other.requests.lock().unwrap()[0].contains("canary"));
}

#[tokio::test]
async fn redirects_size_compression_and_time_are_bounded() {
    let probe = TcpListener::bind((PUBLIC, 0)).await.unwrap();
    let port = probe.local_addr().unwrap().port();
    drop(probe);
    let host = format!("docs.test:{port}");
    let url = format!("http://{host}/");
    let circle = Listener::start(PUBLIC, port, redirect(&url)).await;
    let client_for = |host: &str| client(&[host.to_owned()], Answers::new(&[&[PUBLIC]]));
    let error = get(&client_for(&host), &url).await.unwrap_err();
    assert!(matches!(error, Error::TooManyRedirects(3)), "{error:?}");
    assert_eq!(circle.hits(), 4);

    let long = "x".repeat(65);
    let chunked =
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n41\r\n{long}\r\n0\r\n\r\n");
    let zipped =
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc".to_owned();
    for (answer, expected) in [
        (ok(&long), "larger"),
        (chunked, "larger"),
        (zipped, "compressed"),
    ] {
        let server = Listener::start(PUBLIC, 0, answer).await;
        let host = format!("docs.test:{}", server.address.port());
        let error = get(&client_for(&host), &format!("http://{host}/"))
            .await
            .unwrap_err();
        assert!(error.to_string().contains(expected), "{error:?}");
    }

    let silent = TcpListener::bind((PUBLIC, 0)).await.unwrap();
    let host = format!("docs.test:{}", silent.local_addr().unwrap().port());
    let mut policy = Policy {
        is_public: |_| true,
        timeout: Duration::from_millis(50),
        ..Policy::default()
    };
    policy = policy.allow(
        &host,
        Access {
            http: true,
            private: false,
        },
    );
    let client = Client::new(policy, Answers::new(&[&[PUBLIC]])).unwrap();
    let error = get(&client, &format!("http://{host}/")).await.unwrap_err();
    assert!(matches!(error, Error::Timeout(_)), "{error:?}");
}
