//! Reads rows of delimited files.

use std::io::Read;

use serde_json::Map;

use super::cells::Cells;
use super::encoding::Utf8Reader;
use super::split::{Piece, Splitter};
use super::{Outcome, Row, excerpt, values};
use crate::error::{Error, Result};
use crate::mapping::{Field, Mapping};

/// Rows of a file with a header.
pub(crate) struct CsvRows<R> {
    splitter: Splitter<R>,
    cells: Cells,
    /// Number of header cells.
    width: usize,
    /// Fields with the index of their cell.
    columns: Vec<(Field, usize)>,
    /// Whether the decoder replaces invalid characters.
    is_lossy: bool,
}

impl<R: Read> CsvRows<Utf8Reader<R>> {
    /// Reads the header: the first record that isn't empty.
    pub(crate) fn open(
        reader: Utf8Reader<R>,
        file: &str,
        mapping: &Mapping,
        delimiter: u8,
    ) -> Result<Self> {
        let is_lossy = reader.is_lossy();
        let mut splitter = Splitter::new(reader, mapping.quoting.then_some(delimiter));
        let mut cells = Cells::new(delimiter, mapping.quoting);
        let headers = loop {
            match splitter.next().map_err(Error::file("read", file))? {
                None => {
                    return Err(Error::invalid(
                        file,
                        "the file is empty: a header is needed",
                    ));
                }
                Some(Piece::Broken { reason, .. }) => {
                    return Err(Error::invalid(
                        file,
                        format!("the header is broken: {reason}"),
                    ));
                }
                Some(Piece::Record { bytes, .. }) => {
                    cells.parse(splitter.bytes(bytes));
                    let headers: Vec<String> = cells.all().map(header).collect();
                    if headers.iter().any(|header| !header.is_empty()) {
                        break headers;
                    }
                }
            }
        };
        let columns = mapping.fields.iter().map(|field| {
            let index =
                column(&headers, field.column()).map_err(|reason| Error::invalid(file, reason))?;
            Ok((field.clone(), index))
        });
        Ok(Self {
            columns: columns.collect::<Result<_>>()?,
            width: headers.len(),
            splitter,
            cells,
            is_lossy,
        })
    }

    pub(crate) fn next(&mut self) -> std::io::Result<Option<Row>> {
        let Some(piece) = self.splitter.next()? else {
            return Ok(None);
        };
        let (line, outcome) = match piece {
            Piece::Broken {
                bytes,
                line,
                reason,
            } => {
                let excerpt = excerpt(self.splitter.bytes(bytes));
                let reason = reason.to_owned();
                (line, Outcome::Rejected { reason, excerpt })
            }
            Piece::Record {
                bytes,
                line,
                lines,
                has_trailing_text,
            } => {
                let width = self.cells.parse(self.splitter.bytes(bytes.clone()));
                let is_empty = self.cells.all().all(<[u8]>::is_ascii_blank);
                let outcome = if is_empty {
                    Ok(Outcome::Empty)
                } else if lines > 1 && has_trailing_text {
                    Err("a quoted cell goes on after its closing quote".to_owned())
                } else if width != self.width && !self.has_blank_rest(width) {
                    let (shown, expected) = (width, self.width);
                    Err(format!("{shown} cells, but the header has {expected}"))
                } else {
                    self.values().map(Outcome::Values)
                };
                let outcome = outcome.unwrap_or_else(|mut reason| {
                    let mut excerpt = excerpt(self.splitter.bytes(bytes));
                    if lines > 1 && (has_trailing_text || width != self.width) {
                        // A quote was probably closed by the quote of a later row. Parse the rows in between again.
                        self.splitter.keep_first_line_only();
                        reason = format!(
                            "{reason}; the record spans {lines} lines, is a quote not closed?"
                        );
                        excerpt = excerpt.lines().next().unwrap_or_default().to_owned();
                    }
                    Outcome::Rejected { reason, excerpt }
                });
                (line, outcome)
            }
        };
        Ok(Some(Row { line, outcome }))
    }

    /// Whether the cells beyond the header are all blank.
    fn has_blank_rest(&self, width: usize) -> bool {
        width > self.width
            && (self.width..width).all(|index| self.cells.get(index).is_ascii_blank())
    }

    fn values(&self) -> std::result::Result<Map<String, serde_json::Value>, String> {
        let mut found = Map::new();
        for (field, index) in &self.columns {
            let cell = self.cells.get(*index);
            let text = match std::str::from_utf8(cell) {
                Ok(text) => text,
                Err(error) => {
                    let at = error.valid_up_to();
                    return Err(format!(
                        "`{}` is not valid UTF-8 at its byte {at}",
                        field.name
                    ));
                }
            };
            if self.is_lossy && text.contains('\u{fffd}') {
                return Err(format!(
                    "`{}` holds a character that can't be decoded",
                    field.name
                ));
            }
            match values::from_text(field, text)? {
                Some(value) => {
                    found.insert(field.name.clone(), value);
                }
                None if field.required => return Err(format!("`{}` is empty", field.name)),
                None => {}
            }
        }
        Ok(found)
    }
}

/// Normalises a header: white space is trimmed and collapsed.
fn header(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the index of a column by name. `name#2` is the second column of that name.
fn column(headers: &[String], wanted: &str) -> std::result::Result<usize, String> {
    let matching = |name: &str| -> Vec<usize> {
        let name = header(name.as_bytes());
        let all = headers.iter().enumerate();
        all.filter(|(_, header)| header.to_lowercase() == name.to_lowercase())
            .map(|(index, _)| index)
            .collect()
    };
    let found = matching(wanted);
    if let Some((name, number)) = wanted.rsplit_once('#')
        && found.is_empty()
        && let Ok(number) = number.parse::<usize>()
    {
        let found = matching(name);
        let index = number.checked_sub(1).and_then(|index| found.get(index));
        return index
            .copied()
            .ok_or_else(|| format!("there are {} columns `{name}`, not {number}", found.len()));
    }
    match found.as_slice() {
        [index] => Ok(*index),
        [] => Err(format!(
            "there is no column `{wanted}`; the header has: {}",
            headers.join(", ")
        )),
        many => Err(format!(
            "column `{wanted}` occurs {} times: name `{wanted}#1` or `{wanted}#2` in the mapping",
            many.len()
        )),
    }
}

trait Blank {
    fn is_ascii_blank(&self) -> bool;
}

impl Blank for [u8] {
    fn is_ascii_blank(&self) -> bool {
        self.iter().all(u8::is_ascii_whitespace)
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{UTF_8, UTF_16LE};

    use super::super::encoding::Utf8Reader;
    use super::{CsvRows, Outcome};
    use crate::mapping::Mapping;

    const MAPPING: &str = "fields: [{name: id, required: true}, {name: note, column: 'Long  note'}, {name: slot, type: integer}]";

    fn rows(text: &[u8], mapping: &str) -> Vec<(u64, String)> {
        let mapping = Mapping::parse("m", mapping).unwrap();
        let reader = Utf8Reader::new(&b""[..], UTF_8, text.to_vec());
        let mut rows = CsvRows::open(reader, "f", &mapping, b',').unwrap();
        std::iter::from_fn(|| rows.next().unwrap())
            .map(|row| {
                let shown = match row.outcome {
                    Outcome::Values(values) => serde_json::to_string(&values).unwrap(),
                    Outcome::Empty => "empty".to_owned(),
                    Outcome::Rejected { reason, .. } => format!("rejected: {reason}"),
                };
                (row.line, shown)
            })
            .collect()
    }

    #[test]
    fn each_row_is_read_or_rejected_with_its_line() {
        let text = b"\xef\xbb\xbf\nID,long note,Slot\n1,\"a\nb\",3\n,,\n2,x\n3,\xff,\n,x,\n4,x,y\n5,,,,\n6,\"open,1\n7,\"b\",2\n8,c,3\n";
        let found = rows(text, MAPPING);
        let shown: Vec<_> = found
            .iter()
            .map(|(line, text)| (*line, text.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (3, r#"{"id":"1","note":"a\nb","slot":3}"#),
                (5, "empty"),
                (6, "rejected: 2 cells, but the header has 3"),
                (7, "rejected: `note` is not valid UTF-8 at its byte 0"),
                (8, "rejected: `id` is empty"),
                (9, "rejected: `slot`: `y` is not an integer"),
                (10, r#"{"id":"5"}"#),
                (
                    11,
                    "rejected: a quoted cell goes on after its closing quote; the record spans 2 lines, is a quote not closed?"
                ),
                (12, r#"{"id":"7","note":"b","slot":2}"#),
                (13, r#"{"id":"8","note":"c","slot":3}"#),
            ]
        );
    }

    #[test]
    fn duplicate_headers_must_be_distinguished() {
        let open = |column: &str| {
            let mapping =
                Mapping::parse("m", &format!("fields: [{{name: a, column: '{column}'}}]")).unwrap();
            let reader = Utf8Reader::new(&b""[..], UTF_8, b"Notes,notes,x\n1,2,3\n".to_vec());
            CsvRows::open(reader, "f", &mapping, b',')
                .map(|mut rows| rows.next().unwrap().unwrap().outcome)
        };
        let value = |column| match open(column) {
            Ok(Outcome::Values(values)) => values["a"].clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(value("Notes#1"), "1");
        assert_eq!(value("Notes#2"), "2");
        assert!(
            open("Notes")
                .unwrap_err()
                .to_string()
                .contains("occurs 2 times")
        );
        assert!(open("Notes#3").unwrap_err().to_string().contains("not 3"));
        assert!(
            open("y")
                .unwrap_err()
                .to_string()
                .contains("the header has: Notes")
        );
    }

    #[test]
    fn what_can_not_be_decoded_is_rejected() {
        let mapping = Mapping::parse("m", "fields: [{name: a}]").unwrap();
        let mut bytes: Vec<u8> = "a\ngrün\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        bytes.extend([0x00, 0xd8, b'\n', 0]);
        let reader = Utf8Reader::new(&b""[..], UTF_16LE, bytes);
        let mut rows = CsvRows::open(reader, "f", &mapping, b',').unwrap();
        assert!(matches!(
            rows.next().unwrap().unwrap().outcome,
            Outcome::Values(_)
        ));
        assert!(matches!(
            rows.next().unwrap().unwrap().outcome,
            Outcome::Rejected { .. }
        ));
    }
}
