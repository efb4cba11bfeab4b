//! Reads rows of JSON lines files.

use std::io::Read;

use serde_json::{Map, Value};

use super::encoding::Utf8Reader;
use super::split::{Piece, Splitter};
use super::{Outcome, Row, excerpt, values};
use crate::mapping::{Field, Mapping};

/// Rows of a JSON lines file.
pub(crate) struct JsonRows<R> {
    splitter: Splitter<R>,
    fields: Vec<Field>,
}

impl<R: Read> JsonRows<Utf8Reader<R>> {
    pub(crate) fn new(reader: Utf8Reader<R>, mapping: &Mapping) -> Self {
        Self {
            splitter: Splitter::new(reader, None),
            fields: mapping.fields.clone(),
        }
    }

    pub(crate) fn next(&mut self) -> std::io::Result<Option<Row>> {
        let Some(piece) = self.splitter.next()? else {
            return Ok(None);
        };
        let (bytes, line, broken) = match piece {
            Piece::Record { bytes, line, .. } => (bytes, line, None),
            Piece::Broken {
                bytes,
                line,
                reason,
            } => (bytes, line, Some(reason)),
        };
        let text = self.splitter.bytes(bytes);
        let outcome = match broken {
            Some(reason) => Err(reason.to_owned()),
            None if text.trim_ascii().is_empty() => Ok(Outcome::Empty),
            None => self.values(text),
        };
        let outcome = outcome.unwrap_or_else(|reason| Outcome::Rejected {
            reason,
            excerpt: excerpt(text),
        });
        Ok(Some(Row { line, outcome }))
    }

    fn values(&self, text: &[u8]) -> Result<Outcome, String> {
        let object: Map<String, Value> =
            serde_json::from_slice(text).map_err(|error| format!("not a JSON object: {error}"))?;
        let mut found = Map::new();
        for field in &self.fields {
            let value = match member(&object, field.column()) {
                Some(value) => values::from_json(field, value)?,
                None => None,
            };
            match value {
                Some(value) => {
                    found.insert(field.name.clone(), value);
                }
                None if field.required => return Err(format!("`{}` is empty", field.name)),
                None => {}
            }
        }
        Ok(match found.is_empty() {
            true => Outcome::Empty,
            false => Outcome::Values(found),
        })
    }
}

/// Returns a member by name, or else by path.
fn member<'o>(object: &'o Map<String, Value>, path: &str) -> Option<&'o Value> {
    if let Some(value) = object.get(path) {
        return Some(value);
    }
    let (first, rest) = path.split_once('.')?;
    member(object.get(first)?.as_object()?, rest)
}

#[cfg(test)]
mod tests {
    use encoding_rs::UTF_8;

    use super::super::encoding::Utf8Reader;
    use super::{JsonRows, Outcome};
    use crate::mapping::Mapping;

    #[test]
    fn lines_are_read_or_rejected() {
        let mapping =
            "fields: [{name: id, column: host.id, required: true}, {name: n, type: integer}]";
        let mapping = Mapping::parse("m", mapping).unwrap();
        let text = b"{\"host\":{\"id\":\"a\"},\"n\":1}\n\n{\"host\":{}}\n[1]\n{\"host\":{\"id\":2}}\n{\"host.id\":\"c\",\"n\":\"x\"}\n{\"x";
        let reader = Utf8Reader::new(&b""[..], UTF_8, text.to_vec());
        let mut rows = JsonRows::new(reader, &mapping);
        let mut shown = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            shown.push(match row.outcome {
                Outcome::Values(values) => format!("{} {}", row.line, values["id"]),
                Outcome::Empty => format!("{} empty", row.line),
                Outcome::Rejected { reason, .. } => format!("{} {}", row.line, &reason[..9]),
            });
        }
        assert_eq!(
            shown,
            [
                "1 \"a\"",
                "2 empty",
                "3 `id` is e",
                "4 not a JSO",
                "5 \"2\"",
                "6 `n`: `x` ",
                "7 not a JSO"
            ]
        );
    }
}
