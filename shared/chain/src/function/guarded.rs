//! Policies over what a model is told and what it says.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What the policies of a fleet make of a value.
pub trait Policies {
    /// Checks a value.
    fn check(&self, value: &Value) -> Guarded;
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarded {
    /// The value without what is redacted; `None`: a policy denies it.
    pub value: Option<Value>,
    /// What policies found.
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
    /// How often.
    pub count: usize,
}

/// `guard(value)`: the value as far as the policies admit it.
pub(super) fn guard(args: &Map<String, Value>, policies: &dyn Policies) -> Value {
    let value = args.get("value").unwrap_or(&Value::Null);
    let guarded = policies.check(value);
    json!({
        "value": guarded.value,
        "denied": guarded.value.is_none(),
        "redaction_flags": guarded.flags,
    })
}
