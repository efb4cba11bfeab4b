//! Builds objects of the API from named parts: columns of tables, lines of descriptions, members of flattened objects.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::convert::{self, below, condition, count, modes, policy, ports, probe, setting, source};
use super::{leading_number, namespace_or, pairs, reference};
use crate::data::rows;
use crate::fields::Fields as _;
use crate::source::Hints;

/// Names of a part, path of the field, and conversion.
type Field = (Vec<&'static str>, Vec<&'static str>, Option<&'static str>);
/// Rows of `fields.txt` by form and kind: where each part belongs in the object.
static FIELDS: LazyLock<HashMap<(&str, &str), Vec<Field>>> = LazyLock::new(|| {
    let mut fields: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows(include_str!("fields.txt")) {
        for kind in row[1].split(", ") {
            let (names, path) = (row[2].split(", "), row[3].split('/').skip(1));
            let field = (names.collect(), path.collect(), row.get(4).copied());
            fields.entry((row[0], kind)).or_default().push(field);
        }
    }
    fields
});
/// Rows of `kinds_by_fields.txt`: kinds, and the names of parts by which they are recognised.
static KINDS: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| rows(include_str!("kinds_by_fields.txt")).collect());

/// Returns the kind of an object by the names of its parts.
pub(super) fn kind_of(shown: &Value) -> Option<&'static str> {
    let mut kinds = KINDS.iter();
    let row = kinds.find(|row| row[1].split(", ").all(|name| shown.get(name).is_some()))?;
    Some(row[0])
}

/// Builds an object with its metadata from the parts that one form shows.
pub(super) fn object(form: &str, kind: &str, shown: &Value, hints: Hints<'_>) -> Value {
    let mut object = part(form, kind, shown);
    let mut metadata = part(form, "Metadata", shown);
    metadata["namespace"] = namespace_or(metadata.text("/namespace"), hints).into();
    object["metadata"] = metadata;
    object["kind"] = kind.into();
    object
}

/// Builds a part of an object. Parts of containers and of other details have kinds of their own in the table.
pub(super) fn part(form: &str, kind: &str, shown: &Value) -> Value {
    let mut object = json!({});
    let rows = FIELDS.get(&(form, kind));
    let rows = rows.or_else(|| FIELDS.get(&(form, "other")));
    for (names, path, conversion) in rows.into_iter().flatten() {
        let given = names.iter().filter_map(|name| shown.get(name));
        let mut given = given.filter(|part| !part.is_null() && *part != "");
        let given = given.next().unwrap_or(&Value::Null);
        let path = path.iter();
        let place = path.fold(&mut object, |part, name| &mut part[name]);
        let value = match conversion {
            Some(conversion) => converted(conversion, form, given),
            None => given.get("").unwrap_or(given).clone(),
        };
        match (place, value) {
            (Value::Array(known), Value::Array(more)) => known.extend(more),
            (place, value) => *place = value,
        }
    }
    object
}

fn converted(conversion: &str, form: &str, shown: &Value) -> Value {
    let text = convert::text(shown);
    let first = text.lines().next().unwrap_or_default();
    let (conversion, of) = conversion.split_once(' ').unwrap_or((conversion, ""));
    match conversion {
        "number" => leading_number(text.trim_start_matches('(')),
        "before" => leading_number(text.split_once('/').unwrap_or_default().0),
        "after" => leading_number(text.split_once('/').unwrap_or_default().1),
        "desired" if !text.contains(conversion) => {
            leading_number(first.rsplit('/').next().unwrap_or_default().trim())
        }
        "desired" | "available" => count(text, '|', conversion),
        "failed-pods" => count(text, '/', "Failed"),
        "pairs" => pairs(text, '='),
        "quantities" => pairs(text, ':'),
        "words" => text
            .split(['[', ']', ' ', '\n'])
            .filter(|word| !word.is_empty())
            .collect(),
        "line" => first.into(),
        "name" => first.split([' ', '/']).next().into(),
        "spaced" => text.replace('/', " ").into(),
        "true" => text.eq_ignore_ascii_case("true").into(),
        "if" => text.starts_with(of).then_some(text).into(),
        "cordoned" => text.contains("SchedulingDisabled").into(),
        "failed" => condition("Failed", text == "Failed"),
        "ready" => condition("Ready", !text.contains("NotReady")),
        "condition" if text.is_empty() => json!([]),
        "condition" => json!([{"type": of, "status": text}]),
        "ports" => ports(text, of),
        "modes" => modes(text),
        "probe" => probe(text),
        "reference" if shown.is_object() => part(form, "Reference", shown),
        "reference" => reference(text),
        "owner" if text.is_empty() => json!([]),
        "owner" => json!([reference(first)]),
        "part" => part(form, of, shown),
        "parts" => below(shown)
            .map(|(key, shown)| {
                let mut part = part(form, of, shown);
                if !key.is_empty() {
                    part["name"] = key.into();
                }
                part
            })
            .collect(),
        "state" => {
            let mut states = ["waiting", "terminated"].into_iter();
            let state = states.find(|state| shown[state] == true);
            let state = state.map_or_else(|| first.to_ascii_lowercase(), str::to_owned);
            json!({state: part(form, "State", shown)})
        }
        "policy" => policy(shown),
        "settings" => below(shown).map(setting).collect(),
        "sources" => below(shown).filter_map(source).collect(),
        "volumes" => below(shown)
            .map(|(_, volume)| {
                let kind = convert::text(&volume["Type"]).split(' ').next();
                part("volume", kind.unwrap_or_default(), volume)
            })
            .collect(),
        _ => Value::Null,
    }
}
