//! Masking of JSON values: keys, order and nesting stay, secrets in strings and numbers go.

use serde_json::Value;

use crate::kind::Kinds;
use crate::masker::Masker;

impl Masker {
    /// Masks every string of `value` and what secret-sounding keys hold; the structure stays.
    #[must_use]
    pub fn mask_json(&self, value: &Value) -> (Value, Kinds) {
        let mut kinds = Kinds::new();
        let masked = self.leaf(value, &mut kinds);
        (masked, kinds)
    }

    fn leaf(&self, value: &Value, kinds: &mut Kinds) -> Value {
        match value {
            Value::String(text) => {
                let masked = self.mask(text);
                for (kind, count) in masked.kinds {
                    *kinds.entry(kind).or_default() += count;
                }
                Value::String(masked.text.into_owned())
            }
            Value::Array(items) => items.iter().map(|item| self.leaf(item, kinds)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(k, v)| (k.clone(), self.leaf(v, kinds)))
                .collect(),
            other => other.clone(),
        }
    }
}
