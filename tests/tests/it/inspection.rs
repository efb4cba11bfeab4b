//! A tool server can't read environments of the fleet's processes, though it runs as the same user.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use tarsy_testing::process::{Process, Program};
use tarsy_testing::tools::workspace;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, ops, scene};

const FLEET: &str = include_str!("../../config/fleet.yaml");
const LEDGER: &str =
    r#"args: ["-S", "-E", "${TARSY_TEST_FIXTURES}/ledger_server.py", "${TARSY_TEST_LEDGER}"]"#;

/// Gives a folder a mode for all users.
fn open_folder(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Data that the spying tool server could read of a process.
struct Captured {
    environment: String,
    files: usize,
    memory: usize,
}

impl Captured {
    fn read(folder: &Path, process: &Process) -> Self {
        let kept = |what: &str| fs::read(folder.join(format!("{}.{what}", process.id()))).unwrap();
        Self {
            environment: String::from_utf8_lossy(&kept("environ")).into_owned(),
            files: kept("fd").split(|byte| *byte == b'\n').count() - 1,
            memory: kept("auxv").len(),
        }
    }

    fn is_empty(&self) -> bool {
        self.environment.is_empty() && self.files == 0 && self.memory == 0
    }
}

/// As root, the fleet runs as another user, because root may read everything.
#[tokio::test(flavor = "multi_thread")]
async fn a_tool_server_can_not_read_the_environment_of_its_parent_or_of_our_own_servers() {
    let folder = tempfile::tempdir().unwrap();
    open_folder(folder.path(), 0o755);
    let captured = folder.path().join("loot");
    fs::create_dir(&captured).unwrap();
    open_folder(&captured, 0o777);
    let spy = folder.path().join("spy.sh");
    fs::copy(workspace().join("tests/fixtures/spy.sh"), &spy).unwrap();
    let arguments = format!("args: [{}, {}]", spy.display(), captured.display());
    let config = FLEET.replace("command: python3", "command: sh");
    let config = config.replace(LEDGER, &arguments);
    assert!(config.contains(&arguments));
    let file = folder.path().join("agents.yaml");
    fs::write(&file, config).unwrap();

    let fleet = Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", file.display().to_string());
    let ingest = fleet.ingest_with(fleet.program("ingest-api").unprivileged());
    let ingest = ingest.await;
    let [chain, stage] = ["chain-worker", "stage-worker"]
        .map(|name| fleet.program(name).unprivileged().start().unwrap());
    let server = fleet.program("tarsy").unprivileged();
    let server = server
        .arg("mcp")
        .arg("knowledge")
        .arg("--http")
        .arg("127.0.0.1:0");
    let server = server.start().unwrap();
    server.printed("listening", SOON).await;
    // An unguarded process, like an external MCP server. It proves that the spy can read.
    let foreign = Program::at("sleep", "sleep")
        .arg("1000")
        .env("GRAFANA_TOKEN", "readable");
    let foreign = foreign.unprivileged().start().unwrap();
    let url = ops::url(&stage).await;

    fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the spy to end", SOON, async || {
        captured.join("done").exists()
    })
    .await;
    let read = Captured::read(&captured, &foreign);
    assert!(read.environment.contains("GRAFANA_TOKEN=readable"));
    assert!(read.files > 0 && read.memory > 0);
    for process in [&ingest.process, &chain, &stage, &server] {
        let read = Captured::read(&captured, process);
        assert!(read.is_empty(), "{process:?}");
    }
    // A guarded process can still read its own data in `/proc`.
    let (_, metrics) = ops::get(&url, "/metrics").await.unwrap();
    for name in [
        "process_open_fds ",
        "process_resident_memory_bytes ",
        "process_cpu_seconds_total ",
    ] {
        assert!(metrics.contains(&format!("\n{name}")), "{metrics}");
    }
}

/// `/proc/PID` of a guarded process belongs to root.
#[tokio::test(flavor = "multi_thread")]
async fn core_dumps_can_be_allowed() {
    let fleet = Fleet::new(scene::play).await;
    let is_roots = async |allowed: &str| {
        let program = fleet.program("chain-worker").unprivileged();
        let worker = program.env("TARSY_CORE_DUMPS", allowed).start().unwrap();
        ops::url(&worker).await;
        let environment = format!("/proc/{}/environ", worker.id());
        fs::metadata(environment).unwrap().uid() == 0
    };
    assert!(!is_roots("on").await);
    assert!(is_roots("off").await);
}
