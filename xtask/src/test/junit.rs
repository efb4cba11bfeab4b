//! Parses nextest's report.

use std::path::PathBuf;
use std::time::Duration;

use super::case::TestCase;
use crate::workspace;

/// Path of the report, as set in `.config/nextest.toml`.
pub(super) fn path() -> PathBuf {
    workspace::target().join("nextest/default/junit.xml")
}

/// Parses each `<testcase name=".." classname=".." .. time="1.234">` with its `<failure message="..">`.
pub(super) fn parse(junit: &str) -> Vec<TestCase> {
    let cases = junit.split("<testcase ").skip(1);
    cases
        .filter_map(|case| {
            let (attributes, inside) = case.split_once('>')?;
            let seconds: f64 = attribute(attributes, "time")?.parse().ok()?;
            let failure = inside.split_once("<failure ").map(|(_, failure)| {
                let (attributes, _) = failure.split_once('>').unwrap_or((failure, ""));
                let why =
                    attribute(attributes, "message").or_else(|| attribute(attributes, "type"));
                why.unwrap_or_default()
            });
            Some(TestCase {
                name: format!(
                    "{} {}",
                    attribute(attributes, "classname")?,
                    attribute(attributes, "name")?
                ),
                time: Duration::try_from_secs_f64(seconds).ok()?,
                failure,
            })
        })
        .collect()
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let attributes = format!(" {attributes}");
    let (_, rest) = attributes.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    let plain = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#10;", "\n"),
        ("&amp;", "&"),
    ];
    let unescape = |value: String, (escaped, plain)| value.replace(escaped, plain);
    Some(plain.into_iter().fold(value.to_owned(), unescape))
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
        <testcase name="up::stops" classname="tarsy-tests::it" timestamp="2026-11-24T06:45:12Z" time="0.25">
            <failure message="panicked at &lt;up.rs&gt;:&#10;&quot;2&quot;" type="test failure with exit code 101">panicked</failure>
        </testcase>
    </testsuite>
</testsuites>"#;
        let test = |name: &str, milliseconds, failure: Option<&str>| TestCase {
            name: name.to_owned(),
            time: Duration::from_millis(milliseconds),
            failure: failure.map(str::to_owned),
        };
        assert_eq!(
            parse(report),
            [
                test("tarsy-tests::it burst::each_is_accepted", 1250, None),
                test("tarsy-tests::it up::drains", 500, None),
                test(
                    "tarsy-tests::it up::stops",
                    250,
                    Some("panicked at <up.rs>:\n\"2\"")
                )
            ]
        );
    }
}
