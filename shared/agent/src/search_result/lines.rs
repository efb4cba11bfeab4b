//! Searches a result by lines.

use std::borrow::Cow;

use regex::bytes::Regex;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::shown::clipped;
use crate::pattern;

/// If a line is longer, in bytes, the text may be a document without line breaks.
const LONG_LINE: usize = 2_000;

/// The lines of a text. JSON without line breaks gets one line for each value.
pub(super) struct Lines<'a> {
    text: Cow<'a, str>,
    is_spread: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let is_long = text.lines().any(|line| line.len() > LONG_LINE);
        let spread = is_long.then(|| spread(text)).flatten();
        Self {
            is_spread: spread.is_some(),
            text: spread.map_or(Cow::Borrowed(text), Cow::Owned),
        }
    }

    fn all(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    /// Describes the number and kind of lines, for the head of an answer.
    fn counted(&self, count: usize) -> String {
        let lines = if count == 1 { "line" } else { "lines" };
        match self.is_spread {
            true => format!("{count} {lines} of the JSON, one for each value,"),
            false => format!("{count} {lines}"),
        }
    }

    /// Returns the lines that match, with the lines around them.
    pub(super) fn grep(
        &self,
        regex: &Regex,
        expression: &str,
        (before, after): (usize, usize),
        most: usize,
    ) -> String {
        let all = self.all();
        let found: Vec<(usize, usize)> = matches(&all, regex).collect();
        if found.is_empty() {
            return self.no_match(&all, expression);
        }
        let of = self.counted(all.len());
        let mut text = format!("{} of {of} match `{expression}`:", found.len());
        let mut next = 0;
        for (place, (line, _)) in found.iter().enumerate() {
            let (from, to) = window(&all, *line, (before, after), most - most / 4);
            let mut piece = String::new();
            if from > next && next > 0 && before + after > 0 {
                piece.push_str("\n--");
            }
            let around = all.iter().enumerate().take(to).skip(from.max(next));
            for (at, content) in around {
                let hit = found.binary_search_by_key(&at, |(line, _)| *line).ok();
                let start = hit.map_or(0, |hit| found[hit].1);
                piece.push_str(&numbered(at, content, hit.is_some(), start));
            }
            if text.len() + piece.len() > most && place > 0 {
                let left = found.len() - place;
                text.push_str(&format!(
                    "\n[{left} more are not shown, from line {} on; narrow the expression]",
                    line + 1
                ));
                break;
            }
            text.push_str(&piece);
            next = next.max(to);
        }
        text
    }

    fn no_match(&self, all: &[&str], expression: &str) -> String {
        let text = format!(
            "None of {} matches `{expression}`.",
            self.counted(all.len())
        );
        let loose = pattern::compile(&format!("(?i){expression}"));
        let others = loose.map_or(0, |loose| matches(all, &loose).count());
        match others {
            0 => text,
            others => format!("{text} If case is ignored, {others} do: `(?i){expression}`."),
        }
    }

    /// Reports how many lines match.
    pub(super) fn count(&self, regex: &Regex, expression: &str) -> String {
        let all = self.all();
        let found: Vec<usize> = matches(&all, regex).map(|(line, _)| line + 1).collect();
        match found.as_slice() {
            [] => self.no_match(&all, expression),
            [only] => format!("1 of {} matches: line {only}.", self.counted(all.len())),
            [first, .., last] => format!(
                "{} of {} match, the first is line {first}, the last line {last}.",
                found.len(),
                self.counted(all.len())
            ),
        }
    }

    /// Returns the lines around one, by its number from 1.
    pub(super) fn around(
        &self,
        line: usize,
        around: (usize, usize),
        most: usize,
    ) -> Result<String, String> {
        let all = self.all();
        let Some(at) = line.checked_sub(1).filter(|at| *at < all.len()) else {
            return Err(format!(
                "there is no line {line}; there are {}",
                self.counted(all.len())
            ));
        };
        Ok(self.shown(&all, window(&all, at, around, most), at))
    }

    pub(super) fn tail(&self, lines: usize, most: usize) -> String {
        let all = self.all();
        let (mut from, mut size) = (all.len(), 0);
        while from > 0 && all.len() - from < lines.max(1) {
            size += clipped(all[from - 1], 0).len() + 8;
            if size > most && from < all.len() {
                break;
            }
            from -= 1;
        }
        self.shown(&all, (from, all.len()), all.len())
    }

    fn shown(&self, all: &[&str], (from, to): (usize, usize), at: usize) -> String {
        let mut text = format!("Lines {} to {to} of {}:", from + 1, self.counted(all.len()));
        for (line, content) in all.iter().enumerate().take(to).skip(from) {
            text.push_str(&numbered(line, content, line == at, 0));
        }
        text
    }
}

/// Formats a line with its number, as `grep -n` does.
fn numbered(line: usize, content: &str, is_hit: bool, start: usize) -> String {
    let mark = if is_hit { ':' } else { '-' };
    format!("\n{}{mark} {}", line + 1, clipped(content, start))
}

/// Returns the range of lines around one that fit, added in turn above and below it.
fn window(
    all: &[&str],
    line: usize,
    (before, after): (usize, usize),
    most: usize,
) -> (usize, usize) {
    let room = |line: usize| clipped(all[line], 0).len() + 8;
    let (least, end) = (
        line.saturating_sub(before),
        (line + after + 1).min(all.len()),
    );
    let (mut from, mut to, mut size) = (line, line + 1, room(line));
    while (from, to) != (least, end) {
        let up = from.checked_sub(1).filter(|line| *line >= least);
        let down = (to < end).then_some(to);
        size += up.map_or(0, room) + down.map_or(0, room);
        if size > most {
            break;
        }
        from = up.unwrap_or(from);
        to = down.map_or(to, |line| line + 1);
    }
    (from, to)
}

/// Returns the lines that match, with the position of the match.
fn matches<'a>(lines: &'a [&str], regex: &'a Regex) -> impl Iterator<Item = (usize, usize)> + 'a {
    let lines = lines.iter().enumerate();
    lines.filter_map(|(at, line)| Some((at, regex.find(line.as_bytes())?.start())))
}

/// Formats JSON with a line for each value; `None` if the text is not JSON. There is no indentation, because it could
/// make deep JSON a hundred times as long.
fn spread(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let mut written = Vec::new();
    let format = PrettyFormatter::with_indent(b"");
    let mut writer = Serializer::with_formatter(&mut written, format);
    value.serialize(&mut writer).ok()?;
    String::from_utf8(written).ok()
}
