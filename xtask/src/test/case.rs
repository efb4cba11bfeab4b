//! Test cases of a report.

use std::time::Duration;

/// A test that ran.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestCase {
    pub(super) name: String,
    pub(super) time: Duration,
    /// Reason of a failure, in one or two lines.
    pub(super) failure: Option<String>,
}
