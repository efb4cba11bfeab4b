//! A test case of a report.

use std::time::Duration;

/// A test that ran.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestCase {
    pub(super) name: String,
    pub(super) time: Duration,
    /// Why it failed, in a line or two.
    pub(super) failure: Option<String>,
}
