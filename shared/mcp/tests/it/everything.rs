//! The reference server of the protocol's authors, over all three transports.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::json;
use tarsy_mcp::{
    AgentTools, CallError, CallOptions, HttpSettings, McpPool, Secret, ServerSettings,
    TransportSettings,
};
use tokio::process::{Child, Command};

use crate::support::{call, eventually, http, one, stdio};

const MISSING: &str = "run `npm ci` in tests/node first; `cargo xtask test` does";

fn node_module(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/node/node_modules")
        .join(path);
    path.canonicalize()
        .expect(MISSING)
        .to_str()
        .expect("a path in UTF-8")
        .to_owned()
}

fn server_script() -> String {
    node_module("@modelcontextprotocol/server-everything/dist/index.js")
}

/// The server in another mode, on its own port. Ends with the test.
struct Listening {
    child: Child,
    port: u16,
    mode: &'static str,
}

impl Listening {
    async fn start(mode: &'static str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|s| s.local_addr())
            .expect("a free port")
            .port();
        let mut this = Self {
            child: Self::spawn(mode, port),
            port,
            mode,
        };
        this.ready().await;
        this
    }

    fn spawn(mode: &str, port: u16) -> Child {
        Command::new("node")
            .args([&server_script(), mode])
            .env("PORT", port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("node")
    }

    async fn ready(&mut self) {
        let port = self.port;
        eventually("the server listens", async || {
            tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .is_ok()
        })
        .await;
    }

    async fn restart(&mut self) {
        self.child.kill().await.expect("the server ends");
        self.child = Self::spawn(self.mode, self.port);
        self.ready().await;
    }
}

async fn works(tools: &AgentTools) {
    let listing = tools.list().await;
    assert!(listing.unavailable.is_empty(), "{:?}", listing.unavailable);
    assert!(listing.tools.iter().any(|tool| tool.name == "echo"));
    let echo = call(tools, "echo", json!({"message": "hello"})).await;
    assert!(echo.text.contains("hello") && !echo.is_error);
    let end = tools
        .call(
            "everything",
            "echo",
            json!({"message": 1}),
            CallOptions::default(),
        )
        .await;
    assert!(matches!(end, Err(CallError::Refused(_))));
}

fn sse(port: u16) -> ServerSettings {
    let settings = http("everything", "http://unused");
    let http = HttpSettings {
        url: format!("http://127.0.0.1:{port}/sse"),
        ..HttpSettings::default()
    };
    ServerSettings {
        transport: TransportSettings::Sse(http),
        ..settings
    }
}

#[tokio::test]
async fn over_stdio() {
    let (pool, tools) = one(stdio("everything", "node", &[&server_script()]));
    works(&tools).await;
    pool.close().await;
}

#[tokio::test]
async fn over_streamable_http_and_again_after_a_restart() {
    let mut server = Listening::start("streamableHttp").await;
    let (pool, tools) = one(http(
        "everything",
        &format!("http://127.0.0.1:{}/mcp", server.port),
    ));
    works(&tools).await;
    let together = futures::future::join_all((0..8).map(|n| call_sum(&tools, n))).await;
    assert!(
        together
            .iter()
            .enumerate()
            .all(|(n, text)| text.contains(&(n + 1).to_string()))
    );
    server.restart().await;
    // The new server does not know the session. The caller does not notice.
    works(&tools).await;
    assert_eq!(pool.status()[0].starts, 2);
    pool.close().await;
}

#[tokio::test]
async fn over_server_sent_events_and_again_after_a_restart() {
    let mut server = Listening::start("sse").await;
    let (pool, tools) = one(sse(server.port));
    works(&tools).await;
    server.restart().await;
    works(&tools).await;
    pool.close().await;
}

#[tokio::test]
async fn no_server_at_the_address() {
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|s| s.local_addr())
        .expect("a free port")
        .port();
    for settings in [
        http("everything", &format!("http://127.0.0.1:{port}/mcp")),
        sse(port),
    ] {
        let (_pool, tools) = one(settings);
        let end = tools
            .call("everything", "echo", json!({}), CallOptions::default())
            .await;
        assert!(
            matches!(
                end,
                Err(CallError::Unavailable {
                    retry_in: Some(_),
                    ..
                })
            ),
            "{end:?}"
        );
    }
}

#[test]
fn addresses_and_headers_are_checked_at_the_start() {
    for url in ["", "file:///etc/passwd", "nonsense"] {
        assert!(
            McpPool::new(vec![http("everything", url)]).is_err(),
            "{url}"
        );
    }
    let mut settings = http("everything", "http://127.0.0.1/mcp");
    let TransportSettings::Http(http) = &mut settings.transport else {
        unreachable!()
    };
    http.headers
        .insert("mcp-session-id".to_owned(), Secret::new("stolen"));
    assert!(McpPool::new(vec![settings]).is_err());
}

#[tokio::test]
async fn the_real_kubernetes_server_starts_and_lists_its_tools() {
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("config");
    std::fs::write(&kubeconfig, KUBECONFIG).unwrap();
    let program = node_module(".bin/kubernetes-mcp-server");
    let args = [
        "--read-only",
        "--disable-destructive",
        "--kubeconfig",
        kubeconfig.to_str().unwrap(),
    ];
    let (pool, tools) = one(stdio(
        "kubernetes-server",
        "node",
        &[&[program.as_str()], &args[..]].concat(),
    ));
    let listing = tools.list().await;
    assert!(listing.unavailable.is_empty(), "{:?}", listing.unavailable);
    assert!(
        listing
            .tools
            .iter()
            .any(|tool| tool.name == "namespaces_list")
    );
    assert!(listing.tools.iter().all(|tool| tool.effect.is_repeatable()));
    pool.close().await;
}

async fn call_sum(tools: &AgentTools, n: usize) -> String {
    call(tools, "get-sum", json!({"a": n, "b": 1})).await.text
}

const KUBECONFIG: &str = r#"
apiVersion: v1
kind: Config
current-context: nowhere
clusters: [{name: nowhere, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
users: [{name: nobody, user: {token: made-up}}]
"#;
