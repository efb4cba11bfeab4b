//! Reads lines as a tree by their indentation: text of `kubectl describe`, and YAML, even if it is cut off.
//!
//! A strict YAML parser would reject a result that was cut at a size limit, or that has a remark above the data.

use serde_json::{Map, Value};

/// A line, or the text after the dash of an item, with the more indented lines below it.
#[derive(Debug)]
struct Section<'t> {
    depth: usize,
    /// Text before the colon that ends a key, or the dash of an item; empty if there is neither.
    key: &'t str,
    value: &'t str,
    /// The whole line, trimmed; empty for the text after a dash.
    raw: &'t str,
    children: Vec<Section<'t>>,
}

/// Maximum depth of the tree. Lines that are indented further stay at this level.
const DEEPEST: usize = 48;
const DASH: &str = "-";

fn sections<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<Section<'t>> {
    let mut open: Vec<Section<'t>> = Vec::new();
    let mut top = Vec::new();
    for line in lines {
        let mut raw = line.trim();
        let mut rest = raw;
        while !rest.is_empty() {
            let is_item = rest == DASH || rest.starts_with("- ");
            // Items of a key may have the same indentation as the key.
            let depth = (line.trim_end().len() - rest.len()) * 2 + usize::from(is_item);
            while open.last().is_some_and(|last| last.depth >= depth) || open.len() > DEEPEST {
                close(&mut open, &mut top);
            }
            let (key, value) = if is_item { (DASH, "") } else { pair(rest) };
            open.push(Section {
                depth,
                key,
                value,
                raw,
                children: Vec::new(),
            });
            rest = if is_item { rest[1..].trim_start() } else { "" };
            raw = "";
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

fn close<'t>(open: &mut Vec<Section<'t>>, top: &mut Vec<Section<'t>>) {
    if let Some(closed) = open.pop() {
        let outer = open.last_mut().map_or(top, |outer| &mut outer.children);
        outer.push(closed);
    }
}

/// Splits a line into key and value. A line without a key is only a value.
fn pair(text: &str) -> (&str, &str) {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let mut colons = text.match_indices(':').map(|(at, _)| text.split_at(at));
    match colons.find(|(_, rest)| is_end(&rest[1..])) {
        Some((key, rest)) => (key, rest[1..].trim()),
        None => ("", text),
    }
}

/// Returns the objects that a text of `kubectl describe` shows, each with its lines by key.
///
/// A line with others below it becomes an object, which has its text and theirs under the empty key.
pub(super) fn descriptions(text: &str) -> Vec<Value> {
    let all = sections(text.lines());
    let is_first = |section: &Section<'_>| section.key == "Name" && section.depth == 0;
    let objects = all.chunk_by(|_, next| !is_first(next));
    let objects = objects.filter(|all| is_first(&all[0]));
    objects.map(|all| by_key(all).into()).collect()
}

fn by_key(sections: &[Section<'_>]) -> Map<String, Value> {
    let mut lines = Map::new();
    for section in sections {
        let mut text = match section.value {
            "<none>" | "<unset>" | "<nil>" => String::new(),
            value => value.to_owned(),
        };
        let mut below = by_key(&section.children);
        for child in &section.children {
            text = format!("{text}\n{}", child.raw);
        }
        match lines.get_mut(section.key) {
            // A service repeats the lines of its ports. Of other repeated keys the first counts.
            Some(Value::String(known)) if section.key.ends_with("Port") => {
                *known = format!("{known}\n{text}");
            }
            Some(_) => {}
            None if below.is_empty() => drop(lines.insert(section.key.to_owned(), text.into())),
            None => {
                below.insert(String::new(), text.into());
                lines.insert(section.key.to_owned(), below.into());
            }
        }
    }
    lines
}

/// Returns the documents of a YAML text.
///
/// Parts with another indentation, or that change between keyed and other lines, become separate documents.
pub(super) fn yaml(text: &str) -> Vec<Value> {
    let is_data = |line: &&str| !line.trim().starts_with("# ") && line.trim() != "---";
    text.split("\n---")
        .flat_map(|document| {
            let top = sections(document.lines().filter(is_data));
            let level = |section: &Section<'_>| (section.depth, section.key.is_empty());
            let parts = top.chunk_by(|one, other| level(one) == level(other));
            parts.map(block).collect::<Vec<_>>()
        })
        .collect()
}

fn block(sections: &[Section<'_>]) -> Value {
    let Some(first) = sections.first() else {
        return Value::Null;
    };
    match first.key {
        "" => scalar(first.value),
        DASH => {
            let items = sections.iter().filter(|section| section.key == DASH);
            items.map(value_of).collect()
        }
        _ => {
            let name = |pair: &Section<'_>| pair.key.trim_matches(['"', '\'']).to_owned();
            let pairs = sections.iter();
            let pairs = pairs.filter(|section| !["", DASH].contains(&section.key));
            pairs.map(|pair| (name(pair), value_of(pair))).collect()
        }
    }
}

/// Returns the value of a key or an item.
fn value_of(section: &Section<'_>) -> Value {
    let mut lines = Vec::new();
    match section.value {
        "" => block(&section.children),
        "|" | "|-" | "|+" | ">" | ">-" | ">+" => {
            below(section, &mut lines);
            lines.join("\n").into()
        }
        value => {
            lines.push(value);
            below(section, &mut lines);
            scalar(&lines.join(" "))
        }
    }
}

/// Collects the lines below a section.
fn below<'t>(section: &Section<'t>, lines: &mut Vec<&'t str>) {
    for child in &section.children {
        lines.extend(Some(child.raw).filter(|raw| !raw.is_empty()));
        below(child, lines);
    }
}

fn scalar(text: &str) -> Value {
    let is_json = |c: char| c.is_ascii_digit() || "-[{\"ntf".contains(c);
    if text.starts_with(is_json)
        && let Ok(value) = serde_json::from_str(text)
        && !Value::is_f64(&value)
    {
        return value;
    }
    let opened = text.strip_prefix('\'');
    match opened.and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'").into(),
        None if text == "~" => Value::Null,
        None => text.trim_matches('"').into(),
    }
}
