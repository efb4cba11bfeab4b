//! Mapping of a file's columns: key, title, fields, filters and identifiers.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result};

/// Maximum number of fields.
const MAX_FIELDS: usize = 200;
/// Longest name of a collection or field, which is Postgres's limit for identifiers.
const MAX_NAME: usize = 63;
/// Column names that are reserved for views.
const RESERVED: [&str; 1] = ["record_key"];

/// Defines how the rows of a file become records of a collection.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// Format of the file. Default: depends on its extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Cell delimiter. Default: tab for TSV; detected for CSV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether `"` quotes cells. Default: true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub quoting: bool,
    /// Encoding by its WHATWG label, e.g. `windows-1252`. Default: detected in the first 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Field that identifies a record. A new row with the same value replaces the old record. Default: the whole row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Field that is the title of a record, repeated in each of its chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The fields, in the order in which they are searched and shown.
    pub fields: Vec<Field>,
}

/// One field of a record.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Name in results, filters and SQL: lower-case letters, digits and `_`.
    pub name: String,
    /// Header of the column, or path of the JSON member (`host.name`). `Notes#2` is the second of two columns named
    /// `Notes`. Default: the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Type of its values. Default: text.
    #[serde(default, rename = "type")]
    pub kind: ValueKind,
    /// Whether rows without a value are rejected. Default: false.
    #[serde(default, skip_serializing_if = "is_no")]
    pub required: bool,
    /// Whether a question that contains one of its values lists the record first. Implies `filter`. Default: false.
    #[serde(default, skip_serializing_if = "is_no")]
    pub identifier: bool,
    /// Whether searches can filter by it. Default: false.
    #[serde(default, skip_serializing_if = "is_no")]
    pub filter: bool,
    /// Whether full-text search includes it. Default: true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub search: bool,
    /// Whether secrets in it are masked when the record is loaded. Default: true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub mask: bool,
}

/// Format of a file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Cells separated by a delimiter, and quoted if necessary (RFC 4180).
    Csv,
    /// Like CSV, separated by tabs.
    Tsv,
    /// One JSON object per line.
    Jsonl,
}

/// Type of a field's values.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// Any text.
    #[default]
    Text,
    /// A 64 bit integer.
    Integer,
    /// A finite floating point number.
    Number,
    /// `true`, `yes`, `1`, `false`, `no` or `0`.
    Boolean,
}

impl ValueKind {
    /// Returns the SQL type.
    #[must_use]
    pub const fn sql(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "bigint",
            Self::Number => "double precision",
            Self::Boolean => "boolean",
        }
    }
}

impl Field {
    /// Returns the header or path of the source column.
    #[must_use]
    pub fn column(&self) -> &str {
        self.column.as_deref().unwrap_or(&self.name)
    }

    /// Whether searches can filter by it.
    #[must_use]
    pub const fn is_filter(&self) -> bool {
        self.filter || self.identifier
    }
}

impl Mapping {
    /// Reads a mapping from YAML (or JSON) and checks it.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the mistake and its position.
    pub fn parse(what: &str, text: &str) -> Result<Self> {
        let mapping: Self = serde_saphyr::from_str(text)
            .map_err(|error| Error::invalid(what, error.to_string()))?;
        match mapping.mistake() {
            None => Ok(mapping),
            Some(mistake) => Err(Error::invalid(what, mistake)),
        }
    }

    /// Reads a mapping from a file.
    ///
    /// # Errors
    ///
    /// [`Error::File`], or as [`Mapping::parse`].
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Returns the field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the format of a file: the one in the mapping, or else the one of its extension.
    #[must_use]
    pub fn format_of(&self, path: &Path) -> Option<Format> {
        let extension = path.extension().and_then(|name| name.to_str());
        self.format
            .or_else(|| match extension?.to_ascii_lowercase().as_str() {
                "csv" | "txt" => Some(Format::Csv),
                "tsv" | "tab" => Some(Format::Tsv),
                "jsonl" | "ndjson" => Some(Format::Jsonl),
                _ => None,
            })
    }

    /// Returns the SHA-256 of the canonical form and of how values are processed. The same file under another mapping
    /// counts as another load. A file that was loaded before values were masked is loaded again.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::new_with_prefix(b"masked")
            .chain_update(text)
            .finalize()
            .into()
    }

    fn mistake(&self) -> Option<String> {
        if self.fields.is_empty() || self.fields.len() > MAX_FIELDS {
            return Some(format!("`fields` must have 1 to {MAX_FIELDS} members"));
        }
        let mut seen = BTreeSet::new();
        for field in &self.fields {
            let name = &field.name;
            if !is_name(name) || RESERVED.contains(&name.as_str()) {
                return Some(format!(
                    "field `{name}`: a name has lower-case letters, digits and `_`, begins with a letter and isn't `record_key`"
                ));
            }
            if !seen.insert(name) {
                return Some(format!("field `{name}` occurs twice"));
            }
        }
        let named = [("key", &self.key), ("title", &self.title)];
        for (what, name) in named {
            if let Some(name) = name
                && self.field(name).is_none()
            {
                return Some(format!(
                    "`{what}` names `{name}`, which is not among `fields`"
                ));
            }
        }
        let wrong =
            |c: char| !c.is_ascii() || c == '"' || c == '\n' || c == '\r' || c.is_alphanumeric();
        if self.delimiter.is_some_and(wrong) {
            return Some(
                "`delimiter` must be one ASCII character, no quote, letter, digit or line end"
                    .to_owned(),
            );
        }
        None
    }
}

/// Whether `name` is a valid name of a collection or field: an SQL identifier that needs no quotes.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && !name.starts_with("pg_")
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_yes(value: &bool) -> bool {
    *value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_no(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use super::{Mapping, ValueKind, is_name};

    #[test]
    fn a_mapping_has_defaults() {
        let text = "key: id\nfields:\n- {name: id, column: Test ID, identifier: true}\n- {name: slot, type: integer}\n";
        let mapping = Mapping::parse("m", text).unwrap();
        assert_eq!(mapping.fields[0].column(), "Test ID");
        assert!(mapping.fields[0].is_filter() && mapping.fields[1].search && mapping.quoting);
        assert_eq!(mapping.fields[1].kind, ValueKind::Integer);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("fields: []", "1 to 200"),
            ("fields: [{name: A}]", "lower-case"),
            ("fields: [{name: a}, {name: a}]", "twice"),
            ("key: b\nfields: [{name: a}]", "names `b`"),
            ("fields: [{name: record_key}]", "record_key"),
            ("fields: [{name: a, typ: text}]", "typ"),
            ("delimiter: a\nfields: [{name: a}]", "delimiter"),
        ] {
            let error = Mapping::parse("m", text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn names_need_no_quotes_in_sql() {
        assert!(is_name("test_cases2"));
        for name in ["", "Tests", "2x", "pg_x", "a-b", "a;b", "ä"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
