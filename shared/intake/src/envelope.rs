//! Parses the body of `POST /alerts` without copying its data.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{Error, FieldError};

/// Longest alert type, in characters.
const MAX_NAME: usize = 255;
/// Longest severity, in characters.
pub(crate) const MAX_SEVERITY: usize = 64;
/// Longest runbook address, in characters.
pub const MAX_RUNBOOK: usize = 2_048;
/// Longest fingerprint, in characters.
const MAX_FINGERPRINT: usize = 128;
/// The last microsecond of the year 9999.
const MAX_TIMESTAMP: i64 = 253_402_300_799_999_999;

/// An alert as it was sent, with its named fields validated.
#[derive(Debug)]
pub(crate) struct Envelope<'b> {
    pub(crate) alert_type: String,
    pub(crate) runbook: Option<String>,
    pub(crate) severity: Option<String>,
    pub(crate) timestamp_us: Option<i64>,
    /// Text by which the sender distinguishes alerts.
    pub(crate) fingerprint: Option<String>,
    /// Text of a JSON object.
    pub(crate) data: &'b str,
    /// Other fields, which become part of the data.
    pub(crate) others: Vec<(String, &'b RawValue)>,
}

impl<'b> Envelope<'b> {
    /// Parses a body. The error names every invalid field.
    pub(crate) fn read(body: &'b str) -> Result<Self, Error> {
        let members: Members<'b> =
            serde_json::from_str(body).map_err(|error| Error::unreadable(&error))?;
        let mut errors = Vec::new();
        let alert_type = members.text("alert_type", MAX_NAME, &mut errors);
        let runbook = members.text("runbook", MAX_RUNBOOK, &mut errors);
        let severity = members.text("severity", MAX_SEVERITY, &mut errors);
        let timestamp_us = members.timestamp(&mut errors);
        let fingerprint = members.fingerprint(&mut errors);
        let data = members.data(&mut errors);
        if alert_type.is_none() && !errors.iter().any(|error| error.field == "alert_type") {
            errors.push(FieldError::new("alert_type", "is missing"));
        }
        if runbook
            .as_deref()
            .is_some_and(|runbook| !is_address(runbook))
        {
            errors.push(FieldError::new(
                "runbook",
                "must be an http or https URL, or `local:<name>`",
            ));
        }
        match alert_type {
            Some(alert_type) if errors.is_empty() => Ok(Self {
                alert_type,
                runbook,
                severity,
                timestamp_us,
                fingerprint,
                data,
                others: members.others,
            }),
            _ => Err(Error::InvalidAlert(errors)),
        }
    }
}

/// Returns whether a text has the form of a runbook address. The chain worker decides whether it
/// may be fetched.
#[must_use]
pub fn is_address(runbook: &str) -> bool {
    ["http://", "https://", "local:"]
        .iter()
        .any(|scheme| runbook.starts_with(scheme))
}

/// Members of the body's object, not parsed yet.
#[derive(Default)]
struct Members<'b> {
    named: [Option<&'b RawValue>; NAMES.len()],
    others: Vec<(String, &'b RawValue)>,
}

const NAMES: [&str; 6] = [
    "alert_type",
    "runbook",
    "data",
    "severity",
    "timestamp",
    "fingerprint",
];

impl<'b> Members<'b> {
    /// Returns a named member. `null` counts as missing.
    fn get(&self, name: &str) -> Option<&'b RawValue> {
        let index = NAMES.iter().position(|known| *known == name)?;
        self.named[index].filter(|value| value.get() != "null")
    }

    fn text(&self, name: &str, longest: usize, errors: &mut Vec<FieldError>) -> Option<String> {
        let value = self.get(name)?;
        let detail = match serde_json::from_str::<String>(value.get()) {
            Ok(text) if text.contains('\0') => {
                "contains the character U+0000, which can't be stored".to_owned()
            }
            Ok(text) if text.trim().is_empty() => "must not be empty".to_owned(),
            Ok(text) if text.chars().count() > longest => {
                format!("must have at most {longest} characters")
            }
            Ok(text) => return Some(text.trim().to_owned()),
            Err(_) => "must be a string".to_owned(),
        };
        errors.push(FieldError::new(name, detail));
        None
    }

    fn timestamp(&self, errors: &mut Vec<FieldError>) -> Option<i64> {
        let value = self.get("timestamp")?;
        let micros = value
            .get()
            .parse::<i64>()
            .ok()
            .filter(|us| (0..=MAX_TIMESTAMP).contains(us));
        if micros.is_none() {
            errors.push(FieldError::new(
                "timestamp",
                "must be a whole number of microseconds since 1970",
            ));
        }
        micros
    }

    fn fingerprint(&self, errors: &mut Vec<FieldError>) -> Option<String> {
        let text = self.text("fingerprint", MAX_FINGERPRINT, errors)?;
        let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !is_plain {
            errors.push(FieldError::new(
                "fingerprint",
                "must contain only printable ASCII characters",
            ));
        }
        Some(text).filter(|_| is_plain)
    }

    fn data(&self, errors: &mut Vec<FieldError>) -> &'b str {
        match self.get("data").map(RawValue::get) {
            None => "{}",
            Some(object) if object.starts_with('{') => object,
            Some(_) => {
                errors.push(FieldError::new("data", "must be an object"));
                "{}"
            }
        }
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Members::default();
                while let Some(key) = map.next_key::<String>()? {
                    let value = map.next_value()?;
                    match NAMES.iter().position(|name| *name == key) {
                        Some(index) => members.named[index] = Some(value),
                        None => members.others.push((key, value)),
                    }
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Object)
    }
}
