//! YAML as Kubernetes writes it, also if it is cut off.
//!
//! A strict reader would reject a result that was cut at a size limit, or has a remark above the data.

use serde_json::{Map, Value};

/// Deeper levels are dropped.
const DEEPEST: usize = 48;

/// The documents of a text.
pub(super) fn read(text: &str) -> Vec<Value> {
    let mut documents = Vec::new();
    for document in text.split("\n---") {
        let lines = document.lines().filter(|line| {
            let shown = line.trim();
            !shown.is_empty() && !shown.starts_with("# ") && shown != "---"
        });
        let lines: Vec<(usize, &str)> = lines
            .map(|line| {
                let shown = line.trim_start();
                (line.len() - shown.len(), shown.trim_end())
            })
            .collect();
        let mut reader = Reader { lines, at: 0 };
        while reader.at < reader.lines.len() {
            let before = reader.at;
            let indent = reader.lines[before].0;
            documents.push(reader.block(indent, 0));
            // A line that fits nowhere is left out.
            reader.at = reader.at.max(before + 1);
        }
    }
    documents
}

struct Reader<'a> {
    lines: Vec<(usize, &'a str)>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<(usize, &'a str)> {
        self.lines.get(self.at).copied()
    }

    fn block(&mut self, indent: usize, depth: usize) -> Value {
        match self.peek() {
            Some((_, line)) if is_item(line) => self.sequence(indent, depth),
            Some((_, line)) if split(line).is_some() => self.mapping(indent, depth),
            Some((_, line)) => {
                self.at += 1;
                scalar(line)
            }
            None => Value::Null,
        }
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Value {
        let mut items = Vec::new();
        while let Some((found, line)) = self.peek() {
            if found != indent || !is_item(line) {
                break;
            }
            let rest = line[1..].trim_start();
            if rest.is_empty() {
                self.at += 1;
                items.push(self.nested(indent, depth, false));
            } else if depth > DEEPEST {
                self.at += 1;
            } else {
                let inner = indent + (line.len() - rest.len());
                self.lines[self.at] = (inner, rest);
                let before = self.at;
                items.push(self.block(inner, depth + 1));
                self.at = self.at.max(before + 1);
            }
        }
        Value::Array(items)
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Value {
        let mut map = Map::new();
        while let Some((found, line)) = self.peek() {
            if found != indent || is_item(line) {
                break;
            }
            let Some((key, value)) = split(line) else {
                break;
            };
            self.at += 1;
            let value = match value {
                "" => self.nested(indent, depth, true),
                "|" | "|-" | "|+" | ">" | ">-" | ">+" => {
                    Value::String(self.deeper(indent).join("\n"))
                }
                text => {
                    let mut whole = text.to_owned();
                    for more in self.deeper(indent) {
                        whole.push(' ');
                        whole.push_str(more);
                    }
                    scalar(&whole)
                }
            };
            map.insert(key.trim_matches(['"', '\'']).to_owned(), value);
        }
        Value::Object(map)
    }

    /// What belongs to a key or dash whose line ends after it. Items of a key may be as far in as the key.
    fn nested(&mut self, indent: usize, depth: usize, is_key: bool) -> Value {
        match self.peek() {
            Some(_) if depth > DEEPEST => {
                self.deeper(indent);
                Value::Null
            }
            Some((found, line))
                if found > indent || (is_key && found == indent && is_item(line)) =>
            {
                let before = self.at;
                let value = self.block(found, depth + 1);
                self.at = self.at.max(before + 1);
                value
            }
            _ => Value::Null,
        }
    }

    /// Takes the lines that are further in.
    fn deeper(&mut self, indent: usize) -> Vec<&'a str> {
        let mut taken = Vec::new();
        while let Some((found, line)) = self.peek() {
            if found <= indent {
                break;
            }
            taken.push(line);
            self.at += 1;
        }
        taken
    }
}

fn is_item(line: &str) -> bool {
    line == "-" || line.starts_with("- ")
}

/// Key and value of a line.
fn split(line: &str) -> Option<(&str, &str)> {
    if let Some(key) = line.strip_suffix(':') {
        return Some((key, ""));
    }
    let (key, value) = line.split_once(": ")?;
    (!key.is_empty()).then(|| (key, value.trim()))
}

fn scalar(text: &str) -> Value {
    match text {
        "null" | "~" => return Value::Null,
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        _ => {}
    }
    if text.starts_with(['{', '[', '"'])
        && let Ok(value) = serde_json::from_str(text)
    {
        return value;
    }
    if let Ok(number) = text.parse::<i64>() {
        return number.into();
    }
    let quoted = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    match quoted {
        Some(inner) => Value::String(inner.replace("''", "'")),
        None => Value::String(text.trim_matches('"').to_owned()),
    }
}
