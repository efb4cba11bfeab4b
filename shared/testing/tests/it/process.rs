//! Tests that processes are killed, frozen and cleaned up.

use std::time::Duration;

use tarsy_testing::process::Program;
use tarsy_testing::wait;

const PATIENCE: Duration = Duration::from_secs(10);

fn shell(script: &str) -> Program {
    Program::at("shell", "/bin/sh").arg("-c").arg(script)
}

/// State letter of a process, as the kernel reports it; `T`: stopped.
fn state(id: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit(')').next()?.trim().chars().next()
}

#[tokio::test]
async fn prints_to_its_log_and_ends_with_its_status() {
    let process = shell("echo hello from $WHO; exit 7")
        .env("WHO", "a test")
        .start()
        .unwrap();
    assert_eq!(
        process.printed("hello", PATIENCE).await,
        "hello from a test"
    );
    assert_eq!(process.ended(PATIENCE).await.code(), Some(7));
    assert!(!process.is_running());
}

/// Regression: a test read another address from the log of an earlier, killed test with the same process id.
#[tokio::test]
async fn what_a_killed_test_has_left_is_not_taken_for_its_log() {
    let logs = std::env::temp_dir().join("tarsy-test-logs");
    std::fs::create_dir_all(&logs).unwrap();
    for count in 0..16 {
        let left = format!("left-{}-{count}.log", std::process::id());
        std::fs::write(logs.join(left), "listening address=yesterday\n").unwrap();
    }
    let process = Program::at("left", "/bin/sh")
        .arg("-c")
        .arg("echo listening address=today")
        .start()
        .unwrap();
    assert_eq!(
        process.printed("listening", PATIENCE).await,
        "listening address=today"
    );
}

#[tokio::test]
async fn can_be_frozen_resumed_and_killed() {
    let process =
        shell("trap 'echo asked to end; exit 0' TERM; echo up; while :; do sleep 0.05; done")
            .start()
            .unwrap();
    process.printed("up", PATIENCE).await;

    process.freeze();
    assert_eq!(state(process.id()), Some('T'), "no longer runs");
    process.terminate();
    process.resume();
    assert_eq!(process.ended(PATIENCE).await.code(), Some(0));
    assert!(process.log().contains("asked to end"));
}

#[tokio::test]
async fn its_children_end_with_it() {
    let process = shell("sleep 600 & echo child=$!; wait").start().unwrap();
    let line = process.printed("child=", PATIENCE).await;
    let child: u32 = line.trim_start_matches("child=").parse().unwrap();

    process.kill();
    assert!(state(child).is_some(), "a crash leaves its children behind");
    drop(process);
    wait::until("the child's end", PATIENCE, async || {
        matches!(state(child), None | Some('Z'))
    })
    .await;
}
