//! Workers are killed around the commits that create, await and cancel child sessions.

use std::os::unix::process::ExitStatusExt as _;

use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{SOON, crash_points};

use super::{QUESTIONS, act, analysis, children, dispatch, fleet, id_in, leads, wait_for_all};

/// Returns the crash points whose names begin with one of these prefixes.
fn points(prefixes: &[&str]) -> Vec<String> {
    let points = crash_points().into_iter().map(|point| point.name);
    points
        .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        .collect()
}

/// Input of a sweep, and its expected result.
struct Sweep<'a> {
    model: fn(&SeenRequest) -> Behaviour,
    /// Slots of each stage worker. With one slot, no child has a model call in progress at a crash point of the lead.
    slots: &'a str,
    /// Text of the model requests that are counted.
    counted: &'a str,
    /// Number of these requests, each made once.
    questions: usize,
    conclusion: &'a str,
    children: &'a [&'a str],
}

/// For each point, kills the worker that reaches it first.
async fn sweep(points: &[String], expected: &Sweep<'_>) {
    for point in points {
        let fleet = fleet(expected.model).await;
        let api = fleet.ingest().await;
        let program = |name| {
            let program = fleet.program(name);
            program.env("TARSY_STAGE_CONCURRENCY", expected.slots)
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
        assert_eq!(concluded.as_deref(), Some(expected.conclusion), "{point}");
        assert_eq!(children(&fleet).await, expected.children, "{point}");
        let requests = fleet.llm.requests().into_iter();
        let requests = requests.filter(|request| request.contains(expected.counted));
        assert_eq!(requests.count(), expected.questions, "{point}");
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
    let expected = Sweep {
        model: leads,
        slots: "1",
        counted: "",
        questions: QUESTIONS,
        conclusion: "both were read",
        children: &["Logs completed", "Metrics completed"],
    };
    sweep(&points, &expected).await;
}

/// The lead dispatches a reader, cancels it and concludes. The reader never gets an answer.
fn changes_its_mind(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        _ if request.contains("You are the log reader.") => Behaviour::Hang,
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
    // Needs a second slot, because the next worker may take the reader before the lead's job is free.
    let expected = Sweep {
        model: changes_its_mind,
        slots: "2",
        counted: "You are the lead.",
        questions: 4,
        conclusion: "it was not needed",
        children: &["Logs cancelled"],
    };
    sweep(&points, &expected).await;
}
