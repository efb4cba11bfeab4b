//! A fleet behind a company's proxy: all that leaves it goes there, but for what is on this machine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use axum::Router;
use serde_json::json;
use tarsy_testing::fake_llm::WireFormat;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

/// A proxy that knows the names of the outside, and the hosts it was asked for.
#[derive(Clone, Default)]
struct Proxy(Arc<Mutex<BTreeSet<String>>>);

impl Proxy {
    /// Leads `models.test` to this port, and every other name to a server of runbooks and notifications.
    async fn start(&self, models: u16) -> u16 {
        let others = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let other_port = others.local_addr().unwrap().port();
        tokio::spawn(async move {
            let answer = async || "# Disk\nFree some space.";
            axum::serve(others, Router::new().fallback(answer))
                .await
                .unwrap();
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::clone(&self.0);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, Arc::clone(&asked), models, other_port));
            }
        });
        port
    }

    fn hosts(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().cloned().collect()
    }
}

/// Passes a request for an absolute URL on as it is: servers take that form too.
async fn pass(mut client: TcpStream, asked: Arc<Mutex<BTreeSet<String>>>, models: u16, other: u16) {
    let mut buffer = vec![0; 64 * 1024];
    let read = client.read(&mut buffer).await.unwrap_or(0);
    let text = String::from_utf8_lossy(&buffer[..read]);
    let target = text.split(' ').nth(1).unwrap_or_default();
    let host = target.split('/').nth(2).unwrap_or(target).to_owned();
    let port = if host == "models.test" { models } else { other };
    asked.lock().unwrap().insert(host);
    let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    server.write_all(&buffer[..read]).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn models_runbooks_and_notifications_go_through_the_proxy() {
    let fleet = Fleet::new(scene::play).await;
    let base = fleet.llm.base_url(WireFormat::OpenAi);
    let url: url::Url = base.parse().unwrap();
    let proxy = Proxy::default();
    let port = proxy.start(url.port().unwrap()).await;
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/proxied.yaml");
    let fleet = fleet
        .with("AGENT_CONFIG_FILE", config)
        .with(
            "TARSY_TEST_MODELS",
            format!("http://models.test{}", url.path()),
        )
        .with("HTTP_PROXY", format!("http://127.0.0.1:{port}"))
        .with("TARSY_TEST_WHSEC", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let alert = json!({
        "alert_type": "Careful", "runbook": "http://docs.test/disk.md", "data": {"key": Uuid::now_v7()},
    });
    let session = fleet.submit_body(&ingest, &alert).await;
    fleet.rows.ended(session, SOON).await;
    let (status, runbook): (String, Option<String>) =
        sqlx::query_as("select status::text, runbook_content from alert_sessions")
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap();
    assert_eq!(status, "completed");
    assert_eq!(runbook.as_deref(), Some("# Disk\nFree some space."));
    wait::until("the notification", SOON, async || {
        proxy.hosts() == ["docs.test", "hooks.test", "models.test"]
    })
    .await;
}
