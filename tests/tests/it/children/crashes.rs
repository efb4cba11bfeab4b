//! Workers killed around what makes, awaits and cancels child sessions.

use std::os::unix::process::ExitStatusExt as _;

use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{SOON, crash_points};

use super::{QUESTIONS, act, analysis, children, dispatch, fleet, id_in, leads, wait_for_all};

/// Points of this feature whose names begin so.
fn points(prefixes: &[&str]) -> Vec<String> {
    let points = crash_points().into_iter().map(|point| point.name);
    points
        .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        .collect()
}

/// Kills the worker that passes a point first. A worker has one slot, so at a point of the lead no child has a question under
/// way, and each of `questions` is asked once, of children too.
async fn sweep(
    points: &[String],
    model: fn(&SeenRequest) -> Behaviour,
    questions: usize,
    said: &str,
    left: &[&str],
) {
    for point in points {
        let fleet = fleet(model).await;
        let api = fleet.ingest().await;
        let program = |name| {
            let program = fleet.program(name);
            program.env("TARSY_STAGE_CONCURRENCY", "1")
        };
        let (victim, other) = match point.starts_with("chain.") {
            true => ("chain-worker", "stage-worker"),
            false => ("stage-worker", "chain-worker"),
        };
        let _other = program(other).start().unwrap();
        let armed = program(victim).env("TARSY_CRASH_AT", point);
        let armed = armed.start().unwrap();
        let session = fleet.submit(&api, "Led").await;
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        let _next = program(victim).start().unwrap();
        let concluded = analysis(&fleet, session).await;
        assert_eq!(concluded.as_deref(), Some(said), "{point}");
        assert_eq!(children(&fleet).await, left, "{point}");
        assert_eq!(fleet.llm.count(), questions, "{point}");
        wait::until("the jobs to end", SOON, async || {
            fleet.rows.count("select count(*) from jobs").await == 0
        })
        .await;
        fleet.assert_sound_after(point).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_around_a_dispatch_or_a_wait_makes_no_second_child_and_asks_nothing_twice()
{
    let points = points(&[
        "stage.dispatch.",
        "stage.wait_for_children.",
        "chain.children.",
    ]);
    assert_eq!(points.len(), 6, "{points:?}");
    let left = ["Logs completed", "Metrics completed"];
    sweep(&points, leads, QUESTIONS, "both were read", &left).await;
}

/// The lead dispatches a reader, cancels it and concludes.
fn changes_its_mind(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        0 => dispatch("Logs"),
        1 => act("cancel_agent", &serde_json::json!({"id": id_in(request)})),
        2 => wait_for_all(),
        _ => Behaviour::text("Final Answer: it was not needed"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_around_a_cancellation_cancels_the_child_once() {
    let points = points(&["stage.cancel_child."]);
    assert_eq!(points.len(), 2, "{points:?}");
    let said = "it was not needed";
    sweep(&points, changes_its_mind, 4, said, &["Logs cancelled"]).await;
}
