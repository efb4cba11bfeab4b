//! A server that sends 100 MB must not exhaust the worker's memory.

use std::time::Duration;

use serde_json::json;
use tarsy_mcp::CallError;

use crate::support::{call, nasty, one, text, within};

const HUGE: usize = 100_000_000;
/// Reliability target: RSS may grow by 32 MiB at most.
const ALLOWED_KIB: u64 = 32 * 1024;

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("VmHWM");
    line.split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .expect("KiB")
}

/// Runs this test in a process with one malloc arena, unless this is that process. With an arena for each thread,
/// memory use depends on how the machine's load interleaves the threads.
fn runs_in_one_arena() -> bool {
    const ARENAS: &str = "MALLOC_ARENA_MAX";
    if std::env::var_os(ARENAS).is_some() {
        return false;
    }
    let test = std::thread::current().name().map(str::to_owned);
    let program = std::env::current_exe().expect("the test's program");
    let status = std::process::Command::new(program)
        .args(["--exact", "--nocapture", &test.expect("the test's name")])
        .env(ARENAS, "1")
        .status();
    assert!(status.expect("the test starts").success());
    true
}

#[tokio::test]
async fn a_hundred_megabytes_are_read_in_bounded_memory() {
    if runs_in_one_arena() {
        return;
    }
    let (pool, tools) = one(nasty("ok"));
    assert_eq!(text(&tools, "twice").await, "first");
    let before = peak_kib();

    for arguments in [
        json!({"bytes": HUGE}),
        json!({"bytes": HUGE, "id_first": true}),
    ] {
        let outcome = call(&tools, "big_line", arguments).await;
        assert!(outcome.truncated && outcome.text.len() <= 1024 * 1024);
        assert!(outcome.text.starts_with("0123456789abcde"));
    }
    let end = tools
        .call(
            "nasty",
            "no_newline",
            json!({"bytes": HUGE}),
            within(Duration::from_secs(2)),
        )
        .await;
    assert!(matches!(end, Err(CallError::Timeout { .. })), "{end:?}");
    assert_eq!(text(&tools, "garbage").await, "after garbage");

    let grown = peak_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");
    pool.close().await;
}
