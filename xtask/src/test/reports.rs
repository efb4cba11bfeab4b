//! Reads the reports of the test runners: the duration of each test, and why some failed.

use std::fs;
use std::time::Duration;

use super::junit;
use super::node_report::{self, PAGES, SPEED};

/// A test that ran.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) time: Duration,
    /// Why it failed, in a line or two.
    pub(super) failure: Option<String>,
}

/// Deletes the reports of an earlier run.
pub(super) fn forget() {
    for report in [
        junit::path(),
        node_report::path(PAGES),
        node_report::path(SPEED),
    ] {
        fs::remove_file(report).ok();
    }
}

/// All tests, slowest first; empty if none ran, or without nextest and Node.js.
pub(super) fn read() -> Vec<Test> {
    let text = |path| fs::read_to_string(path).unwrap_or_default();
    let mut tests = junit::parse(&text(junit::path()));
    for script in [PAGES, SPEED] {
        tests.extend(node_report::parse(&text(node_report::path(script))));
    }
    tests.sort_by_key(|test| std::cmp::Reverse(test.time));
    tests
}
