//! A fleet with a company's proxy: all outgoing connections use the proxy, except those to this machine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use axum::Router;
use serde_json::json;
use tarsy_testing::fake_llm::WireFormat;
use tarsy_testing::{fake_tasks::FakeTaskServer, wait};
use tarsy_tests::collector::Collector;
use tarsy_tests::{Fleet, SOON, scene};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

/// A proxy that resolves the external names. It contains the hosts that clients requested.
#[derive(Clone, Default)]
struct Proxy(Arc<Mutex<BTreeSet<String>>>);

impl Proxy {
    /// Starts the proxy. It leads these names to their ports, and every other name to a server of runbooks and
    /// notifications.
    async fn start(&self, names: BTreeMap<&'static str, u16>) -> u16 {
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
        let hosts = Arc::clone(&self.0);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, Arc::clone(&hosts), names.clone(), other_port));
            }
        });
        port
    }

    fn hosts(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().cloned().collect()
    }
}

/// Forwards a request for an absolute URL unchanged, because servers accept that form too.
async fn pass(
    mut client: TcpStream,
    hosts: Arc<Mutex<BTreeSet<String>>>,
    names: BTreeMap<&str, u16>,
    other: u16,
) {
    let mut buffer = vec![0; 64 * 1024];
    let read = client.read(&mut buffer).await.unwrap_or(0);
    let text = String::from_utf8_lossy(&buffer[..read]);
    let target = text.split(' ').nth(1).unwrap_or_default();
    let host = target.split('/').nth(2).unwrap_or(target).to_owned();
    let port = names.get(&*host).copied().unwrap_or(other);
    hosts.lock().unwrap().insert(host);
    let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    server.write_all(&buffer[..read]).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

fn port_of(url: &str) -> u16 {
    url.parse::<url::Url>().unwrap().port().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_leaves_the_fleet_but_postgres_uses_the_proxy() {
    let fleet = Fleet::new(scene::play).await;
    let base = fleet.llm.base_url(WireFormat::OpenAi);
    let path = base.parse::<url::Url>().unwrap().path().to_owned();
    let (tools, collector) = (FakeTaskServer::start().await, Collector::start().await);
    let proxy = Proxy::default();
    let port = proxy
        .start(BTreeMap::from([
            ("models.test", port_of(&base)),
            ("tools.test", port_of(tools.url())),
            ("traces.test", port_of(&collector.endpoint)),
        ]))
        .await;
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/proxied.yaml");
    let fleet = fleet
        .with("AGENT_CONFIG_FILE", config)
        .with("TARSY_TEST_MODELS", format!("http://models.test{path}"))
        .with("ALL_PROXY", format!("http://127.0.0.1:{port}"))
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", "http://traces.test")
        .with("OTEL_BSP_SCHEDULE_DELAY", "100")
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
    let (status, runbook, listed): (String, Option<String>, Option<bool>) = sqlx::query_as(
        "select status::text, runbook_content, (select success from mcp_interactions where communication_type = 'tool_list') from alert_sessions",
    )
    .fetch_one(fleet.rows.pool())
    .await
    .unwrap();
    assert_eq!((&*status, listed), ("completed", Some(true)));
    assert_eq!(runbook.as_deref(), Some("# Disk\nFree some space."));

    let signs_in = fleet
        .program("ingest-api")
        .env("TARSY_AUTH", "on")
        .env("TARSY_OIDC_ISSUER", "https://idp.test/realm")
        .env("TARSY_OIDC_AUDIENCE", "tarsy");
    let signs_in = fleet.ingest_with(signs_in).await;
    let token =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0L3JlYWxtIn0.AAAA";
    let request = reqwest::Client::new()
        .get(format!("{}/api/v1/history/sessions", signs_in.url))
        .bearer_auth(token);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 503, "its keys are not known");
    let outside = [
        "docs.test",
        "hooks.test",
        "idp.test:443",
        "models.test",
        "tools.test",
        "traces.test",
    ];
    // Postgres is not among the hosts, so all connections to it were direct.
    wait::until("all of them", SOON, async || proxy.hosts() == outside).await;
    wait::until("traces", SOON, async || !collector.spans().is_empty()).await;
}
