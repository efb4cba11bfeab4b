//! Builds objects of the API from named texts: columns of tables, lines of descriptions, members of flattened objects.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{leading_number, pairs};

/// Rows of `fields.txt`: where each text of a kind belongs in its object.
static FIELDS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| rows(include_str!("fields.txt")));
/// Rows of `kinds_by_fields.txt`: kinds, and the names of texts by which they are recognised.
static KINDS: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| rows(include_str!("kinds_by_fields.txt")));

fn rows(table: &'static str) -> Vec<Vec<&'static str>> {
    let rows = table
        .lines()
        .filter(|row| row.contains('|') && !row.starts_with('#'));
    rows.map(|row| row.split('|').map(str::trim).collect())
        .collect()
}

/// Returns the kind of an object by the names of its texts.
pub(super) fn kind_of(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut kinds = KINDS.iter();
    let row = kinds.find(|row| row[1].split(", ").all(&has))?;
    Some(row[0])
}

/// Builds an object of a kind from the texts that one form shows.
pub(super) fn object(form: &str, kind: &str, get: impl Fn(&str) -> Value) -> Value {
    let mut object = json!({});
    let is_of = |row: &&Vec<&str>, kind| row[0] == form && row[1].split(", ").any(|of| of == kind);
    let has_own = FIELDS.iter().any(|row| is_of(&row, kind));
    let kind = if has_own { kind } else { "other" };
    for row in FIELDS.iter().filter(|row| is_of(row, kind)) {
        let mut given = row[2].split(", ").map(&get);
        let given = given.find(|value| !value.is_null() && value != "");
        let path = row[3].split('/').skip(1);
        let place = path.fold(&mut object, |part, name| &mut part[name]);
        let given = given.unwrap_or_default();
        *place = match row.get(4) {
            Some(conversion) => converted(conversion, given.as_str().unwrap_or_default()),
            None => given,
        };
    }
    object
}

fn converted(conversion: &str, text: &str) -> Value {
    match conversion {
        "number" => leading_number(text.trim_start_matches('(')),
        "of" => leading_number(text.split_once('/').unwrap_or_default().0),
        "out of" => leading_number(text.split_once('/').unwrap_or_default().1),
        "pairs" => pairs(text, '='),
        "quantities" => pairs(text, ':'),
        "word" => text.split_whitespace().next().into(),
        "before slash" => text.split('/').next().into(),
        "spaced" => text.replace('/', " ").into(),
        "is true" => text.eq_ignore_ascii_case("true").into(),
        "cordoned" => text.contains("SchedulingDisabled").into(),
        "failed" => condition("Failed", text == "Failed"),
        "ready" => condition("Ready", !text.contains("NotReady")),
        "ports" => ports(text, "port"),
        "container ports" => ports(text, "containerPort"),
        "modes" => modes(text),
        "probe" => probe(text),
        _ => Value::Null,
    }
}

fn condition(of: &str, is: bool) -> Value {
    json!([{"type": of, "status": if is { "True" } else { "False" }}])
}

/// Parses `80/TCP,8443:30001/TCP`.
fn ports(text: &str, field: &str) -> Value {
    let ports = text.split(',').filter_map(|port| {
        let (number, protocol) = port.trim().split_once('/')?;
        Some(json!({field: leading_number(number), "protocol": protocol}))
    });
    ports.collect()
}

/// Expands access modes, which `kubectl describe` abbreviates.
fn modes(text: &str) -> Value {
    let modes = text.split(',').map(|mode| match mode.trim() {
        "RWO" => "ReadWriteOnce",
        "ROX" => "ReadOnlyMany",
        "RWX" => "ReadWriteMany",
        other => other,
    });
    modes.filter(|mode| !mode.is_empty()).collect()
}

/// Parses `http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3`.
fn probe(text: &str) -> Value {
    let mut words = text.split_whitespace();
    let (how, target) = (words.next(), words.next().unwrap_or_default());
    let address = target.split_once("://:").map_or(target, |(_, rest)| rest);
    let place = address.split('/').next().unwrap_or_default();
    let place = port(place.trim_start_matches(':'));
    match how {
        Some("http-get") => json!({"httpGet": {"port": place}}),
        Some("tcp-socket") => json!({"tcpSocket": {"port": place}}),
        Some(_) => json!({}),
        None => Value::Null,
    }
}

/// Reads a port: its number or its name.
pub(super) fn port(text: &str) -> Value {
    text.parse::<i64>()
        .map_or_else(|_| text.into(), Value::from)
}
