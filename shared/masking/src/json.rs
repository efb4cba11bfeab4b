//! Masks JSON values. Keys, order and nesting stay; secrets in strings and numbers are replaced.

use serde_json::{Map, Value};

use crate::bytes::{self, TOKEN68};
use crate::find::keyed;
use crate::kind::{Kind, Kinds, is_marker};
use crate::masker::{Masker, guard, report, withheld};
use crate::pattern::Pattern;
use crate::view::View;

/// Longest string that is scanned together with its key, in bytes.
const TOKEN_BYTES: usize = 4096;

/// Position of a value, as far as it determines its meaning.
#[derive(Debug, Clone, Copy, Default)]
struct ValueContext<'v> {
    key: &'v str,
    /// Key of the object that contains the value.
    parent: &'v str,
    /// Whether it is a value in the `data` of a Kubernetes Secret.
    payload: bool,
    /// Whether it is an item of a list of Secrets.
    listed: bool,
}

impl Masker {
    /// Masks every string of `value`, the values of keys that suggest a secret, and the values of Kubernetes Secrets.
    /// The structure stays. A string that can't be masked is withheld.
    #[must_use]
    pub fn mask_json(&self, value: &Value) -> (Value, Kinds) {
        if !self.is_enabled() {
            return (value.clone(), Kinds::new());
        }
        let masked = guard(|| {
            let mut kinds = Kinds::new();
            (
                self.member(value, ValueContext::default(), &mut kinds),
                kinds,
            )
        });
        let masked = masked.unwrap_or_else(|_| {
            let text = withheld();
            (Value::String(text.text.into_owned()), text.kinds)
        });
        report(&masked.1);
        masked
    }

    fn member(&self, value: &Value, place: ValueContext<'_>, kinds: &mut Kinds) -> Value {
        match value {
            Value::String(text) => Value::String(self.string(text, place, kinds)),
            Value::Number(number) => {
                let text = number.to_string();
                let pattern = self.pattern_by_place(place, &text);
                pattern.map_or_else(
                    || value.clone(),
                    |pattern| Value::String(count(kinds, pattern)),
                )
            }
            Value::Array(items) => items
                .iter()
                .map(|item| self.member(item, place, kinds))
                .collect(),
            Value::Object(map) => self.object(map, place, kinds),
            Value::Bool(_) | Value::Null => value.clone(),
        }
    }

    fn object(
        &self,
        map: &Map<String, Value>,
        place: ValueContext<'_>,
        kinds: &mut Kinds,
    ) -> Value {
        let text = |name: &str| map.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = text("kind");
        let listed = place.listed || kind == "SecretList";
        let secret = listed || kind == "Secret";
        // `{"name": "DB_PASSWORD", "value": …}`
        let named = [text("name"), text("key")]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or_default();
        let mut masked = Map::new();
        for (key, value) in map {
            let payload =
                place.payload || (secret && matches!(key.as_str(), "data" | "stringData"));
            let naming_key = if key == "value" && !named.is_empty() {
                named
            } else {
                key
            };
            let value = self.member(
                value,
                ValueContext {
                    key: naming_key,
                    parent: place.key,
                    payload,
                    listed,
                },
                kinds,
            );
            masked.insert(self.key(key, &masked, kinds), value);
        }
        Value::Object(masked)
    }

    /// Returns the key, with any token in it masked.
    fn key(&self, key: &str, taken: &Map<String, Value>, kinds: &mut Kinds) -> String {
        let mut name = self.text(key, kinds);
        while name != key && taken.contains_key(&name) {
            name.push('_');
        }
        name
    }

    fn string(&self, text: &str, place: ValueContext<'_>, kinds: &mut Kinds) -> String {
        if is_marker(text.as_bytes()) {
            return text.to_owned();
        }
        if let Some(pattern) = self
            .pattern_by_place(place, text)
            .filter(|_| !text.is_empty())
        {
            let specific = self.mask_part(text);
            if is_marker(specific.text.as_bytes()) {
                add(kinds, specific.kinds);
                return specific.text.into_owned();
            }
            return count(kinds, pattern);
        }
        // As in text, the keys above a token give it its meaning.
        if (16..TOKEN_BYTES).contains(&text.len()) && bytes::all(text.as_bytes(), TOKEN68) {
            let lead = format!("{}\": {{\"{}\": \"", place.parent, place.key);
            let whole = format!("{lead}{text}\"");
            let masked = self.mask_part(&whole);
            if let Some(rest) = masked
                .text
                .strip_prefix(&lead)
                .and_then(|rest| rest.strip_suffix('"'))
            {
                let rest = rest.to_owned();
                add(kinds, masked.kinds);
                return rest;
            }
        }
        self.text(text, kinds)
    }

    /// Returns the pattern under which `text` is a secret because of its position alone.
    fn pattern_by_place(&self, place: ValueContext<'_>, text: &str) -> Option<Pattern> {
        let pattern = if place.payload {
            Pattern::KubernetesSecret
        } else {
            keyed::value_is_secret(View::new(place.key).text(), View::new(text).text())?
        };
        self.set.has(pattern).then_some(pattern)
    }

    fn text(&self, text: &str, kinds: &mut Kinds) -> String {
        let masked = self.mask_part(text);
        add(kinds, masked.kinds);
        masked.text.into_owned()
    }
}

fn count(kinds: &mut Kinds, pattern: Pattern) -> String {
    let kind: Kind = pattern.kind();
    let marker = kind.marker();
    *kinds.entry(kind).or_default() += 1;
    marker
}

fn add(kinds: &mut Kinds, more: Kinds) {
    for (kind, count) in more {
        *kinds.entry(kind).or_default() += count;
    }
}
