//! Tables of `kubectl get` and of servers that print like it.

use serde_json::{Map, Value, json};

use super::{fields, get, namespace_or, pairs, reference};
use crate::kind::canonical;
use crate::source::Hints;

/// The objects of all tables in a text.
pub(super) fn objects(text: &str, hints: Hints<'_>) -> Vec<Value> {
    let mut found = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    for line in text.lines() {
        if let Some(header) = header(line) {
            columns = header;
        } else if line.trim().is_empty() {
            columns.clear();
        } else if !columns.is_empty() {
            let row = row(&columns, line);
            found.extend(object(&row, hints));
        }
    }
    found
}

/// A column: its name, and where it begins; `None` in tables whose columns are one space apart.
struct Column {
    name: String,
    start: Option<usize>,
}

/// Words that begin a table.
const FIRST: [&str; 6] = ["NAME", "NAMESPACE", "LAST", "APIVERSION", "POD", "NODE"];

fn header(line: &str) -> Option<Vec<Column>> {
    let first = line.split_whitespace().next()?;
    if !FIRST.contains(&first)
        || line.chars().any(|c| c.is_ascii_lowercase()) && !line.contains("CPU(cores)")
    {
        return None;
    }
    let mut columns = Vec::new();
    let mut at = 0;
    for part in line.split("  ") {
        let name = part.trim();
        if !name.is_empty() {
            let offset = part.len() - part.trim_start().len();
            let start = line
                .get(..at + offset)
                .map_or(0, |before| before.chars().count());
            columns.push(Column {
                name: name.to_owned(),
                start: Some(start),
            });
        }
        at += part.len() + 2;
    }
    if columns.len() == 1 {
        let words = line.split_whitespace().map(str::to_owned);
        columns = words.map(|name| Column { name, start: None }).collect();
    }
    (columns.len() > 1).then_some(columns)
}

type Row = Map<String, Value>;

fn row(columns: &[Column], line: &str) -> Row {
    let chars: Vec<char> = line.chars().collect();
    let words: Vec<&str> = line.split_whitespace().collect();
    let cell = |number: usize, column: &Column| match column.start {
        Some(start) => {
            let end = columns
                .get(number + 1)
                .and_then(|next| next.start)
                .unwrap_or(chars.len())
                .min(chars.len());
            let cell: String = chars.get(start..end).unwrap_or_default().iter().collect();
            cell.trim().to_owned()
        }
        None if number + 1 == columns.len() => words.get(number..).unwrap_or_default().join(" "),
        None => words.get(number).copied().unwrap_or_default().to_owned(),
    };
    let cells = columns.iter().enumerate();
    cells
        .map(|(number, column)| (column.name.clone(), cell(number, column).into()))
        .collect()
}

fn object(row: &Row, hints: Hints<'_>) -> Option<Value> {
    // Trees of owners draw their branches before the names.
    let mut name = get(row, &["NAME", "POD"]).trim_start_matches(['│', '├', '└', '─', ' ']);
    let mut kind = canonical(get(row, &["KIND"]));
    kind = kind.or_else(|| fields::kind_of(|column| row.contains_key(column)));
    if let Some((before, after)) = name.split_once('/')
        && let Some(named) = canonical(before)
    {
        (kind, name) = (Some(named), after);
    } else if name.contains('/') {
        return None;
    }
    let kind = kind.or(hints.kind)?;
    let namespace = namespace_or(get(row, &["NAMESPACE"]), hints);
    if kind == "Event" && !get(row, &["OBJECT"]).is_empty() {
        return Some(json!({
            "kind": "Event",
            "type": get(row, &["TYPE"]),
            "reason": get(row, &["REASON"]),
            "message": get(row, &["MESSAGE"]),
            "involvedObject": reference(get(row, &["OBJECT"]), namespace),
        }));
    }
    if name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    let cell = |column: &str| row.get(column).cloned().unwrap_or_default();
    let mut object = fields::object("table", kind, cell);
    object["kind"] = kind.into();
    object["metadata"] = json!({"name": name, "namespace": namespace});
    // What is younger than a minute may still start.
    let seconds = get(row, &["AGE"]).strip_suffix('s');
    let seconds = seconds.and_then(|seconds| seconds.parse::<u32>().ok());
    if seconds.is_some_and(|seconds| seconds < 60) {
        object["isYoung"] = true.into();
    }
    let labels = get(row, &["LABELS"]);
    if !labels.is_empty() {
        object["metadata"]["labels"] = pairs(labels, '=');
    }
    Some(object)
}
