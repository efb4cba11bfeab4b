//! Servers as child processes, both well-behaved and faulty.

use std::time::{Duration, Instant};

use serde_json::json;
use tarsy_mcp::{CallError, CallOptions, ConnectionState, Secret, TransportSettings};

use crate::support::{call, eventually, nasty, one, runs, text, within};

const SOON: Duration = Duration::from_millis(400);

#[tokio::test]
async fn a_child_sees_a_clean_environment() {
    // This variable is present in every test run, and children must not inherit it.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let mut settings = nasty("ok");
    let TransportSettings::Stdio(stdio) = &mut settings.transport else {
        unreachable!()
    };
    stdio
        .env
        .insert("KUBECONFIG".to_owned(), Secret::new("/nowhere"));
    let (_pool, tools) = one(settings);
    let env = text(&tools, "env").await;
    assert!(env.contains("KUBECONFIG") && env.contains("PATH"));
    assert!(!env.contains("CARGO_MANIFEST_DIR"), "{env}");
}

#[tokio::test]
async fn wrong_ids_duplicates_and_garbage_do_no_harm() {
    let (_pool, tools) = one(nasty("ok"));
    let wrong = tools
        .call("nasty", "wrong_id", json!({}), within(SOON))
        .await;
    assert!(matches!(wrong, Err(CallError::Timeout { .. })));
    assert_eq!(text(&tools, "twice").await, "first");
    assert_eq!(text(&tools, "garbage").await, "after garbage");
    assert_eq!(
        call(&tools, "echo", json!({"a": 1})).await.text,
        r#"{"a": 1}"#
    );
}

#[tokio::test]
async fn a_hanging_server_is_given_up_and_started_anew() {
    let (pool, tools) = one(nasty("ok"));
    let pid = text(&tools, "pid").await;
    let end = tools.call("nasty", "hang", json!({}), within(SOON)).await;
    assert!(matches!(&end, Err(error) if error.outcome_unknown() && error.class() == "timeout"));
    // The server does not answer a ping either.
    eventually("the hanging child is gone", async || !runs(&pid)).await;
    assert_ne!(text(&tools, "pid").await, pid);
    assert_eq!(pool.status()[0].starts, 2);
}

#[tokio::test]
async fn a_dead_child_is_reported_with_masked_stderr_and_replaced() {
    let (pool, tools) = one(nasty("ok"));
    let end = tools
        .call("nasty", "die", json!({}), CallOptions::default())
        .await;
    let Err(CallError::Lost { message, .. }) = end else {
        panic!("{end:?}")
    };
    // Only people see stderr.
    assert!(!message.contains("fatal"), "{message}");
    let stderr = pool.status().remove(0).stderr.unwrap();
    assert!(
        stderr.contains("fatal: password=") && !stderr.contains("hunter2"),
        "{stderr}"
    );
    assert_eq!(text(&tools, "garbage").await, "after garbage");
    assert_eq!(pool.status()[0].state, ConnectionState::Connected);
}

#[tokio::test]
async fn a_repeatable_call_survives_the_death_of_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("died");
    let (_pool, tools) = one(nasty("ok"));
    assert_eq!(
        call(&tools, "die_once", json!({"marker": marker}))
            .await
            .text,
        "alive again"
    );
}

#[tokio::test]
async fn a_server_that_can_not_start_is_left_alone_for_a_while() {
    let (pool, tools) = one(nasty("exits"));
    let listing = tools.list().await;
    assert!(listing.tools.is_empty());
    let (server, reason) = &listing.unavailable[0];
    assert!(
        server == "nasty" && reason.contains("the handshake failed"),
        "{reason}"
    );
    assert!(!reason.contains("no such cluster"), "{reason}");
    let survey = tools.survey().await.remove(0);
    let stderr = survey.stderr.unwrap();
    assert!(
        stderr.contains("no such cluster") && !stderr.contains("0123456789abcdef"),
        "{stderr}"
    );
    let end = tools
        .call("nasty", "echo", json!({}), CallOptions::default())
        .await;
    assert!(matches!(
        end,
        Err(CallError::Unavailable {
            retry_in: Some(_),
            ..
        })
    ));
    assert_eq!(pool.status()[0].starts, 1);
    eventually("it is tried again", async || {
        tools.list().await;
        pool.status()[0].starts > 1
    })
    .await;
    assert!(matches!(
        pool.status()[0].state,
        ConnectionState::Failing { failures: 2.., .. }
    ));
}

#[tokio::test]
async fn a_silent_handshake_ends_in_time() {
    let mut settings = nasty("silent");
    settings.start_timeout = SOON;
    let (_pool, tools) = one(settings);
    let reason = &tools.list().await.unavailable[0].1;
    assert!(reason.contains("no handshake within"), "{reason}");
}

#[tokio::test]
async fn grandchildren_end_with_the_connection() {
    let (pool, tools) = one(nasty("ok"));
    let grandchild = text(&tools, "leave_grandchild").await;
    assert!(runs(&grandchild));
    pool.close().await;
    eventually("the grandchild is gone", async || !runs(&grandchild)).await;
}

#[tokio::test]
async fn what_leaves_its_process_group_ends_with_the_connection() {
    tarsy_mcp::adopt_orphans();
    let (pool, tools) = one(nasty("ok"));
    let daemons = [
        text(&tools, "leave_daemon").await,
        text(&tools, "leave_daemon").await,
    ];
    assert!(daemons.iter().all(|daemon| runs(daemon)));
    pool.close().await;
    eventually("the daemons are gone and reaped", async || {
        !daemons.iter().any(|daemon| exists(daemon))
    })
    .await;
}

#[tokio::test]
async fn an_orphan_that_ends_by_itself_is_reaped() {
    tarsy_mcp::adopt_orphans();
    let (_pool, tools) = one(nasty("ok"));
    let daemon = text(&tools, "leave_daemon").await;
    let pid = rustix::process::Pid::from_raw(daemon.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    eventually("it is reaped", async || !exists(&daemon)).await;
}

#[tokio::test]
async fn what_a_killed_worker_has_left_is_ended_by_the_next() {
    let mut killed = std::process::Command::new("true").spawn().unwrap();
    killed.wait().unwrap();
    let start = |owner: u32| {
        std::process::Command::new("sleep")
            .arg("600")
            .env("TARSY_MCP_START", format!("{owner}-0"))
            .spawn()
            .unwrap()
    };
    let mut left = start(killed.id());
    let mut in_use = start(std::process::id());
    tarsy_mcp::adopt_orphans();
    eventually("it is gone", async || !runs(&left.id().to_string())).await;
    assert!(runs(&in_use.id().to_string()));
    in_use.kill().unwrap();
    let _ = (left.wait(), in_use.wait());
}

/// Whether a process is in the process table, even as a zombie.
fn exists(pid: &str) -> bool {
    std::path::Path::new("/proc").join(pid).exists()
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipe_does_not_keep_the_connection() {
    let (_pool, tools) = one(nasty("ok"));
    let grandchild = call(&tools, "leave_grandchild", json!({"exit": true}))
        .await
        .text;
    eventually("the grandchild is gone", async || !runs(&grandchild)).await;
    assert_ne!(text(&tools, "pid").await, grandchild);
}

#[tokio::test]
async fn a_child_that_ignores_sigterm_is_killed() {
    let (pool, tools) = one(nasty("ignores-sigterm"));
    let pid = text(&tools, "pid").await;
    pool.close().await;
    assert!(!runs(&pid));
}

#[tokio::test]
async fn a_flood_on_stderr_blocks_nothing() {
    let (_pool, tools) = one(nasty("ok"));
    assert_eq!(text(&tools, "flood_stderr").await, "done");
}

#[tokio::test]
async fn a_cancelled_or_dropped_call_ends_at_once_and_the_server_is_notified() {
    let (_pool, tools) = one(nasty("ok"));
    tools.list().await;
    let options = CallOptions::default();
    let cancel = options.cancel.clone();
    let hanging = tokio::spawn({
        let tools = tools.clone();
        async move { tools.call("nasty", "hang", json!({}), options).await }
    });
    eventually("the call arrived", async || {
        text(&tools, "calls").await.contains("hang")
    })
    .await;
    let begun = Instant::now();
    cancel.cancel();
    assert!(matches!(hanging.await.unwrap(), Err(CallError::Cancelled)));
    assert!(begun.elapsed() < Duration::from_secs(5));
    eventually("the server knows", async || {
        text(&tools, "cancelled").await.contains("no longer wanted")
    })
    .await;
}
