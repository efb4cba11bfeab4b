//! Builds the session row of a validated alert.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tarsy_chain::Facts;
use tarsy_model::{AlertDefaults, SessionId};
use tarsy_store::new_session::{NewSession, Suppressible};
use uuid::Uuid;

use crate::FieldError;
use crate::canonical::{Bounds, Fault, Refused, write_canonical};
use crate::chains::Chain;
use crate::envelope::MAX_SEVERITY;

/// Content of an alert, regardless of its sender.
#[derive(Debug)]
pub(crate) struct Parts<'b> {
    pub(crate) alert_type: String,
    pub(crate) runbook: Option<String>,
    pub(crate) severity: Option<String>,
    pub(crate) environment: Option<String>,
    pub(crate) timestamp_us: Option<i64>,
    /// Text of a JSON object.
    pub(crate) data: &'b str,
    /// Further members for the data. They are added before the data's own members.
    pub(crate) others: Vec<(String, &'b RawValue)>,
}

/// Origin of an alert: its source, sender and time.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) source: &'static str,
    pub(crate) author: Option<String>,
    /// The sender's key, scoped to the sender.
    pub(crate) idempotency_key: Option<String>,
    /// Fingerprint that the source defines. `None`: the fingerprint is a digest of the content.
    pub(crate) fingerprint: Option<String>,
    /// Name of what the alert is about, the same for every occurrence. `None`: the alert must be
    /// investigated in any case.
    pub(crate) subject: Option<String>,
    pub(crate) traceparent: Option<String>,
    /// Default of the alert's time.
    pub(crate) now_us: i64,
}

/// Builds the session of an alert. Fills in defaults and changes nothing else.
///
/// The data's text is kept as it was sent, so that numbers keep every digit and strings every
/// character. Added members stand before the data's own. If the data has a member of the same name,
/// its own value counts, because `jsonb` keeps the last one.
pub(crate) fn new_session(
    parts: Parts<'_>,
    chain: &Chain,
    origin: Origin,
    bounds: Bounds,
) -> Result<NewSession, FieldError> {
    let severity = parts
        .severity
        .or_else(|| own_severity(parts.data))
        .unwrap_or_else(|| AlertDefaults::SEVERITY.to_owned());
    let content = fingerprint(
        &parts.alert_type,
        parts.runbook.as_deref(),
        &severity,
        parts.data,
        &parts.others,
        bounds,
    )?;
    let timestamp_us = parts.timestamp_us.unwrap_or(origin.now_us);
    let environment = parts
        .environment
        .as_deref()
        .unwrap_or(AlertDefaults::ENVIRONMENT);

    let mut additions = Vec::with_capacity(parts.others.len() + 3);
    additions.push(("severity".to_owned(), quoted(&severity)));
    additions.push(("environment".to_owned(), quoted(environment)));
    additions.push(("timestamp".to_owned(), timestamp_us.to_string()));
    additions.extend(
        parts
            .others
            .iter()
            .map(|(key, value)| (key.clone(), value.get().to_owned())),
    );
    let data = RawValue::from_string(with_members(parts.data, &additions))
        .map_err(|_| FieldError::new("data", "is not valid JSON"))?;
    let chain_definition = chain.definition_for(&severity, || {
        let data = serde_json::from_str(data.get()).unwrap_or_default();
        Facts::from_alert(&parts.alert_type, &severity, data)
    })?;

    Ok(NewSession {
        session_id: SessionId::generate(),
        alert_id: Uuid::now_v7(),
        alert_type: parts.alert_type,
        data,
        severity,
        alert_timestamp_us: Some(timestamp_us),
        source: origin.source.to_owned(),
        author: origin.author,
        suppressible: origin
            .subject
            .zip(chain.suppression)
            .map(|(subject, rule)| Suppressible { subject, rule }),
        fingerprint: origin.fingerprint.unwrap_or(content),
        idempotency_key: origin.idempotency_key,
        chain_id: chain.id.clone(),
        chain_definition,
        runbook_url: parts.runbook,
        traceparent: origin.traceparent,
    })
}

/// Returns the severity that the data itself names. If there are several, the last counts, as in `jsonb`.
fn own_severity(data: &str) -> Option<String> {
    // Most alerts name it outside of the data or not at all, so their data need not be parsed.
    if !data.contains("severity") {
        return None;
    }
    let Severity(severity) = serde_json::from_str(data).ok()?;
    let text: String = serde_json::from_str(severity?.get()).ok()?;
    let text = text.trim();
    (!text.is_empty() && text.chars().count() <= MAX_SEVERITY && !text.contains('\0'))
        .then(|| text.to_owned())
}

/// The last member `severity` of an object, not parsed yet.
struct Severity<'d>(Option<&'d RawValue>);

#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Member {
    Severity,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for Severity<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Severity<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut last = None;
                while let Some(member) = map.next_key()? {
                    match member {
                        Member::Severity => last = Some(map.next_value()?),
                        Member::Other => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Severity(last))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// Computes the SHA-256 of everything that identifies an alert, which excludes its time.
fn fingerprint(
    alert_type: &str,
    runbook: Option<&str>,
    severity: &str,
    data: &str,
    others: &[(String, &RawValue)],
    bounds: Bounds,
) -> Result<String, FieldError> {
    let mut text = Vec::with_capacity(data.len() + 256);
    for part in [alert_type, runbook.unwrap_or_default(), severity] {
        text.extend_from_slice(part.as_bytes());
        text.push(0);
    }
    write_canonical(data, bounds, Some("timestamp"), &mut text)
        .map_err(|refused| field_error("data", &refused, bounds))?;
    let mut others: Vec<_> = others.iter().collect();
    others.sort_by(|a, b| a.0.cmp(&b.0));
    for (key, value) in others {
        if key.contains('\0') {
            return Err(FieldError::new(
                key.escape_default().to_string(),
                explain(Fault::NulCharacter, bounds),
            ));
        }
        text.extend_from_slice(key.as_bytes());
        text.push(0);
        write_canonical(value.get(), bounds, None, &mut text)
            .map_err(|refused| field_error(key, &refused, bounds))?;
    }
    let digest = Sha256::digest(&text);
    let mut hex = String::with_capacity(64);
    for byte in digest {
        for nibble in [byte >> 4, byte & 15] {
            hex.push(char::from_digit(nibble.into(), 16).unwrap_or('0'));
        }
    }
    Ok(hex)
}

/// Checks that Postgres can store `json`, a valid document at path `place` of a payload.
///
/// # Errors
///
/// If a value can't be stored; names the first one.
pub(crate) fn check_storable(json: &str, place: &str, bounds: Bounds) -> Result<(), FieldError> {
    let mut canonical = Vec::with_capacity(json.len());
    write_canonical(json, bounds, None, &mut canonical)
        .map_err(|refused| field_error(place, &refused, bounds))
}

fn field_error(within: &str, refused: &Refused, bounds: Bounds) -> FieldError {
    let field = match refused.path.as_str() {
        "" => within.to_owned(),
        element if element.starts_with('[') => format!("{within}{element}"),
        member => format!("{within}.{member}"),
    };
    FieldError::new(field, explain(refused.fault, bounds))
}

fn explain(fault: Fault, bounds: Bounds) -> String {
    match fault {
        Fault::TooDeep => format!("is nested deeper than {} levels", bounds.depth),
        Fault::TooManyKeys => format!("exceeds the limit of {} keys per alert", bounds.keys),
        Fault::NulCharacter => "contains the character U+0000, which can't be stored".to_owned(),
        Fault::UnpairedSurrogate => {
            "contains an unpaired surrogate".to_owned()
        }
        Fault::NumberOutOfRange => {
            "exceeds the range of a double (1.797e308), or has too many digits or too large an exponent"
                .to_owned()
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the text of an object with members added before its own.
fn with_members(object: &str, additions: &[(String, String)]) -> String {
    let own = object.trim().strip_prefix('{').unwrap_or("}");
    let is_empty = own.trim_start().starts_with('}');
    let added: usize = additions
        .iter()
        .map(|(key, value)| key.len() + value.len() + 4)
        .sum();
    let mut text = String::with_capacity(own.len() + added + 16);
    text.push('{');
    for (index, (key, value)) in additions.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&quoted(key));
        text.push(':');
        text.push_str(value);
    }
    if !additions.is_empty() && !is_empty {
        text.push(',');
    }
    text.push_str(own);
    text
}

#[cfg(test)]
mod tests {
    use super::with_members;

    #[test]
    fn members_are_put_before_the_objects_own() {
        let added = [
            ("a".to_owned(), "1".to_owned()),
            ("q\"".to_owned(), "[]".to_owned()),
        ];
        assert_eq!(with_members("{ }", &added), r#"{"a":1,"q\"":[] }"#);
        assert_eq!(
            with_members(r#"{"b":2}"#, &added),
            r#"{"a":1,"q\"":[],"b":2}"#
        );
        assert_eq!(with_members("{}", &[]), "{}");
    }
}
