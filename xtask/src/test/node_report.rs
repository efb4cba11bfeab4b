//! Parses the report of the browser tests (`web/tests/lib/reporter.mjs`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::case::TestCase;
use crate::workspace;

/// Script of `web/package.json` that tests the pages.
pub(super) const PAGES: &str = "e2e:pages";

/// Script of `web/package.json` that tests response times of the web apps.
pub(super) const SPEED: &str = "e2e:speed";

/// Returns the path of a script's report.
pub(super) fn path(script: &str) -> PathBuf {
    let name = script.replace(':', "-");
    workspace::target().join(format!("xtask/logs/{name}.jsonl"))
}

/// Line of the report.
#[derive(Deserialize)]
struct Line {
    file: Option<String>,
    name: String,
    milliseconds: f64,
    failure: Option<String>,
}

/// Parses each line. A line that is incomplete because its process ended is skipped.
pub(super) fn parse(lines: &str) -> Vec<TestCase> {
    let lines = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    lines.filter_map(test).collect()
}

fn test(line: Line) -> Option<TestCase> {
    let file = line.file.as_deref().map(Path::new);
    let file = file
        .and_then(|file| file.strip_prefix(workspace::root()).ok().or(Some(file)))
        .map(|file| file.display().to_string());
    let is_file = Some(line.name.as_str()) == line.file.as_deref();
    let name = match file {
        Some(file) if is_file => file,
        Some(file) => format!("{file} {}", line.name),
        None => line.name,
    };
    Some(TestCase {
        name,
        time: Duration::try_from_secs_f64(line.milliseconds / 1000.0).ok()?,
        failure: line.failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_reporter_writes() {
        let file = workspace::root().join("web/tests/list.test.mjs");
        let file = file.display();
        let report = format!(
            "{{\"file\":\"{file}\",\"name\":\"sorts\",\"milliseconds\":1250}}
{{\"file\":\"{file}\",\"name\":\"pages on\",\"milliseconds\":500,\"failure\":\"1 == 2\"}}
{{\"file\":\"{file}\",\"name\":\"{file}\",\"milliseconds\":250,\"failure\":\"timed out\"}}
{{\"file\":\"{file}\",\"na"
        );
        let test = |name: &str, milliseconds, failure: Option<&str>| TestCase {
            name: name.to_owned(),
            time: Duration::from_millis(milliseconds),
            failure: failure.map(str::to_owned),
        };
        assert_eq!(
            parse(&report),
            [
                test("web/tests/list.test.mjs sorts", 1250, None),
                test("web/tests/list.test.mjs pages on", 500, Some("1 == 2")),
                test("web/tests/list.test.mjs", 250, Some("timed out")),
            ]
        );
    }
}
