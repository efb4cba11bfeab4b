//! Tests of the check of answers.
#![expect(clippy::unwrap_used, reason = "tests")]

mod near_misses;
mod pairs;
mod properties;
mod verdicts;
