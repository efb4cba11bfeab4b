//! Reads tables of `kubectl get`, and of servers that print like it.

use serde_json::Value;

use super::fields;
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

    /// Returns the cells of a line by the names of their columns.
    fn row(&self, line: &str) -> Value {
        let mut cells = cells(line, &self.starts, self.names.len()).into_iter();
        let cell = |name: &String| (name.clone(), Value::from(cells.next().unwrap_or_default()));
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

fn object(row: &Value, hints: Hints<'_>) -> Option<Value> {
    let get = |column: &str| row[column].as_str().unwrap_or_default();
    // Tools that print trees of owners draw branches before the names.
    let name = match get("NAME") {
        "" => get("POD"),
        name => name,
    };
    let mut name = name.trim_start_matches(['│', '├', '└', '─', ' ']);
    let mut kind = canonical(get("KIND")).or_else(|| fields::kind_of(row));
    if let Some((before, after)) = name.split_once('/') {
        kind = Some(canonical(before)?);
        name = after;
    }
    let kind = kind.or(hints.kind)?;
    let is_event = kind == "Event" && !get("OBJECT").is_empty();
    if !is_event && (name.is_empty() || name.contains(char::is_whitespace)) {
        return None;
    }
    let mut object = fields::object("table", kind, row, hints);
    object["metadata"]["name"] = name.into();
    // An object that is younger than a minute may still be starting.
    let seconds = get("AGE").strip_suffix('s');
    let seconds = seconds.and_then(|seconds| seconds.parse::<u32>().ok());
    if seconds.is_some_and(|seconds| seconds < 60) {
        object["isYoung"] = true.into();
    }
    Some(object)
}
