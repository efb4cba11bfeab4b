//! Child sessions: an agent dispatches them, waits for them without a slot, and they are cancelled with their parent.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arguments;
mod crashes;
mod newer;
mod of_stage;
mod spending;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/children.yaml");

/// Number of model calls of a lead that dispatches two readers, waits and concludes, including the readers' calls.
const QUESTIONS: usize = 6;

async fn fleet(model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static) -> Fleet {
    Fleet::new(model).await.with("AGENT_CONFIG_FILE", CONFIG)
}

fn act(tool: &str, input: &Value) -> Behaviour {
    Behaviour::text(format!(
        "Thought: next.\nAction: {tool}\nAction Input: {input}"
    ))
}

fn dispatch(name: &str) -> Behaviour {
    act(
        "dispatch_agent",
        &json!({"name": name, "task": format!("look at checkout as {name}")}),
    )
}

fn wait_for_all() -> Behaviour {
    act("list_agents", &json!({"wait": true}))
}

/// The lead dispatches both readers, waits and concludes.
fn leads(request: &SeenRequest) -> Behaviour {
    let is = |who: &str| request.contains(who);
    match request.assistant_turns() {
        _ if is("You are the log reader.") => Behaviour::text("Final Answer: the logs say OOM"),
        _ if is("You are the metrics reader.") => {
            Behaviour::text("Final Answer: memory rose to the limit")
        }
        0 => dispatch("Logs"),
        1 => dispatch("Metrics"),
        2 => wait_for_all(),
        _ if is("the logs say OOM") && is("memory rose to the limit") => {
            Behaviour::text("Final Answer: both were read")
        }
        _ => Behaviour::text("Final Answer: something is missing"),
    }
}

/// A model like `leads`, but the log reader gets no answer while `hangs` is set.
fn hangs(hangs: &Arc<AtomicBool>) -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static {
    let hangs = Arc::clone(hangs);
    move |request| match request.contains("You are the log reader.") {
        true if hangs.load(Ordering::SeqCst) => Behaviour::Hang,
        _ => leads(request),
    }
}

async fn analysis(fleet: &Fleet, session: Uuid) -> Option<String> {
    fleet.rows.ended(session, SOON).await.final_analysis
}

/// Returns agents and statuses of all children, ordered by agent.
async fn children(fleet: &Fleet) -> Vec<String> {
    sqlx::query_scalar(
        "select c.agent || ' ' || s.status from child_sessions c join alert_sessions s using (session_id) order by c.agent, 1",
    )
    .fetch_all(fleet.rows.pool())
    .await
    .unwrap()
}

async fn parent_waits(fleet: &Fleet) {
    wait::until("the parent waits", SOON, async || {
        fleet
            .rows
            .count("select count(*) from waits where sort = 'children' and decision is null")
            .await
            == 1
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parent_waits_without_the_only_slot_and_reads_what_both_found() {
    let fleet = fleet(leads).await;
    let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let stage = fleet
        .program("stage-worker")
        .env("TARSY_STAGE_CONCURRENCY", "1");
    let _stage = stage.start().unwrap();
    let session = fleet.submit(&api, "Led").await;
    assert_eq!(
        analysis(&fleet, session).await.as_deref(),
        Some("both were read")
    );
    assert_eq!(
        children(&fleet).await,
        ["Logs completed", "Metrics completed"]
    );
    assert_eq!(fleet.llm.count(), QUESTIONS);
    let child = fleet.llm.requests().into_iter();
    let child = child.filter(|request| request.contains("You are the log reader."));
    let [child] = &child.collect::<Vec<_>>()[..] else {
        panic!("one question");
    };
    assert!(child.contains("look at checkout as Logs"), "its task");
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_while_the_parent_waits_loses_nothing() {
    let hanging = Arc::new(AtomicBool::new(true));
    let fleet = fleet(hangs(&hanging)).await;
    let (api, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    parent_waits(&fleet).await;
    wait::until("one child has ended", SOON, async || {
        children(&fleet).await == ["Logs in_progress", "Metrics completed"]
    })
    .await;
    let of_parent =
        "select count(*) from jobs j join stage_executions e on e.execution_id = j.subject
                     join waits w on w.execution_id = e.execution_id";
    assert_eq!(
        fleet.rows.count(of_parent).await,
        0,
        "the parent has no job"
    );
    stage.kill();
    hanging.store(false, Ordering::SeqCst);
    let _stage = fleet.stage_worker();
    assert_eq!(
        analysis(&fleet, session).await.as_deref(),
        Some("both were read")
    );
    // The model call in progress had no answer, so it is made again.
    assert_eq!(fleet.llm.count(), QUESTIONS + 1);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_fails_is_data() {
    let fleet = fleet(
        |request| match request.contains("You are the log reader.") {
            true => Behaviour::fail(400, "no such model"),
            false => leads(request),
        },
    )
    .await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    assert_eq!(
        analysis(&fleet, session).await.as_deref(),
        Some("something is missing")
    );
    assert_eq!(children(&fleet).await, ["Logs failed", "Metrics completed"]);
    let request = fleet.llm.requests().pop().unwrap();
    assert!(request.contains("no such model") && request.contains("memory rose to the limit"));
    fleet.assert_sound().await;
}

async fn cancel(api: &Ingest, session: Uuid) -> u16 {
    let url = format!("{}/api/v1/admin/sessions/{session}/cancel", api.url);
    let request = reqwest::Client::new()
        .post(url)
        .json(&json!({"reason": "a test"}));
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_parent_takes_its_children_with_it_and_a_cancelled_child_frees_its_parent() {
    let hanging = Arc::new(AtomicBool::new(true));
    let fleet = fleet(hangs(&hanging)).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    parent_waits(&fleet).await;
    assert_eq!(cancel(&api, session).await / 100, 2);
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.status, "cancelled");
    wait::until("the children end", SOON, async || {
        children(&fleet)
            .await
            .iter()
            .all(|child| !child.ends_with("progress"))
    })
    .await;
    assert_eq!(children(&fleet).await[0], "Logs cancelled");

    let session = fleet.submit(&api, "Led").await;
    parent_waits(&fleet).await;
    let child: Uuid = sqlx::query_scalar(
        "select session_id from child_sessions c join alert_sessions s using (session_id)
         where s.parent_session_id = $1 and c.agent = 'Logs'",
    )
    .bind(session)
    .fetch_one(fleet.rows.pool())
    .await
    .unwrap();
    assert_eq!(cancel(&api, child).await / 100, 2);
    assert_eq!(
        analysis(&fleet, session).await.as_deref(),
        Some("something is missing")
    );
}

/// Returns the id in the last observation.
fn id_in(request: &SeenRequest) -> String {
    let words = request
        .last_text()
        .split(|c: char| !(c.is_ascii_hexdigit() || c == '-'));
    let mut ids = words.filter(|word| word.parse::<Uuid>().is_ok());
    ids.next().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_cancels_a_child() {
    let fleet = fleet(|request| match request.assistant_turns() {
        _ if request.contains("You are the log reader.") => Behaviour::Hang,
        0 => dispatch("Logs"),
        1 => act("cancel_agent", &json!({"id": id_in(request)})),
        2 => wait_for_all(),
        _ => Behaviour::text("Final Answer: it was not needed"),
    })
    .await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    assert_eq!(
        analysis(&fleet, session).await.as_deref(),
        Some("it was not needed")
    );
    assert_eq!(children(&fleet).await, ["Logs cancelled"]);
    let request = fleet.llm.requests().pop().unwrap();
    assert!(request.contains("cancelled by agent Lead"));
}

#[tokio::test(flavor = "multi_thread")]
async fn depth_and_number_are_bounded_and_the_model_is_informed() {
    let fleet = fleet(|request| {
        let is = |who: &str| request.contains(who);
        match request.assistant_turns() {
            0 if is("You are the lead.") => dispatch("Deep"),
            1..=8 if is("You are the lead.") => dispatch("Metrics"),
            9 if is("You are the lead.") => wait_for_all(),
            0 if is("You are the deep one.") => dispatch("Deeper"),
            1 if is("You are the deep one.") => wait_for_all(),
            0 if is("You are the deeper one.") => dispatch("Deepest"),
            _ if is("You are the deeper one.") => Behaviour::text("Final Answer: deep enough"),
            _ => Behaviour::text("Final Answer: done"),
        }
    })
    .await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    assert_eq!(analysis(&fleet, session).await.as_deref(), Some("done"));
    let children = children(&fleet).await;
    assert_eq!(
        children.len(),
        9,
        "eight of the lead, one of the deep one: {children:?}"
    );
    let refused = |text: &str| {
        fleet
            .llm
            .requests()
            .iter()
            .any(|request| request.contains(text))
    };
    assert!(refused("sub-agents may be nested 2 deep"));
    assert!(refused("you have had 8, which is the limit"));
    fleet.assert_sound().await;
}
