//! Runbook checks: what senders of alerts learn about repositories, and how checks queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use reqwest::StatusCode;
use serde_json::json;
use tarsy_config::Source;
use tarsy_model::Role;
use tarsy_testing::wait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::ON;
use crate::live::watcher::PATIENCE;
use crate::server::{Answer, Server};

/// Starts a host on this machine that answers 404, or never answers. Returns its port and a counter
/// of requests.
async fn host(answers: bool) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&requests);
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            if answers {
                let _ = stream.read(&mut [0; 4096]).await;
                let none =
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(none).await;
            } else {
                held.push(stream);
            }
        }
    });
    (port, requests)
}

async fn server(port: u16, section: &str) -> Server {
    let source = Source::Text {
        name: "test".to_owned(),
        text: format!(
            "runbooks:\n  private_hosts: ['127.0.0.1:{port}']\n  http_hosts: ['127.0.0.1:{port}']\n{section}"
        ),
    };
    Server::configured_with(source, &[("OPENAI_API_KEY", "x"), ("GHE", "token"), ON]).await
}

async fn ask(server: &Server, key: &str, runbook: &str) -> Answer {
    let body = json!({ "runbook": runbook });
    server.post_as(key, "/alerts/runbook-check", &body).await
}

#[tokio::test]
async fn a_sender_gets_the_same_answer_for_a_forbidden_and_an_absent_runbook() {
    let (port, requests) = host(true).await;
    let section = format!(
        "  allowed_repositories: [acme/runbooks]\n  github_enterprise: [{{host: '127.0.0.1:{port}', api_url: 'http://127.0.0.1:{port}/api/v3', token_env: GHE}}]\n"
    );
    let server = server(port, &section).await;
    let (ingest, operator) = (
        server.key("pager", Role::Ingest).await,
        server.key("ada", Role::Operator).await,
    );
    let page = |name: &str| format!("http://127.0.0.1:{port}/acme/{name}/blob/main/a.md");
    let absent = ask(&server, &ingest, &page("runbooks")).await;
    assert!(requests.swap(0, Ordering::Relaxed) > 0);
    let refused = ask(&server, &ingest, &page("private")).await;
    assert_eq!(absent.body, refused.body);
    assert_eq!(refused.body["is_reachable"], false);
    assert_eq!(requests.load(Ordering::Relaxed), 0, "no request was sent");

    let answer = ask(&server, &operator, &page("private")).await;
    let error = answer.body["error"].as_str().unwrap();
    assert!(error.contains("allowed_repositories"), "{error}");
}

#[tokio::test]
async fn checks_that_hang_hold_up_their_own_caller_alone() {
    let (port, requests) = host(false).await;
    let section = format!("  allowed_hosts: ['127.0.0.1:{port}']\n  timeout: 5m\n");
    let server = server(port, &section).await;
    let (hangs, other) = (
        server.key("hangs", Role::Ingest).await,
        server.key("other", Role::Ingest).await,
    );
    let runbook = format!("http://127.0.0.1:{port}/a.md");
    let mut checks: FuturesUnordered<_> = (0..9).map(|_| ask(&server, &hangs, &runbook)).collect();
    let first = checks.next().await.unwrap();
    assert_eq!(first.status, StatusCode::TOO_MANY_REQUESTS, "{first:?}");
    wait::until("the first check", PATIENCE, async || {
        requests.load(Ordering::Relaxed) > 0
    })
    .await;
    let answer = ask(&server, &other, "local:none").await;
    assert_eq!(answer.body["is_reachable"], false, "{answer:?}");
    assert_eq!(requests.load(Ordering::Relaxed), 1, "one at a time");
}
