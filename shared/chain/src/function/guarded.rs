//! Policies for the input and output of models.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The configured policies.
pub trait Policies {
    /// Applies the policies to a value, which may change it or refuse it.
    fn check(&self, value: &Value) -> Guarded;
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarded {
    /// The value after redaction; `None` if a policy denies it.
    pub value: Option<Value>,
    /// Findings of the policies.
    pub flags: Vec<RedactionFlag>,
}

/// A finding of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionFlag {
    /// Name of the policy.
    pub policy: String,
    /// `deny`, `redact` or `flag`.
    pub action: String,
    /// Pattern that matched.
    pub kind: String,
    /// Number of replacements.
    pub count: usize,
}

/// Prefix of the marks that masking writes.
const MARK: &str = "[MASKED_";

/// `guard(value, masked)`: returns the value as far as the policies allow it.
///
/// Marks of earlier masking in `masked` are added to the findings as those of the policy `masking`. Other policies can
/// no longer find what was masked.
pub(super) fn guard(args: &Map<String, Value>, policies: &dyn Policies) -> Value {
    let value = args.get("value").unwrap_or(&Value::Null);
    let mut guarded = policies.check(value);
    let mut kinds = BTreeMap::new();
    count_marks(args.get("masked").unwrap_or(&Value::Null), &mut kinds);
    let earlier = kinds.into_iter().map(|(kind, count)| RedactionFlag {
        policy: "masking".to_owned(),
        action: "redact".to_owned(),
        kind,
        count,
    });
    guarded.flags.extend(earlier);
    json!({
        "value": guarded.value,
        "denied": guarded.value.is_none(),
        "redaction_flags": guarded.flags,
    })
}

/// Counts marks such as `[MASKED_JWT]` by kind.
fn count_marks(value: &Value, kinds: &mut BTreeMap<String, usize>) {
    match value {
        Value::String(text) => {
            for rest in text.split(MARK).skip(1) {
                let is_kind = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                let kind = rest.split(|c| !is_kind(c)).next().unwrap_or_default();
                *kinds.entry(kind.to_ascii_lowercase()).or_default() += 1;
            }
        }
        Value::Array(items) => items.iter().for_each(|item| count_marks(item, kinds)),
        Value::Object(members) => members.values().for_each(|item| count_marks(item, kinds)),
        _ => {}
    }
}
