//! Calls that a server runs as tasks.

use std::time::Duration;

use serde_json::json;
use tarsy_mcp::{AgentTools, CallError, CallOptions, McpPool, ToolOutcome};
use tarsy_testing::fake_tasks::FakeTaskServer;
use tokio::sync::mpsc;

use crate::support::{eventually, http, one, within};

async fn server() -> (FakeTaskServer, McpPool, AgentTools) {
    let fake = FakeTaskServer::start().await;
    let (pool, tools) = one(http("backups", fake.url()));
    (fake, pool, tools)
}

async fn run(tools: &AgentTools, options: CallOptions) -> Result<ToolOutcome, CallError> {
    tools
        .call("backups", "run_backup", json!({}), options)
        .await
}

fn options_for(task: &str) -> CallOptions {
    CallOptions {
        task: Some(task.to_owned()),
        ..CallOptions::default()
    }
}

#[tokio::test]
async fn the_result_of_a_task_is_the_call_s_and_another_pool_gets_it_too() {
    let (fake, _pool, tools) = server().await;
    let (on_begin, mut begun) = mpsc::unbounded_channel();
    let options = CallOptions {
        task_begun: Some(on_begin),
        ..CallOptions::default()
    };
    let calling = run(&tools, options);
    let (outcome, ()) = tokio::join!(calling, async {
        assert_eq!(begun.recv().await.as_deref(), Some("task-1"));
        eventually("to be asked for", async || fake.polls("task-1") > 1).await;
        fake.finish("task-1", "password: made-up-secret-value-4711");
    });
    let outcome = outcome.unwrap();
    assert!(
        !outcome.is_error && !outcome.text.contains("4711"),
        "{outcome:?}"
    );

    let (_other, tools) = one(http("backups", fake.url()));
    let again = run(&tools, options_for("task-1")).await.unwrap();
    assert_eq!(again.text, outcome.text);
    assert_eq!(fake.called(), ["run_backup"], "called once");
}

#[tokio::test]
async fn a_server_of_both_revisions_runs_tasks() {
    let (fake, _pool, tools) = server().await;
    fake.take_handshakes();
    let (outcome, ()) = tokio::join!(run(&tools, CallOptions::default()), async {
        eventually("to be asked for", async || fake.polls("task-1") > 0).await;
        fake.finish("task-1", "done");
    });
    assert_eq!(outcome.unwrap().text, "done");
}

#[tokio::test]
async fn a_server_of_both_revisions_that_was_slow_once_runs_tasks_over_the_next_connection() {
    let (fake, _pool, tools) = server().await;
    fake.take_handshakes();
    fake.ignore_discovery(true);
    let first = run(&tools, CallOptions::default()).await.unwrap();
    assert_eq!(first.text, "no task");
    fake.ignore_discovery(false);
    // The connection is given up, and the call that ended it is not repeated.
    fake.set_away(true);
    assert!(run(&tools, CallOptions::default()).await.is_err());
    fake.set_away(false);
    let task = format!("task-{}", fake.called().len() + 1);
    let calling = run(&tools, within(Duration::from_secs(20)));
    let (outcome, ()) = tokio::join!(calling, async {
        eventually("to be asked for", async || fake.polls(&task) > 0).await;
        fake.finish(&task, "done");
    });
    assert_eq!(outcome.unwrap().text, "done");
}

#[tokio::test]
async fn a_task_without_a_result_is_of_unknown_outcome_with_a_reason() {
    let (fake, _pool, tools) = server().await;
    for (members, why) in [
        (json!({"status": "cancelled"}), "cancelled"),
        (
            json!({"status": "input_required", "inputRequests": {}}),
            "asks for input",
        ),
    ] {
        fake.end("task-1", members);
        let end = run(&tools, CallOptions::default()).await;
        let error = end.unwrap_err();
        assert!(
            error.outcome_unknown() && error.to_string().contains(why),
            "{error}"
        );
        fake.forget();
    }
    let forgotten = run(&tools, options_for("task-7")).await.unwrap_err();
    assert!(forgotten.outcome_unknown(), "{forgotten}");
    assert!(
        forgotten.to_string().contains("unknown task task-7"),
        "{forgotten}"
    );
    let error = json!({"code": -32_000, "message": "no space left"});
    fake.end("task-1", json!({"status": "failed", "error": error}));
    let failed = run(&tools, CallOptions::default()).await.unwrap_err();
    assert!(!failed.outcome_unknown(), "{failed}");
    assert!(failed.to_string().contains("no space left"), "{failed}");
}

#[tokio::test]
async fn a_task_whose_time_is_up_is_cancelled_and_one_that_is_dropped_runs_on() {
    let (fake, _pool, tools) = server().await;
    let late = run(&tools, within(Duration::from_millis(400))).await;
    assert!(matches!(late, Err(CallError::Timeout { .. })), "{late:?}");
    eventually("the cancellation", async || fake.cancelled() == ["task-1"]).await;

    {
        let mut dropped = std::pin::pin!(run(&tools, CallOptions::default()));
        let polls = eventually("to be asked for", async || fake.polls("task-2") > 0);
        tokio::select! {
            end = &mut dropped => panic!("ended: {end:?}"),
            () = polls => {}
        }
    }
    fake.finish("task-2", "done");
    assert_eq!(
        run(&tools, options_for("task-2")).await.unwrap().text,
        "done"
    );
    assert_eq!(fake.cancelled(), ["task-1"]);
}

#[tokio::test]
async fn a_server_that_is_away_for_a_while_costs_no_result() {
    let (fake, _pool, tools) = server().await;
    let calling = run(&tools, within(Duration::from_secs(60)));
    let (outcome, ()) = tokio::join!(calling, async {
        eventually("to be asked for", async || fake.polls("task-1") > 0).await;
        fake.set_away(true);
        fake.finish("task-1", "done");
        let polls = fake.polls("task-1");
        // Another pool, like that of a worker that takes over, calls the server while it is away.
        let (_other, late) = one(http("backups", fake.url()));
        let options = CallOptions {
            timeout: Some(Duration::from_millis(300)),
            ..options_for("task-1")
        };
        let error = run(&late, options).await.unwrap_err();
        assert!(
            error.outcome_unknown(),
            "nothing says that it was not run: {error}"
        );
        assert_eq!(fake.polls("task-1"), polls);
        fake.set_away(false);
    });
    assert_eq!(outcome.unwrap().text, "done");
    assert_eq!(fake.called(), ["run_backup"], "called once");
}
