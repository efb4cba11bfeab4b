//! The tool that searches an earlier result. It is answered from the transcript.

mod json_path;
mod lines;
mod shown;

use serde_json::{Value, json};
use tarsy_mcp::ToolInfo;

use self::json_path::JsonPath;
use self::lines::Lines;
use crate::embedded_json;
use crate::paging::{self, SEARCH_RESULT};
use crate::pattern;

/// Longest answer, in bytes.
const MOST_SHOWN: usize = 4_000;
/// Most lines before and after a line.
const MOST_AROUND: usize = 100;
/// Default number of lines on each side for `around`.
const AROUND: usize = 10;

const HOW: &str = "Give `result`, the number of an earlier result, and one of `grep`, `count`, `around`, `tail` and `jq`.";

/// Returns the tool, as it is offered.
pub(crate) fn offer() -> ToolInfo {
    paging::own_tool(
        SEARCH_RESULT,
        // The description is short because with native calls it is part of every question.
        "Search all of an earlier result by one of: grep (regex; with lines before and after), count (regex), around (a line), \
         tail (lines), jq (JSON path).",
        json!({
            "type": "object",
            "properties": {
                "result": {"type": "integer"},
                "grep": {"type": "string"},
                "count": {"type": "string"},
                "around": {"type": "integer"},
                "tail": {"type": "integer"},
                "jq": {"type": "string"},
                "before": {"type": "integer"},
                "after": {"type": "integer"},
            },
            "required": ["result"],
        }),
    )
}

/// Searches the text of a result. The error text is for the model, like the answer if nothing is found.
pub(crate) fn answer(
    text: &str,
    result: i32,
    arguments: &Value,
    page_bytes: usize,
) -> Result<String, String> {
    let most = MOST_SHOWN.min(page_bytes);
    let mut asked = vec!["grep", "count", "around", "tail", "jq"];
    asked.retain(|mode| is_given(arguments, mode));
    if asked.len() > 1 {
        // Models that fill in every parameter send 0 for a line number that they don't mean.
        asked.retain(|mode| {
            !matches!(*mode, "around" | "tail") || whole(arguments, mode) != Some(0)
        });
    }
    let [mode] = asked[..] else {
        return Err(HOW.to_owned());
    };
    let words = || {
        let words = arguments.get(mode).and_then(Value::as_str);
        words.ok_or_else(|| format!("`{mode}` must be a text"))
    };
    let number = |name: &str| whole(arguments, name);
    let around = |default: usize| {
        let lines = |name| number(name).map_or(default, |lines| size(lines).min(MOST_AROUND));
        (lines("before"), lines("after"))
    };
    if text.trim().is_empty() {
        return Ok(format!("Result {result} is empty."));
    }
    if mode == "jq" {
        let path = JsonPath::parse(words()?)?;
        let Some((value, _)) = embedded_json::find(text) else {
            return Err(format!("result {result} is no JSON; search it with `grep`"));
        };
        return Ok(path.search(&value, most));
    }
    let lines = Lines::new(text);
    match mode {
        "grep" => {
            let expression = words()?;
            let regex = pattern::compile(expression)?;
            Ok(lines.grep(&regex, expression, around(0), most))
        }
        "count" => {
            let expression = words()?;
            Ok(lines.count(&pattern::compile(expression)?, expression))
        }
        _ => {
            let line = number(mode).ok_or_else(|| format!("`{mode}` must be a whole number"))?;
            match mode {
                "around" => lines.around(size(line), around(AROUND), most),
                _ => Ok(lines.tail(size(line), most)),
            }
        }
    }
}

/// Returns whether an argument is given. Models also send `null` or an empty text for arguments that they leave out.
fn is_given(arguments: &Value, name: &str) -> bool {
    match arguments.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    }
}

/// Returns a whole number, which may also be written as text.
pub(crate) fn whole(arguments: &Value, name: &str) -> Option<i64> {
    match arguments.get(name)? {
        Value::String(text) => text.trim().parse().ok(),
        number => number.as_i64(),
    }
}

/// Converts a number of lines. A negative number counts as zero.
fn size(lines: i64) -> usize {
    usize::try_from(lines.max(0)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
