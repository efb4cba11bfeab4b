//! `tarsy knowledge` as a user sees it, and a load that is killed.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tarsy_masking::Masker;
use tarsy_mcp::{
    AgentAccess, AgentTools, CallOptions, HttpSettings, McpPool, ServerGrant, ServerSettings,
    StdioSettings, TransportSettings,
};
use tarsy_model::Secret;
use tarsy_testing::process::Program;
use tarsy_testing::{TestDb, json_lines, wait};

const MAPPING: &str =
    "key: id\nfields: [{name: id, identifier: true}, {name: slot, type: integer}, {name: text}]\n";

/// Runs `tarsy knowledge`.
fn knowledge(db: &TestDb, folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tarsy"))
        .arg("knowledge")
        .args(arguments)
        .env("TARSY_KNOWLEDGE_URL", db.url())
        .env_remove("TARSY_KNOWLEDGE_READER_URL")
        .current_dir(folder)
        .output()
        .expect("tarsy runs")
}

fn output_text(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn a_device_is_refused_and_a_header_cannot_write_to_the_terminal() {
    let (db, folder) = (TestDb::new().await, tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("mapping.yaml"), MAPPING).unwrap();
    std::fs::write(folder.path().join("evil.csv"), "\u{1b}[2Jname,b\n1,2\n").unwrap();
    output_text(&knowledge(&db, folder.path(), &["enable"]));
    let load = |file| {
        let arguments = [
            "load",
            file,
            "--collection",
            "hosts",
            "--mapping",
            "mapping.yaml",
        ];
        let output = knowledge(&db, folder.path(), &arguments);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let device = load("/dev/zero");
    assert!(device.contains("not a regular file"), "{device}");
    let header = load("evil.csv");
    assert!(header.contains("there is no column `id`"), "{header}");
    assert!(!header.contains('\u{1b}'), "{header}");
}

#[tokio::test]
async fn a_load_that_is_killed_continues_and_ends_as_if_it_had_not_been() {
    const ROWS: usize = 50_000;
    let (db, folder) = (TestDb::new().await, tempfile::tempdir().unwrap());
    let mut file = "id,slot,text\n".to_owned();
    for number in 0..ROWS {
        let slot = if number % 10_000 == 17 { "none" } else { "7" };
        writeln!(
            file,
            "H-{number},{slot},\"host {number}\nof rack {}\"",
            number % 97
        )
        .unwrap();
    }
    std::fs::write(folder.path().join("hosts.csv"), file).unwrap();
    std::fs::write(folder.path().join("mapping.yaml"), MAPPING).unwrap();
    output_text(&knowledge(&db, folder.path(), &["enable"]));

    let arguments = [
        "load",
        "hosts.csv",
        "--collection",
        "hosts",
        "--mapping",
        "mapping.yaml",
    ];
    let mut program = Program::at("tarsy", env!("CARGO_BIN_EXE_tarsy")).arg("knowledge");
    for argument in arguments {
        program = program.arg(argument);
    }
    let loading = program
        .env("TARSY_KNOWLEDGE_URL", db.url())
        .current_dir(folder.path())
        .start()
        .unwrap();
    let rows = async || -> i64 {
        let rows = sqlx::query_scalar("select coalesce(max(rows_read), 0) from knowledge.loads");
        rows.fetch_one(db.pool()).await.unwrap()
    };
    wait::until("a batch", Duration::from_secs(60), async || {
        rows().await > 0
    })
    .await;
    loading.kill();
    let killed_at = rows().await;
    assert!(killed_at < ROWS as i64, "it ended before it was killed");

    let output = knowledge(&db, folder.path(), &[&arguments[..], &["--json"]].concat());
    let progress: serde_json::Value = serde_json::from_str(&output_text(&output)).unwrap();
    assert!(
        progress["resumed_at"].as_i64().unwrap() >= killed_at && progress["rows"] == ROWS,
        "{progress}"
    );
    let counts: (i64, i64, i64, i64) = sqlx::query_as(
        "select count(*), count(distinct record_key), (select count(*) from knowledge.chunks),
                (select sum(live)::bigint from knowledge.segments) from knowledge.records",
    )
    .fetch_one(db.pool())
    .await
    .unwrap();
    let kept = ROWS as i64 - 5;
    assert_eq!(counts, (kept, kept, kept, kept));
    let rejected = json_lines(&folder.path().join("hosts.csv.rejected.jsonl"));
    let lines: Vec<u64> = rejected
        .iter()
        .map(|row| row["line"].as_u64().unwrap())
        .collect();
    // Two lines each, after the header.
    assert_eq!(
        lines,
        (0..5)
            .map(|number| 2 + 2 * (number * 10_000 + 17))
            .collect::<Vec<u64>>()
    );

    let again = output_text(&knowledge(&db, folder.path(), &arguments));
    assert!(
        again.contains("was loaded before: 50000 rows, 5 rejected"),
        "{again}"
    );
    let found = output_text(&knowledge(
        &db,
        folder.path(),
        &["search", "where is h-49999", "--json", "--limit", "1"],
    ));
    let hit: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&hit["key"], &hit["exact"]), (&"H-49999".into(), &1.into()));
}

#[tokio::test]
async fn the_demonstration_is_loaded_shown_searched_and_measured() {
    let (db, folder) = (TestDb::new().await, tempfile::tempdir().unwrap());
    let folder = folder.path();
    output_text(&knowledge(&db, folder, &["demo", "."]));
    let not_enabled = knowledge(&db, folder, &["show"]);
    assert!(String::from_utf8_lossy(&not_enabled.stderr).contains("run `tarsy knowledge enable`"));
    output_text(&knowledge(&db, folder, &["enable"]));
    for (file, collection, rows) in [
        ("test_cases.csv", "test_cases", 2_000),
        ("system_logs.jsonl", "system_logs", 500),
    ] {
        let mapping = format!("{collection}.mapping.yaml");
        let load = [
            "load",
            file,
            "--collection",
            collection,
            "--mapping",
            &mapping,
        ];
        let loaded = output_text(&knowledge(&db, folder, &load));
        assert!(loaded.contains(&format!("{rows} added")), "{loaded}");
    }
    let rejected = std::fs::read_to_string(folder.join("test_cases.csv.rejected.jsonl")).unwrap();
    assert!(
        rejected.contains("2 cells, but the header has 10"),
        "{rejected}"
    );
    let shown = output_text(&knowledge(&db, folder, &["show"]));
    assert!(
        shown.contains("2000 records") && shown.contains("identifier, filter, search"),
        "{shown}"
    );
    let found = output_text(&knowledge(
        &db,
        folder,
        &[
            "search",
            "power",
            "loss",
            "--filter",
            "model=osprey 7",
            "--json",
        ],
    ));
    assert_eq!(found.lines().count(), 10);
    assert!(
        found.lines().all(|line| line.contains("Osprey 7")),
        "{found}"
    );

    let scores = output_text(&knowledge(
        &db,
        folder,
        &["evaluate", "questions.jsonl", "--json"],
    ));
    let scores: Vec<serde_json::Value> = scores
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let score = |kind: &str| scores.iter().find(|score| score["kind"] == kind).unwrap();
    assert_eq!(
        (
            &score("identifier")["questions"],
            &score("paraphrase")["questions"]
        ),
        (&75.into(), &75.into())
    );
    assert_eq!(score("identifier")["recall"], 1.0);
    // Words alone find only a part of the paraphrased records.
    assert!(
        score("paraphrase")["recall"].as_f64().unwrap() > 0.3,
        "{scores:?}"
    );
    let dropped = output_text(&knowledge(&db, folder, &["drop", "test_cases", "--yes"]));
    assert!(dropped.contains("2000 records"), "{dropped}");
}

/// Calls it like an agent of the fleet: with the same client, over both transports.
#[tokio::test]
async fn the_fleets_own_client_calls_the_mcp_server() {
    let (db, folder) = (TestDb::new().await, tempfile::tempdir().unwrap());
    let folder = folder.path();
    output_text(&knowledge(&db, folder, &["demo", "."]));
    // Roles belong to the server, so each test has its own.
    let name = format!("reader_{}", &db.name()[db.name().len() - 20..]);
    let mut reader = url(&db);
    reader.set_username(&name).unwrap();
    reader.set_password(Some("p@ss/w%rd: é")).unwrap();
    let enabled = Command::new(env!("CARGO_BIN_EXE_tarsy"))
        .args(["knowledge", "enable", "--reader-url", reader.as_str()])
        .env("TARSY_KNOWLEDGE_URL", db.url())
        .output()
        .unwrap();
    assert!(output_text(&enabled).contains(&name));
    let load = [
        "load",
        "test_cases.csv",
        "--collection",
        "test_cases",
        "--mapping",
        "test_cases.mapping.yaml",
    ];
    output_text(&knowledge(&db, folder, &load));

    let stdio = StdioSettings {
        command: env!("CARGO_BIN_EXE_tarsy").to_owned(),
        args: vec!["mcp".to_owned(), "knowledge".to_owned()],
        env: BTreeMap::from([
            ("TARSY_KNOWLEDGE_URL".to_owned(), Secret::new(db.url())),
            (
                "TARSY_KNOWLEDGE_READER_URL".to_owned(),
                Secret::new(reader.as_str()),
            ),
        ]),
        cwd: None,
    };
    call_all(TransportSettings::Stdio(stdio), true).await;

    tarsy_telemetry::install_crypto();
    // Without a reader there is no SQL tool. A token is required.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mut serving =
        Program::at("tarsy", env!("CARGO_BIN_EXE_tarsy")).env("TARSY_KNOWLEDGE_URL", db.url());
    for argument in [
        "mcp",
        "knowledge",
        "--token",
        "t0ken",
        "--http",
        &format!("127.0.0.1:{port}"),
    ] {
        serving = serving.arg(argument);
    }
    let serving = serving.start().unwrap();
    let http = |token: &str| {
        TransportSettings::Http(HttpSettings {
            url: format!("http://127.0.0.1:{port}/mcp"),
            bearer: Some(Secret::new(token)),
            ..HttpSettings::default()
        })
    };
    let reached = async || {
        tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_ok()
    };
    wait::until("the server", Duration::from_secs(30), reached).await;
    call_all(http("t0ken"), false).await;
    let (pool, tools) = agent(http("wrong"));
    assert!(tools.list().await.tools.is_empty());
    pool.close().await;
    serving.kill();
}

fn url(db: &TestDb) -> url::Url {
    db.url().parse().unwrap()
}

fn agent(transport: TransportSettings) -> (McpPool, AgentTools) {
    let masker = Arc::new(Masker::group("all").unwrap());
    let pool = McpPool::new(vec![ServerSettings::new("knowledge", transport, masker)]).unwrap();
    let access = AgentAccess {
        servers: vec![ServerGrant::all("knowledge")],
        allow_destructive: false,
    };
    let tools = pool.agent(&access).unwrap();
    (pool, tools)
}

async fn call_all(transport: TransportSettings, has_sql: bool) {
    let (pool, tools) = agent(transport);
    let listed: Vec<String> = tools
        .list()
        .await
        .tools
        .iter()
        .map(|tool| tool.name.clone())
        .collect();
    let expected = ["search", "lookup", "get", "describe", "sql"];
    assert_eq!(listed, expected[..if has_sql { 5 } else { 4 }]);
    let call = async |tool: &str, arguments: serde_json::Value| {
        let outcome = tools
            .call("knowledge", tool, arguments, CallOptions::default())
            .await
            .unwrap();
        (outcome.is_error, outcome.text)
    };
    let (failed, text) = call("search", json!({"query": "tc-10000 power", "limit": 2})).await;
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(
        !failed && found["results"][0]["key"] == "TC-10000",
        "{text}"
    );
    assert_eq!(found["results"].as_array().unwrap().len(), 2);
    let lookup = json!({"collection": "test_cases", "filters": {"model": "Osprey 7", "component": ["power"]}, "limit": 50});
    let (failed, text) = call("lookup", lookup).await;
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(
        !failed && found["results"].as_array().unwrap().len() == 10,
        "{text}"
    );
    let (failed, text) = call(
        "get",
        json!({"collection": "test_cases", "key": "TC-10003"}),
    )
    .await;
    assert!(
        !failed && text.contains("Remove both power cords"),
        "{text}"
    );
    let (failed, text) = call("get", json!({"collection": "test_cases", "key": "no"})).await;
    assert!(failed && text.contains("has no record `no`"), "{text}");
    let (failed, text) = call("search", json!({"query": "x", "filters": {"rack": "r1"}})).await;
    assert!(
        failed && text.contains("has no filter `rack`; it has: case_id, model"),
        "{text}"
    );
    if has_sql {
        let (failed, text) = call(
            "sql",
            json!({"statement": "select count(*) as n from test_cases where model = 'Merlin S'"}),
        )
        .await;
        assert!(!failed && text.contains(r#"{"n":200}"#), "{text}");
        let (failed, text) = call("sql", json!({"statement": "delete from test_cases"})).await;
        assert!(failed && text.contains("only SELECT is allowed"), "{text}");
    }
    pool.close().await;
}
