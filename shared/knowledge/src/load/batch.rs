//! Batches of parsed and indexed records.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use tarsy_masking::Masker;

use super::masked;
use super::rejects::Rejection;
use crate::chunk::{chunks, shown};
use crate::error::{Error, Result};
use crate::index::{Segment, SegmentBuilder, filter_term, normalize};
use crate::input::{Outcome, Row, Rows};
use crate::mapping::Mapping;

/// Maximum number of rows of a batch.
const MAX_ROWS: usize = 20_000;
/// Largest text of a batch, in bytes. A batch takes about four times as much memory.
const MAX_BYTES: usize = 24 * 1024 * 1024;
/// Longest key, in bytes. Index entries of Postgres are limited to 2,700 bytes.
const MAX_KEY: usize = 1_000;

/// A record, ready to be written.
pub(super) struct Record {
    pub(super) key: String,
    /// Hash of the content and the mapping.
    pub(super) hash: [u8; 32],
    pub(super) fields: String,
    pub(super) line: u64,
    pub(super) chunks: Vec<String>,
    pub(super) filters: Vec<String>,
}

/// Records with distinct keys.
pub(super) struct Batch {
    pub(super) records: Vec<Record>,
    /// Index of all records of the batch.
    pub(super) segment: Segment,
    pub(super) rejections: Vec<Rejection>,
    /// Number of rows that repeat a record of the batch.
    pub(super) repeated: u64,
    pub(super) empty: u64,
    /// Number of rows read so far, from the start of the file.
    pub(super) rows: u64,
}

/// Reads a file in batches.
pub(super) struct Batches {
    rows: Rows,
    path: PathBuf,
    mapping: Mapping,
    mapping_hash: [u8; 32],
    masker: Masker,
    read: u64,
    is_at_end: bool,
}

impl Batches {
    /// Opens a file and skips its first `skipped` rows.
    pub(super) fn open(
        path: &Path,
        mapping: Mapping,
        masker: Masker,
        skipped: u64,
    ) -> Result<Self> {
        let mut rows = Rows::open(path, &mapping)?;
        let mut read = 0;
        while read < skipped && rows.next().map_err(Error::file("read", path))?.is_some() {
            read += 1;
        }
        Ok(Self {
            rows,
            path: path.to_owned(),
            mapping_hash: mapping.hash(),
            mapping,
            masker,
            read,
            is_at_end: false,
        })
    }

    fn read_batch(&mut self) -> Result<Option<Batch>> {
        let mut batch = Pending::default();
        let mut index = SegmentBuilder::new();
        let (begin, mut bytes) = (self.read, 0);
        while self.read - begin < MAX_ROWS as u64 && bytes < MAX_BYTES {
            let Some(Row { line, outcome }) =
                self.rows.next().map_err(Error::file("read", &self.path))?
            else {
                self.is_at_end = true;
                break;
            };
            self.read += 1;
            match outcome {
                Outcome::Empty => batch.empty += 1,
                Outcome::Rejected {
                    reason,
                    excerpt: row,
                } => {
                    bytes += row.len();
                    batch.rejections.push(Rejection { line, reason, row });
                }
                Outcome::Values(values) => {
                    let key = self.key(&values);
                    let values = masked::values(&self.masker, &self.mapping, values);
                    let record = self.record(line, &values);
                    if key != self.key(&values) {
                        let reason = "the key holds a secret: `mask: false` of its field keeps it";
                        batch.rejections.push(rejection(&record, reason.to_owned()));
                    } else if let Some(record) = batch.add(record) {
                        bytes += 2 * record.fields.len();
                        add_to_index(&mut index, record);
                    }
                }
            }
        }
        if self.read == begin {
            return Ok(None);
        }
        Ok(Some(Batch {
            records: batch.records,
            segment: index.finish(),
            rejections: batch.rejections,
            repeated: batch.repeated,
            empty: batch.empty,
            rows: self.read,
        }))
    }

    /// Returns the value that identifies a record, if the mapping has a key.
    fn key(&self, values: &Map<String, Value>) -> Option<String> {
        let key = self.mapping.key.as_ref()?;
        Some(values.get(key).map(shown).unwrap_or_default())
    }

    fn record(&self, line: u64, values: &Map<String, Value>) -> Record {
        let fields = serde_json::to_string(values).unwrap_or_default();
        let mut hash = Sha256::new_with_prefix(self.mapping_hash);
        hash.update(&fields);
        let hash: [u8; 32] = hash.finalize().into();
        let drawn = || hash.iter().take(16).map(|byte| format!("{byte:02x}"));
        let key = self.key(values).unwrap_or_else(|| drawn().collect());
        let filters = self.mapping.fields.iter().filter(|field| field.is_filter());
        let filters = filters.filter_map(|field| {
            let value = normalize(&shown(values.get(&field.name)?));
            Some(filter_term(&field.name, &value))
        });
        Record {
            key,
            hash,
            line,
            filters: filters.collect(),
            chunks: chunks(&self.mapping, values)
                .into_iter()
                .map(|text| masked::chunk(&self.masker, &self.mapping, text))
                .collect(),
            fields,
        }
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        if self.is_at_end {
            return None;
        }
        let batch = self.read_batch().transpose();
        self.is_at_end |= !matches!(batch, Some(Ok(_)));
        batch
    }
}

/// Adds a record's chunks to a segment.
pub(super) fn add_to_index(index: &mut SegmentBuilder, record: &Record) {
    for chunk in &record.chunks {
        index.add(chunk, &record.filters);
    }
}

#[derive(Default)]
struct Pending {
    records: Vec<Record>,
    by_key: HashMap<String, usize>,
    rejections: Vec<Rejection>,
    repeated: u64,
    empty: u64,
}

impl Pending {
    /// Adds a record, unless its key is already in the batch.
    fn add(&mut self, record: Record) -> Option<&Record> {
        let before = self
            .by_key
            .get(&record.key)
            .and_then(|index| self.records.get(*index));
        let reason = match before {
            Some(before) if before.hash == record.hash => {
                self.repeated += 1;
                return None;
            }
            Some(before) => repeated_key(&record.key, Some(before.line)),
            None if record.key.is_empty() => "the key is empty".to_owned(),
            None if record.key.len() > MAX_KEY => format!("the key is longer than {MAX_KEY} bytes"),
            None => {
                self.by_key.insert(record.key.clone(), self.records.len());
                self.records.push(record);
                return self.records.last();
            }
        };
        self.rejections.push(rejection(&record, reason));
        None
    }
}

/// Converts a record into a rejection.
pub(super) fn rejection(record: &Record, reason: String) -> Rejection {
    Rejection {
        line: record.line,
        reason,
        row: record.fields.chars().take(200).collect(),
    }
}

/// Returns the reason for rejecting a second record with the same key.
pub(super) fn repeated_key(key: &str, line: Option<u64>) -> String {
    let key: String = key.chars().take(80).collect();
    match line {
        Some(line) => format!("key `{key}` was on line {line} with other values"),
        None => format!("key `{key}` was in this file before, with other values"),
    }
}
