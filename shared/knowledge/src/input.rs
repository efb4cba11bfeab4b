//! Reads input files: encodings, multi-line records, cells, JSON lines.

mod cells;
mod csv_rows;
mod delimiter;
mod encoding;
mod json_rows;
mod split;
mod values;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use encoding_rs::Encoding;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::mapping::{Format, Mapping};
use csv_rows::CsvRows;
use encoding::{SAMPLE_BYTES, Utf8Reader};
use json_rows::JsonRows;

/// Magic bytes at the start of a Parquet file, whatever its name. A page header follows, whose second byte is never
/// part of a text.
const PARQUET: &[u8] = b"PAR1";

fn is_parquet(sample: &[u8]) -> bool {
    let header = sample.strip_prefix(PARQUET);
    header.is_some_and(|header| header.iter().take(2).any(|byte| *byte < b'\t'))
}

/// A row of a file.
#[derive(Debug)]
pub(crate) struct Row {
    /// First line of the row, from 1.
    pub(crate) line: u64,
    /// Parsed values, or the reason why there are none.
    pub(crate) outcome: Outcome,
}

/// Result of parsing a row.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Values by field, with the types of the mapping. Fields without a value are left out.
    Values(Map<String, Value>),
    /// All cells are empty.
    Empty,
    /// The row doesn't fit the mapping.
    Rejected {
        reason: String,
        /// Start of the row.
        excerpt: String,
    },
}

/// Reads the rows of a file in bounded memory.
#[expect(clippy::large_enum_variant, reason = "one for each file")]
pub(crate) enum Rows {
    Csv(CsvRows<Utf8Reader<File>>),
    Json(JsonRows<Utf8Reader<File>>),
}

impl Rows {
    /// Opens a file, and reads its header if the format has one.
    pub(crate) fn open(path: &Path, mapping: &Mapping) -> Result<Self> {
        let shown = path.display().to_string();
        let mut file = File::open(path).map_err(Error::file("open", path))?;
        let mut sample = Vec::new();
        file.by_ref()
            .take(SAMPLE_BYTES as u64)
            .read_to_end(&mut sample)
            .map_err(Error::file("read", path))?;
        if is_parquet(&sample) {
            return Err(Error::invalid(
                shown,
                "Parquet is not read: convert it to JSON lines (docs/KNOWLEDGE.md has the command)",
            ));
        }
        let Some(format) = mapping.format_of(path) else {
            return Err(Error::invalid(
                shown,
                "unknown file extension: set `format` in the mapping to csv, tsv or jsonl",
            ));
        };
        let encoding = match &mapping.encoding {
            None => encoding::detect(&sample),
            Some(label) => Encoding::for_label(label.as_bytes())
                .ok_or_else(|| Error::invalid(&shown, format!("unknown encoding `{label}`")))?,
        };
        // Sample for detecting the delimiter.
        let (text, _, _) = encoding.decode(&sample);
        let text = text.into_owned();
        let reader = Utf8Reader::new(file, encoding, sample);
        let delimiter = match (format, mapping.delimiter) {
            (Format::Jsonl, _) => return Ok(Self::Json(JsonRows::new(reader, mapping))),
            (_, Some(delimiter)) => u8::try_from(delimiter).unwrap_or(b','),
            (Format::Tsv, None) => b'\t',
            (Format::Csv, None) => delimiter::find(&text, mapping.quoting),
        };
        Ok(Self::Csv(CsvRows::open(
            reader, &shown, mapping, delimiter,
        )?))
    }

    /// Returns the next row; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> std::io::Result<Option<Row>> {
        match self {
            Self::Csv(rows) => rows.next(),
            Self::Json(rows) => rows.next(),
        }
    }
}

/// Returns the start of a rejected row.
fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 200;
    let text = String::from_utf8_lossy(bytes.get(..4 * LONGEST).unwrap_or(bytes));
    text.chars().take(LONGEST).collect()
}
