//! Reads tables of `kubectl get`, and of servers that print like it.

use serde_json::{Map, Value, json};

use super::{event, fields, get, namespace_or, pairs, reference};
use crate::kind::canonical;
use crate::source::Hints;

/// Returns the objects of all tables in a text.
pub(super) fn objects(text: &str, hints: Hints<'_>) -> Vec<Value> {
    let mut found = Vec::new();
    let mut table: Option<Table> = None;
    for line in text.lines() {
        if let Some(header) = Table::from_header(line) {
            table = Some(header);
        } else if line.trim().is_empty() {
            table = None;
        } else if let Some(table) = &table {
            found.extend(object(&table.row(line), hints));
        }
    }
    found
}

/// The columns of a table.
struct Table {
    names: Vec<String>,
    /// Start of each column, in characters; a single start if columns are one space apart.
    starts: Vec<usize>,
}

/// First words of table headers.
const FIRST: [&str; 6] = ["NAME", "NAMESPACE", "LAST", "APIVERSION", "POD", "NODE"];

type Row = Map<String, Value>;

impl Table {
    fn from_header(line: &str) -> Option<Self> {
        let has_lower = line.contains(|c: char| c.is_ascii_lowercase());
        let first = line.split_whitespace().next()?;
        if !FIRST.contains(&first) || has_lower && !line.contains("CPU(cores)") {
            return None;
        }
        let chars: Vec<char> = line.chars().collect();
        let is_start = |at: &usize| {
            let mut before = chars[..*at].iter().rev().take(2);
            chars[*at] != ' ' && before.all(|c| *c == ' ')
        };
        let starts: Vec<usize> = (0..chars.len()).filter(is_start).collect();
        let names = cells(line, &starts, usize::MAX);
        (names.len() > 1).then_some(Self { names, starts })
    }

    fn row(&self, line: &str) -> Row {
        let mut cells = cells(line, &self.starts, self.names.len()).into_iter();
        let cell = |name: &String| (name.clone(), cells.next().unwrap_or_default().into());
        self.names.iter().map(cell).collect()
    }
}

/// Splits a line into cells: at the starts of columns, or into at most `most` words if there is a single start.
fn cells(line: &str, starts: &[usize], most: usize) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let ends = starts.iter().skip(1).copied().chain([chars.len()]);
    let cell = |(start, end): (&usize, usize)| {
        let cell = chars.get(*start..end.min(chars.len())).unwrap_or_default();
        cell.iter().collect::<String>().trim().to_owned()
    };
    if starts.len() > 1 {
        return starts.iter().zip(ends).map(cell).collect();
    }
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let rest = words.split_off(words.len().min(most.saturating_sub(1)));
    words.extend(Some(rest.join(" ")).filter(|rest| !rest.is_empty()));
    words
}

fn object(row: &Row, hints: Hints<'_>) -> Option<Value> {
    // Tools that print trees of owners draw branches before the names.
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
        let (reason, message) = (get(row, &["REASON"]), get(row, &["MESSAGE"]));
        let about = reference(get(row, &["OBJECT"]), namespace);
        return Some(event(reason, message, about));
    }
    if name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    let cell = |column: &str| row.get(column).cloned().unwrap_or_default();
    let mut object = fields::object("table", kind, cell);
    object["kind"] = kind.into();
    object["metadata"] = json!({"name": name, "namespace": namespace});
    // An object that is younger than a minute may still be starting.
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
