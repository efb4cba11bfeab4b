//! Tests of time limits, output limits, turns and the cache.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tarsy_testing::wait;

use crate::scene::{Scene, run};

const SOON: Duration = Duration::from_secs(30);

/// Whether the process whose id is in `file` has ended.
fn has_ended(file: &Path) -> bool {
    let id = fs::read_to_string(file).unwrap_or_default();
    !id.trim().is_empty() && !Path::new("/proc").join(id.trim()).exists()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_far_side_ends_a_command_that_ignores_signals() {
    let scene = Scene::new();
    scene.program(
        "stubborn",
        "#!/bin/sh\ntrap '' TERM HUP PIPE\necho $$ > \"$0.pid\"\necho begun\nwhile :; do sleep 0.1; done\n",
    );
    let templates = r#"  stubborn: {effect: read_only, command: ["{folder}/stubborn"]}"#;
    let runner = scene.runner(
        templates,
        r#"    - ["{folder}/stubborn"]"#,
        "timeout_seconds: 3",
    );
    let outcome = run(&runner, "stubborn", json!({})).await.unwrap();
    assert!(
        outcome.timed_out && outcome.stdout == "begun\n",
        "{outcome:?}"
    );
    wait::until("the process to end", SOON, async || {
        has_ended(&scene.file("stubborn.pid"))
    })
    .await;
    // The outcome is not cached for other callers either.
    assert!(!run(&runner, "stubborn", json!({})).await.unwrap().cached);
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_cut_and_its_command_ends() {
    let scene = Scene::new();
    scene.program("endless", "#!/bin/sh\necho $$ > \"$0.pid\"\nexec yes\n");
    let templates = r#"  endless: {effect: read_only, command: ["{folder}/endless"]}"#;
    let runner = scene.runner(
        templates,
        r#"    - ["{folder}/endless"]"#,
        "max_output_bytes: 5000",
    );
    let outcome = run(&runner, "endless", json!({})).await.unwrap();
    assert!(outcome.truncated, "{outcome:?}");
    assert_eq!(outcome.stdout, "y\n".repeat(2500));
    wait::until("the process to end", SOON, async || {
        has_ended(&scene.file("endless.pid"))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_in_small_pieces_is_counted_together() {
    let scene = Scene::new();
    // Pauses keep the pieces separate on their way.
    let program =
        "#!/bin/sh\nfor n in 0 1 2 3 4 5 6 7 8 9; do printf '%01000d' 0; sleep 0.02; done\n";
    scene.program("slow", program);
    let runner = scene.runner(
        r#"  slow: {effect: read_only, command: ["{folder}/slow"]}"#,
        r#"    - ["{folder}/slow"]"#,
        "max_output_bytes: 5000",
    );
    let outcome = run(&runner, "slow", json!({})).await.unwrap();
    assert!(outcome.truncated, "{outcome:?}");
    assert_eq!(outcome.stdout, "0".repeat(5000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_runs_one_command_at_a_time() {
    let scene = Scene::new();
    let program = "#!/bin/sh\necho > \"$0.begun\"\nwhile [ ! -e \"$0.go\" ]; do sleep 0.02; done\n";
    scene.program("held", program);
    let templates = r#"
  held: {effect: destructive, command: ["{folder}/held"]}
  argv: {effect: destructive, command: ["{folder}/argv"]}
"#;
    let allow = "    - [\"{folder}/held\"]\n    - [\"{folder}/argv\"]";
    let runner = scene.runner(templates, allow, "timeout_seconds: 20");
    let second = async {
        wait::until("the first to begin", SOON, async || {
            scene.file("held.begun").exists()
        })
        .await;
        let second = run(&runner, "argv", json!({})).await;
        fs::write(scene.file("held.go"), "").unwrap();
        second
    };
    let (first, second) = tokio::join!(run(&runner, "held", json!({})), second);
    assert!(second.unwrap_err().contains("another command"));
    assert_eq!(first.unwrap().exit_status, Some(0));
    assert_eq!(scene.lines("runs"), 0);
    run(&runner, "argv", json!({})).await.unwrap();
    assert_eq!(scene.lines("runs"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_answers_of_reading_commands_are_repeated() {
    let scene = Scene::new();
    let templates = r#"
  read: {effect: read_only, command: ["{folder}/argv", "{value}"], arguments: {value: {type: word}}}
  write: {effect: idempotent, command: ["{folder}/argv", "{value}"], arguments: {value: {type: word}}}
"#;
    let configuration = |seconds: u64| {
        let text = scene.configuration(templates, r#"    - ["{folder}/argv", "{word}"]"#, "");
        crate::scene::parse(&format!("{text}cache_seconds: {seconds}\n")).unwrap()
    };
    let runner = tarsy_ssh_mcp::Runner::new(configuration(600));
    let first = run(&runner, "read", json!({"value": "a"})).await.unwrap();
    let second = run(&runner, "read", json!({"value": "a"})).await.unwrap();
    assert!(!first.cached && second.cached && first.stdout == second.stdout);
    run(&runner, "read", json!({"value": "b"})).await.unwrap();
    for _ in 0..2 {
        assert!(
            !run(&runner, "write", json!({"value": "a"}))
                .await
                .unwrap()
                .cached
        );
    }
    assert_eq!(scene.lines("runs"), 4);
    let never = tarsy_ssh_mcp::Runner::new(configuration(0));
    for _ in 0..2 {
        assert!(
            !run(&never, "read", json!({"value": "a"}))
                .await
                .unwrap()
                .cached
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_states_how_the_command_ended() {
    let scene = Scene::new();
    scene.program("fails", "#!/bin/sh\necho out; echo err >&2; exit 3\n");
    scene.program("dies", "#!/bin/sh\nkill -KILL $PPID\n");
    let templates = r#"
  fails: {effect: read_only, command: ["{folder}/fails"]}
  missing: {effect: read_only, command: ["{folder}/missing"]}
"#;
    let allow = "    - [\"{folder}/fails\"]\n    - [\"{folder}/missing\"]";
    let runner = scene.runner(templates, allow, "");
    let fails = run(&runner, "fails", json!({})).await.unwrap();
    assert_eq!(
        (fails.exit_status, &*fails.stdout, &*fails.stderr),
        (Some(3), "out\n", "err\n")
    );
    let missing = run(&runner, "missing", json!({})).await.unwrap();
    assert_eq!(missing.exit_status, Some(127), "{missing:?}");
}
