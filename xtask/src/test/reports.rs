//! Reads the reports of the test runners: the duration of each test, and why some failed.

use std::fs;

use super::case::TestCase;
use super::junit;
use super::node_report::{self, PAGES, SPEED};

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

/// Returns all tests, slowest first; empty if none ran, or without nextest and Node.js.
pub(super) fn read() -> Vec<TestCase> {
    let text = |path| fs::read_to_string(path).unwrap_or_default();
    let mut tests = junit::parse(&text(junit::path()));
    for script in [PAGES, SPEED] {
        tests.extend(node_report::parse(&text(node_report::path(script))));
    }
    tests.sort_by_key(|test| std::cmp::Reverse(test.time));
    tests
}
