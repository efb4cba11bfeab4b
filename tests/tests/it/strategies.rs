//! Every strategy in one chain: its model requests, its context, its records and its output.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_tests::{Fleet, SOON};
use uuid::Uuid;

/// The provider's visible reasoning.
const THINKING: &str = "both at once saves a round";

fn reads(n: usize) -> String {
    format!("Thought: t\nAction: ledger.read_status\nAction Input: {{\"service\": \"part-{n}\"}}")
}

fn play(request: &SeenRequest) -> Behaviour {
    let is = |who: &str| request.contains(&format!("You are the {who}."));
    match request.assistant_turns() {
        _ if is("broken one") => Behaviour::fail(401, "no such key"),
        _ if is("reporter") => Behaviour::text("# Report\nAll parts were read."),
        0 if is("native one") => Behaviour::Answer(FakeAnswer {
            thinking: THINKING.to_owned(),
            ..FakeAnswer::tool_calls([
                ("ledger__read_status", json!({"service": "left"})),
                ("ledger__read_status", json!({"service": "right"})),
            ])
        }),
        _ if is("native one") => Behaviour::text("Found natively."),
        0 => Behaviour::text(reads(0)),
        1 => Behaviour::text(reads(1)),
        _ => {
            let who = ["defaulting one", "overruled one", "stager", "collector"];
            let who = who.into_iter().find(|who| is(who)).unwrap_or("stranger");
            Behaviour::text(format!("Thought: done\nFinal Answer: Said by the {who}."))
        }
    }
}

/// A stage's row, with its model requests.
struct Stage {
    row: Value,
    requests: Vec<SeenRequest>,
}

impl Stage {
    fn output(&self, member: &str) -> &str {
        self.row["stage_output"][member]
            .as_str()
            .unwrap_or_default()
    }
}

async fn stages(fleet: &Fleet, session: Uuid) -> Vec<Stage> {
    let query = "select to_jsonb(e) from stage_executions e where session_id = $1 order by stage_index, attempt";
    let rows: Vec<Value> = sqlx::query_scalar(query)
        .bind(session)
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap();
    let who = [
        "defaulting one",
        "native one",
        "overruled one",
        "stager",
        "collector",
        "broken one",
        "reporter",
    ];
    assert_eq!(rows.len(), who.len(), "{rows:#?}");
    let requests = |who: &str| {
        let mut requests = fleet.llm.requests();
        requests.retain(|request| request.contains(&format!("You are the {who}.")));
        requests
    };
    let stages = rows.into_iter().zip(who);
    stages
        .map(|(row, who)| Stage {
            row,
            requests: requests(who),
        })
        .collect()
}

async fn played() -> (Fleet, Uuid) {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/strategies.yaml");
    let fleet = Fleet::new(play).await.with("AGENT_CONFIG_FILE", config);
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "Strategies").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        (&*ended.status, ended.outcome.as_deref()),
        ("completed", Some("partial")),
        "{ended:?}"
    );
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some("# Report\nAll parts were read.")
    );
    (fleet, session)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_strategy_asks_and_hands_on_what_is_its_own() {
    let (fleet, session) = played().await;
    let stages = stages(&fleet, session).await;
    let ran: Vec<_> = stages
        .iter()
        .map(|stage| stage.row["iteration_strategy"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        ran,
        [
            "react-tools-partial",
            "regular",
            "react",
            "react-stage",
            "react-tools",
            "react",
            "react-final-analysis"
        ],
        "a stage's strategy wins over its agent's, and that over the default"
    );
    let [partial, native, react, staged, collected, broken, report] = &stages[..] else {
        unreachable!("seven stages")
    };

    // ReAct hands on the conclusion, the data, or both.
    for (stage, who) in [(react, "overruled one"), (staged, "stager")] {
        assert_eq!(stage.output("result"), format!("Said by the {who}."));
        assert!(
            stage
                .requests
                .iter()
                .all(|request| request.tools.is_empty())
        );
        assert_eq!(stage.requests.len(), 3);
    }
    let both = partial.output("result");
    assert!(
        both.starts_with("Said by the defaulting one.") && both.contains("checkout answers 503"),
        "{both}"
    );
    let data = collected.output("result");
    assert!(data.contains("checkout answers 503"), "{data}");

    // Two native tool calls at once, each answered under its id. The prompt requests no text format.
    assert_eq!(native.output("result"), "Found natively.");
    let [first, second] = &native.requests[..] else {
        panic!("two questions, not {}", native.requests.len())
    };
    assert_eq!(
        first.tools,
        [
            "ledger__read_status",
            "tarsy__read_page",
            "tarsy__search_result"
        ],
        "destructive ones are not offered"
    );
    assert!(!first.contains("Action Input:"), "{:?}", first.messages);
    let answered: Vec<_> = second.body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["tool_call_id"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(answered, ["call_0", "call_1"]);
    let recorded: Vec<Option<String>> = sqlx::query_scalar(
        "select thinking from llm_interactions where session_id = $1 and thinking is not null",
    )
    .bind(session)
    .fetch_all(fleet.rows.pool())
    .await
    .unwrap();
    assert_eq!(recorded, [Some(THINKING.to_owned())]);

    // One model call without tools over all earlier results, including failures.
    assert_eq!(broken.row["status"], "failed");
    assert_eq!(broken.row["error_class"], "llm_auth");
    let [only] = &report.requests[..] else {
        panic!("one question, not {}", report.requests.len())
    };
    assert!(only.tools.is_empty() && !only.contains("ledger.read_status:"));
    for part in [
        "Said by the defaulting one.",
        "Found natively.",
        "Said by the overruled one.",
        "Said by the stager.",
        "checkout answers 503",
        "broken",
    ] {
        assert!(only.contains(part), "no `{part}` in the last question");
    }
    let reason = broken.row["error_message"].as_str().unwrap();
    assert!(only.contains(reason), "why it failed is data: {reason}");
    let calls = "select count(*) from mcp_interactions m join stage_executions e on e.execution_id = m.stage_execution_id
                 where e.stage_name = 'report'";
    assert_eq!(
        fleet.rows.count(calls).await,
        0,
        "no server is asked for its tools"
    );
    fleet.assert_sound().await;
}
