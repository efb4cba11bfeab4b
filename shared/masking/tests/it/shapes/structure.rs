//! Structure stays: a text that parsed before parses after masking, with the same keys. Only values change.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tarsy_masking::Masker;

/// Keys, some of which name secrets.
const KEYS: &[&str] = &[
    "name",
    "password",
    "namespace",
    "token",
    "value",
    "data",
    "api_key",
    "kind",
    "secret",
    "note",
    "auth",
    "key",
    "items",
    "checksum/secret",
    "url",
    "db password",
    "clientSecret",
    "ghp_like",
    "pw",
    "user",
];

/// Values, some of which are secrets.
fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("summer 2024")),
        Just(json!("db-password")),
        Just(json!("hunter2")),
        Just(json!("[MASKED_PASSWORD]hunter2")),
        Just(json!("postgres://app:s3cret@db/x")),
        Just(json!(
            "a \"quoted\" # text: with 'marks', {braces} and\nlines"
        )),
        Just(json!(
            "{\"password\": \"open sesame now\", \"user\": \"bob\"}"
        )),
        Just(json!("user: bob\npassword: open sesame now\n")),
        Just(json!(123_456_789)),
        Just(json!(true)),
        Just(Value::Null),
        Just(json!("")),
        "[a-zA-Z0-9]{20,40}".prop_map(Value::String),
        "[0-9a-f]{32}".prop_map(Value::String),
        "\\PC{0,20}".prop_map(Value::String),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((prop::sample::select(KEYS), inner), 1..6).prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(k, v)| (k.to_owned(), v))
                        .collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

/// Returns the keys of `value`, with the structure around them.
fn keys(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(keys).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(k, v)| (k.clone(), keys(v))).collect())
        }
        _ => Value::Null,
    }
}

/// Whether every piece of `masked` between replacements is in `text`, in order.
fn only_values_changed(text: &str, masked: &str) -> bool {
    let quote = |c| matches!(c, '"' | '\\');
    let mut pieces = masked.split("[MASKED_");
    let first = pieces.next().unwrap_or_default().trim_end_matches(quote);
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    pieces.all(|piece| {
        let piece = piece.split_once(']').map_or(piece, |(_, p)| p);
        let piece = piece.trim_matches(quote);
        rest.find(piece).is_some_and(|at| {
            rest = &rest[at + piece.len()..];
            true
        })
    })
}

/// Writes `value` as YAML in block style, with each string in the notation that `style` selects.
fn yaml(value: &Value, indent: usize, style: usize, out: &mut String) {
    let pad = "  ".repeat(indent);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (i, (key, value)) in map.iter().enumerate() {
                out.push_str(&format!("\n{pad}{key}:"));
                yaml(value, indent + 1, style + i, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (i, item) in items.iter().enumerate() {
                out.push_str(&format!("\n{pad}-"));
                if matches!(item, Value::Object(map) if !map.is_empty())
                    || matches!(item, Value::Array(a) if !a.is_empty())
                {
                    yaml(item, indent + 1, style + i, out);
                } else {
                    yaml(item, indent, style + i, out);
                }
            }
        }
        Value::String(text) => {
            let plain = !text.is_empty()
                && text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ')
                && !text.trim().is_empty()
                && text.trim() == text
                && text.parse::<f64>().is_err();
            match style % 3 {
                0 if plain => out.push_str(&format!(" {text}")),
                1 if text.lines().count() > 1
                    && text.is_ascii()
                    && !text.starts_with([' ', '\n']) =>
                {
                    let pad = "  ".repeat(indent + 1);
                    out.push_str(&format!(
                        " |-\n{pad}{}",
                        text.trim_end().replace('\n', &format!("\n{pad}"))
                    ));
                }
                _ => out.push_str(&format!(" {}", Value::String(text.clone()))),
            }
        }
        other => out.push_str(&format!(" {other}")),
    }
}

proptest! {
    #[test]
    fn json_keeps_its_keys_and_all_but_its_secrets(tree in tree(), pretty in any::<bool>()) {
        let masker = Masker::group("security").unwrap();
        let text = if pretty { serde_json::to_string_pretty(&tree) } else { serde_json::to_string(&tree) }.unwrap();
        let masked = masker.mask(&text).text.into_owned();
        let after: Result<Value, _> = serde_json::from_str(&masked);
        prop_assert!(after.is_ok(), "{}\n{}", text, masked);
        prop_assert_eq!(keys(&after.unwrap()), keys(&tree), "{}\n{}", text, masked);
        prop_assert!(only_values_changed(&text, &masked), "{}\n{}", text, masked);
        prop_assert_eq!(&masker.mask(&masked).text, &masked);
    }

    #[test]
    fn yaml_keeps_its_keys_and_all_but_its_secrets(trees in prop::collection::vec(tree(), 1..3)) {
        let masker = Masker::group("security").unwrap();
        let mut text = String::new();
        for tree in &trees {
            let tree = json!({"top": tree, "end": 1});
            text.push_str("---");
            yaml(&tree, 0, 0, &mut text);
            text.push('\n');
        }
        let parse = |text: &str| -> Option<Vec<Value>> {
            text.split("---\n").skip(1).map(|part| serde_saphyr::from_str::<Value>(part).ok()).collect()
        };
        let Some(before) = parse(&text) else { return Ok(()) };
        let masked = masker.mask(&text).text.into_owned();
        let after = parse(&masked);
        prop_assert!(after.is_some(), "{}\n{}", text, masked);
        let shapes = |docs: &[Value]| docs.iter().map(keys).collect::<Vec<_>>();
        prop_assert_eq!(shapes(&after.unwrap()), shapes(&before), "{}\n{}", text, masked);
        prop_assert_eq!(&masker.mask(&masked).text, &masked);
    }
}
