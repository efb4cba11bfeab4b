//! Invalid and hostile arguments of an agent's tool calls.

use serde_json::json;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use uuid::Uuid;

use super::{act, analysis, children, dispatch, fleet, wait_for_all};

/// A secret, which is masked wherever it is stored or repeated.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// Returns the lead's action in a turn: one hostile action each.
fn hostile(turn: usize) -> Behaviour {
    let dispatch = |input| act("dispatch_agent", &input);
    match turn {
        0 => {
            dispatch(json!({"name": format!("Nobody {TOKEN} {}", "x".repeat(50_000)), "task": "t"}))
        }
        1 => dispatch(json!({"name": "Logs", "task": ["a", 7]})),
        2 => dispatch(json!({"name": "Logs", "task": "x".repeat(1_000_000)})),
        3 => dispatch(json!({"name": "Logs", "task": " \n "})),
        4 => dispatch(json!({"task": "look"})),
        5 => act("cancel_agent", &json!({"id": Uuid::now_v7()})),
        6 => act("cancel_agent", &json!({"id": {"of": "it"}})),
        7 => act("list_agents", &json!({"wait": ["true"]})),
        // Half of a surrogate pair, which is not valid JSON.
        8 => Behaviour::text(
            "Thought: next.\nAction: dispatch_agent\nAction Input: {\"name\": \"Logs\", \"task\": \"\\ud800\"}",
        ),
        // Stored without the secret, and with a replacement for the character that Postgres can't store.
        _ => dispatch(json!({"name": "Logs", "task": format!("read\u{0} logs with {TOKEN}")})),
    }
}

/// Number of hostile actions.
const MANY: usize = 10;

fn plays(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        _ if request.contains("You are the log reader.") => Behaviour::text("Final Answer: read"),
        turn if turn < MANY => hostile(turn),
        turn if turn == MANY => wait_for_all(),
        _ => Behaviour::text("Final Answer: survived"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_make_no_sense_are_refused_and_secrets_in_a_task_stay_with_the_model() {
    let fleet = fleet(plays).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    assert_eq!(analysis(&fleet, session).await.as_deref(), Some("survived"));
    let requests = fleet.llm.requests();
    for refused in [
        "`name` is not one of your sub-agents",
        "dispatch_agent needs the texts `name` and `task`",
        "a task has 1 to 16000 characters",
        "you have dispatched no sub-agent",
        "cancel_agent needs the `id` of a sub-agent",
        "`wait` of list_agents is true or false",
    ] {
        assert!(
            requests.iter().any(|request| request.contains(refused)),
            "{refused}"
        );
    }
    assert_eq!(children(&fleet).await, ["Logs completed"]);
    let task: String =
        sqlx::query_scalar("select task from child_sessions where task like 'read%'")
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap();
    assert!(
        task.starts_with("read\u{fffd} logs with [MASKED_"),
        "{task}"
    );
    let of_log_reader = requests.iter();
    let mut of_log_reader =
        of_log_reader.filter(|request| request.contains("You are the log reader."));
    assert!(of_log_reader.all(|request| !request.contains(TOKEN)));
    // The model's output is stored masked, and so are the responses to it.
    let kept = "select count(*) from mcp_interactions
                where concat(tool_arguments, tool_result, error_message) like '%ghp_0123456789%'";
    assert_eq!(fleet.rows.count(kept).await, 0);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_dispatched_as_often_as_it_is_requested() {
    let fleet = fleet(|request| match request.assistant_turns() {
        _ if request.contains("You are the log reader.") => Behaviour::text("Final Answer: read"),
        0 | 1 => dispatch("Logs"),
        2 => wait_for_all(),
        _ => Behaviour::text("Final Answer: twice"),
    })
    .await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    assert_eq!(analysis(&fleet, session).await.as_deref(), Some("twice"));
    assert_eq!(children(&fleet).await, ["Logs completed", "Logs completed"]);
}
