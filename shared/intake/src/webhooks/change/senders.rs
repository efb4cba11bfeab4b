//! Reads the change of a payload by the expressions in `senders.yaml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::value::{Serde, ValueKind, merge_maps};
use minijinja::{Environment, Expression, UndefinedBehavior, Value, context};
use serde::Deserialize;
use tarsy_config::ChangeSource;

use super::line;
use crate::Error;

/// Values of a change as its sender describes them, by field. They are not yet validated or masked.
pub(super) type Draft = BTreeMap<String, String>;

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.add_filter("micros", |text: String| line::time(&text));
    environment.add_filter("short", |revision: String| short(&revision).to_owned());
    environment
});

/// Senders by the word of their format.
static SENDERS: LazyLock<Result<BTreeMap<String, Sender>, serde_saphyr::Error>> =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("senders.yaml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sender {
    #[serde(default)]
    with: With,
    required: Option<Required>,
    changes: Vec<Row>,
}

/// Named values, in the order of their evaluation.
type With = Vec<BTreeMap<String, Expr>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Required {
    field: String,
    value: Expr,
    detail: String,
}

/// A kind of change: when a payload reports it, and the expressions of its fields.
#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    with: With,
    when: Expr,
    #[serde(flatten)]
    fields: BTreeMap<String, Vec<Expr>>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Expr(Expression<'static, 'static>);

impl TryFrom<String> for Expr {
    type Error = minijinja::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        ENVIRONMENT.compile_expression_owned(text).map(Self)
    }
}

impl Expr {
    /// Returns the value, or `none` if the expression fails or yields nothing.
    fn value(&self, context: &Value) -> Value {
        let value = self.0.eval(context.clone()).unwrap_or_default();
        if value.is_undefined() {
            Value::from(())
        } else {
            value
        }
    }
}

/// Returns the change of a payload. `delivery` is its id.
///
/// # Errors
///
/// If the payload lacks what all payloads of the sender have.
pub(super) fn draft(
    source: &ChangeSource,
    payload: &serde_json::Value,
    delivery: &str,
) -> Result<Option<Draft>, Error> {
    let senders = SENDERS.as_ref();
    let senders = senders.map_err(|error| Error::Internal(error.to_string().into()))?;
    let Some(sender) = senders.get(source.format.as_str()) else {
        return Ok(None);
    };
    let payload = Value::from(Serde(payload));
    let branches = source.branches.clone();
    let names = context! { payload => payload.clone(), delivery, branches };
    let context = extended(&sender.with, merge_maps([payload, names]));
    if let Some(required) = &sender.required
        && !required.value.value(&context).is_true()
    {
        return Err(Error::field(&required.field, &required.detail));
    }
    let mut rows = sender.changes.iter();
    Ok(rows.find_map(|row| {
        let context = extended(&row.with, context.clone());
        row.when.value(&context).is_true().then(|| {
            let fields = row.fields.iter().filter_map(|(name, expressions)| {
                let text = expressions
                    .iter()
                    .find_map(|expr| text(&expr.value(&context)))?;
                Some((name.clone(), text))
            });
            fields.collect()
        })
    }))
}

/// Returns a context with more values, which hide others of the same name.
fn extended(with: &With, context: Value) -> Value {
    with.iter()
        .flatten()
        .fold(context, |context, (name, expr)| {
            let named = Value::from_pairs([(name.clone(), expr.value(&context))]);
            merge_maps([context, named])
        })
}

/// Converts a scalar to text. Returns `None` for other values and for blank text.
fn text(value: &Value) -> Option<String> {
    let text = match value.kind() {
        ValueKind::String | ValueKind::Number => value.to_string(),
        ValueKind::Bool => value.is_true().to_string(),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Abbreviates the hash of a commit. Other revisions stay whole.
fn short(revision: &str) -> &str {
    let is_commit = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { &revision[..7] } else { revision }
}

/// Returns the names of the fields that each sender's changes have.
#[cfg(test)]
pub(super) fn fields() -> Result<BTreeMap<&'static str, Vec<&'static str>>, String> {
    let senders = SENDERS.as_ref().map_err(ToString::to_string)?;
    let names = senders.iter().map(|(word, sender)| {
        let rows = sender.changes.iter();
        let names = rows.flat_map(|row| row.fields.keys().map(String::as_str));
        (word.as_str(), names.collect())
    });
    Ok(names.collect())
}
