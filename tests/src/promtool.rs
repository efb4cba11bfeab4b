//! Runs Prometheus's checks with `promtool`, from Debian's package `prometheus`.

use std::path::Path;
use std::process::Stdio;

use tarsy_testing::tools;
use tokio::io::AsyncWriteExt as _;

/// Asserts that `promtool check metrics` reports neither errors nor style warnings about a scrape.
///
/// # Panics
///
/// When it does. The message has its findings.
pub async fn check_metrics(who: &str, scrape: &str) {
    let (succeeded, output) = run(&["check", "metrics"], Path::new("."), scrape).await;
    assert!(succeeded && output.is_empty(), "{who}: {output}\n{scrape}");
}

/// Runs `promtool` in a folder. Returns whether it succeeded, and its whole output.
///
/// # Panics
///
/// When it is missing.
pub async fn run(arguments: &[&str], folder: &Path, input: &str) -> (bool, String) {
    let mut promtool = tokio::process::Command::new(tools::expect("promtool"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = promtool.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    let output = promtool.wait_with_output().await.unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8(printed).unwrap().trim().to_owned(),
    )
}
