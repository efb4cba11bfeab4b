//! Slowest tests, from nextest's report.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::workspace;

/// Tests that are shown.
const SHOWN: usize = 12;

/// A test and how long it took.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TimedTest {
    pub(super) name: String,
    pub(super) time: Duration,
}

/// Deletes the report of an earlier run.
pub(super) fn forget() {
    fs::remove_file(report()).ok();
}

/// Timed tests, slowest first; empty if no tests ran, or without nextest.
pub(super) fn read() -> Vec<TimedTest> {
    let text = fs::read_to_string(report()).unwrap_or_default();
    let mut tests = parse(&text);
    tests.sort_by_key(|test| std::cmp::Reverse(test.time));
    tests.truncate(SHOWN);
    tests
}

/// Path of the report, as set in `.config/nextest.toml`.
fn report() -> PathBuf {
    workspace::target().join("nextest/default/junit.xml")
}

/// Parses each `<testcase name=".." classname=".." .. time="1.234">`.
fn parse(junit: &str) -> Vec<TimedTest> {
    let cases = junit.split("<testcase ").skip(1);
    cases
        .filter_map(|case| {
            let (attributes, _) = case.split_once('>')?;
            let value = |name: &str| {
                let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
                rest.split_once('"').map(|(value, _)| value)
            };
            let seconds: f64 = value(" time")?.parse().ok()?;
            let (name, binary) = (case.strip_prefix("name=\"")?, value("classname")?);
            let (name, _) = name.split_once('"')?;
            Some(TimedTest {
                name: format!("{binary} {name}"),
                time: Duration::try_from_secs_f64(seconds).ok()?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_nextest_writes() {
        let report = r#"<testsuites name="nextest-run" tests="2" time="3.210">
    <testsuite name="tarsy-tests::it" tests="2" disabled="0" errors="0" failures="0">
        <testcase name="burst::each_is_accepted" classname="tarsy-tests::it" timestamp="2026-11-24T06:45:10Z" time="1.250">
        </testcase>
        <testcase name="up::drains" classname="tarsy-tests::it" timestamp="2026-11-24T06:45:12Z" time="0.5"/>
    </testsuite>
</testsuites>"#;
        let timed = |name: &str, milliseconds| TimedTest {
            name: name.to_owned(),
            time: Duration::from_millis(milliseconds),
        };
        assert_eq!(
            parse(report),
            [
                timed("tarsy-tests::it burst::each_is_accepted", 1250),
                timed("tarsy-tests::it up::drains", 500)
            ]
        );
    }
}
