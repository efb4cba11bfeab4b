//! Tests that no secret gets where it does not belong (invariant I11). Secrets are planted in environment, alert,
//! runbook and tool output. The test looks for them in every table, in the log and in all requests to the model.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use tarsy_testing::TestDb;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};

use crate::bench::{Bench, Ended};

/// From the worker's own environment.
const FIRST_KEY: &str = "sk-canaryFirst0123456789abcdefABCDEF0123456789";
const SECOND_KEY: &str = "canary-second-key-without-a-known-form-0002";
const GITHUB_TOKEN: &str = "ghp_canary3GithubToken0123456789abcdefgh";
/// Passed to the MCP server, which returns it.
const SERVER_TOKEN: &str = "glpat-canary4Server0123456";
/// Sent with the alert, and stored only there, unmasked.
const ALERT: [&str; 2] = ["AKIACANARY5ALERT2345", "canary-6-alert-password"];
const RUNBOOK: [&str; 2] = [
    "canary-7-runbook-password",
    "xoxb-000000000007-000000000007-canary8RunbookSlack00000",
];
/// Returned by a tool.
const OUTPUT: [&str; 2] = [
    "canary-9-database-password",
    "Y2FuYXJ5LTEwLWt1YmVybmV0ZXMtc2VjcmV0",
];

/// Columns that intentionally store what was sent.
const KEPT_AS_SENT: [(&str, &[&str]); 2] = [
    ("alert_sessions", &["alert_data", "runbook_content"]),
    ("session_search", &["document"]),
];

fn model(request: &SeenRequest) -> Behaviour {
    match (request.model.as_str(), request.assistant_turns()) {
        // Providers quote the key that they reject.
        ("small", _) => Behaviour::fail(401, format!("Incorrect API key provided: {FIRST_KEY}.")),
        (_, 0) => Behaviour::Answer(FakeAnswer::tool_calls([
            ("demo__look", json!({"part": "secrets"})),
            ("demo__environment", json!({})),
            // This call is refused, and the refusal quotes the argument.
            (
                "demo__look",
                json!({"part": ["password=canary-11-argument"]}),
            ),
            ("demo__echo", json!({"query": "password=canary-12-sent"})),
        ])),
        _ => Behaviour::text("Done; password=canary-13-conclusion"),
    }
}

async fn planted(
    model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
) -> (Bench, Ended) {
    let bench = Bench::new(model)
        .await
        .with("FIRST_KEY", FIRST_KEY)
        .with("SECOND_KEY", SECOND_KEY)
        .with("GITHUB_TOKEN", GITHUB_TOKEN)
        .with("SERVER_TOKEN", SERVER_TOKEN)
        .with("LOG_LEVEL", "debug");
    let [database, kubernetes] = OUTPUT;
    bench.part(
        "secrets",
        &format!("DSN postgres://app:{database}@db/app\napiVersion: v1\nkind: Secret\ndata:\n  token: {kubernetes}\n"),
    );
    let alert =
        json!({"message": format!("key {} was used", ALERT[0]), "labels": {"password": ALERT[1]}});
    let runbook = format!("Log in with password={}\nor as {}", RUNBOOK[0], RUNBOOK[1]);
    let ended = bench.run(alert, &runbook).await;
    (bench, ended)
}

/// Returns every table's rows as text, without the columns of [`KEPT_AS_SENT`].
async fn tables(db: &TestDb) -> BTreeMap<String, String> {
    let names: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_tables where schemaname = 'public'")
            .fetch_all(db.pool())
            .await
            .expect("tables");
    let mut texts = BTreeMap::new();
    for name in names {
        let statement = format!("select to_jsonb(t) from \"{name}\" t");
        let mut rows: Vec<Value> = sqlx::query_scalar(AssertSqlSafe(statement))
            .fetch_all(db.pool())
            .await
            .expect("rows");
        for (_, columns) in KEPT_AS_SENT.iter().filter(|(table, _)| *table == name) {
            for row in &mut rows {
                for column in *columns {
                    row[*column] = Value::Null;
                }
            }
        }
        texts.insert(name, Value::Array(rows).to_string());
    }
    texts
}

async fn assert_nowhere(bench: &Bench, ended: &Ended) {
    let mut places = tables(&bench.db).await;
    assert!(
        places["llm_interactions"].len() > 100,
        "the search looks at rows"
    );
    places.insert("the log".to_owned(), ended.worker.log());
    let sent: String = bench
        .llm
        .requests()
        .iter()
        .map(|request| request.body.to_string())
        .collect();
    assert!(
        sent.contains("was used") && sent.contains("Log in with"),
        "alert and runbook were sent"
    );
    places.insert("what the model was sent".to_owned(), sent);

    let canaries = [
        FIRST_KEY,
        SECOND_KEY,
        GITHUB_TOKEN,
        SERVER_TOKEN,
        "canary-11-argument",
        "canary-12-sent",
        "canary-13-conclusion",
    ];
    for canary in canaries
        .into_iter()
        .chain(ALERT)
        .chain(RUNBOOK)
        .chain(OUTPUT)
    {
        for (place, text) in &places {
            let found = text
                .find(canary)
                .map(|at| &text[text.floor_char_boundary(at.saturating_sub(80))..at]);
            assert!(found.is_none(), "`{canary}` in {place}, after: {found:?}");
        }
    }
}

#[tokio::test]
async fn planted_secrets_are_in_no_row_no_log_and_no_prompt() {
    let (bench, ended) = planted(model).await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    assert_eq!(
        ended.records.len(),
        7,
        "a list, two questions, four calls: {:?}",
        ended.execution_id
    );
    assert_nowhere(&bench, &ended).await;
    assert_eq!(
        std::fs::read_to_string(bench.files.path().join("echoed")).expect("what the tool got"),
        "password=canary-12-sent",
        "the tool gets its arguments as they are"
    );
}

#[tokio::test]
async fn a_stage_that_fails_shows_no_secret_either() {
    let refuse = |request: &SeenRequest| {
        let key = if request.model == "small" {
            FIRST_KEY
        } else {
            SECOND_KEY
        };
        Behaviour::fail(401, format!("Incorrect API key provided: {key}."))
    };
    let (bench, ended) = planted(refuse).await;
    assert_eq!(ended.row["status"], "failed", "{}", ended.row);
    assert_eq!(ended.row["error_class"], "llm_auth");
    assert_nowhere(&bench, &ended).await;
}
