//! Reads events of payloads by the expressions of a YAML file.
//!
//! `change/senders.yaml` and `vendor/vendors.yaml` are such files. A format lists its `events`, and optionally `with` and
//! `required`.
//!
//! The first of the `events` whose `when` is true, or that has no `when`, describes the event. Its other keys are
//! fields. `with` names values, which later expressions read like members of the payload. If the value of `required` is
//! missing, the payload is rejected.
//!
//! Expressions are those of [minijinja](https://docs.rs/minijinja). They read the members of the payload, `payload` itself
//! and further names of the file. An expression that fails has no value. Of a list of expressions, the first counts
//! whose value is a number, a boolean or text that is not blank.
//!
//! Two filters are added: `micros` reads a time as Unix microseconds, and `short` abbreviates the hash of a commit.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::value::{Serde, ValueKind, merge_maps};
use minijinja::{Environment, Expression, UndefinedBehavior, Value, context};
use serde::Deserialize;

use crate::Error;
use crate::webhooks::times::time;

/// Fields of an event by their names. They are not yet validated or masked.
pub(super) type Draft = BTreeMap<String, String>;

/// Formats of a file by their names.
pub(super) type Formats = LazyLock<Result<BTreeMap<String, Format>, serde_saphyr::Error>>;

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.add_filter("micros", |text: String| time(&text));
    environment.add_filter("short", |revision: String| short(&revision).to_owned());
    environment
});

/// Payloads of one sender.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Format {
    #[serde(default)]
    with: With,
    #[serde(default)]
    required: Vec<Required>,
    events: Vec<Event>,
}

/// Named values, in the order of their evaluation.
type With = Vec<BTreeMap<String, Term>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Required {
    field: String,
    value: Term,
    detail: String,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    with: With,
    when: Option<Term>,
    #[serde(flatten)]
    fields: BTreeMap<String, Term>,
}

/// An expression, or several of which the first with a scalar counts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Term {
    One(Expr),
    FirstOf(Vec<Expr>),
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

impl Term {
    /// Returns the value, or `none` if there is none.
    fn value(&self, context: &Value) -> Value {
        let value_of = |expr: &Expr| expr.0.eval(context.clone()).ok();
        let value = match self {
            Self::One(expr) => value_of(expr),
            Self::FirstOf(list) => list.iter().filter_map(value_of).find(|v| text(v).is_some()),
        };
        // An undefined value would not hide a member of the payload.
        value
            .filter(|value| !value.is_undefined())
            .unwrap_or(Value::from(()))
    }
}

/// Returns the fields of the event that a payload describes, if it describes one.
///
/// # Errors
///
/// If the payload lacks what all payloads of this format have.
pub(super) fn draft(
    formats: &Formats,
    format: &str,
    payload: &serde_json::Value,
    names: Value,
) -> Result<Option<Draft>, Error> {
    let formats = formats.as_ref();
    let formats = formats.map_err(|error| Error::Internal(error.to_string().into()))?;
    let Some(format) = formats.get(format) else {
        return Ok(None);
    };
    let payload = Value::from(Serde(payload));
    let names = merge_maps([names, context! { payload => payload.clone() }]);
    let context = extended(&format.with, merge_maps([payload, names]));
    let is_missing = |required: &&Required| !required.value.value(&context).is_true();
    if let Some(missing) = format.required.iter().find(is_missing) {
        return Err(Error::field(&missing.field, &missing.detail));
    }
    Ok(format.events.iter().find_map(|event| {
        let context = extended(&event.with, context.clone());
        let when = event.when.as_ref();
        let fits = when.is_none_or(|when| when.value(&context).is_true());
        let fields = event.fields.iter();
        let texts =
            fields.filter_map(|(name, term)| Some((name.clone(), text(&term.value(&context))?)));
        fits.then(|| texts.collect())
    }))
}

/// Returns a context with more values, which hide others of the same name.
fn extended(with: &With, context: Value) -> Value {
    with.iter()
        .flatten()
        .fold(context, |context, (name, term)| {
            let named = Value::from_pairs([(name.clone(), term.value(&context))]);
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

/// Returns the names of the fields that the events of each format have.
#[cfg(test)]
pub(super) fn fields(formats: &Formats) -> Result<BTreeMap<&str, Vec<&str>>, String> {
    let formats = formats.as_ref().map_err(ToString::to_string)?;
    let names = formats.iter().map(|(word, format)| {
        let events = format.events.iter();
        let names = events.flat_map(|event| event.fields.keys().map(String::as_str));
        (word.as_str(), names.collect())
    });
    Ok(names.collect())
}
