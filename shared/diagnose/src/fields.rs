//! Fields of JSON by their pointers.

use serde_json::Value;

/// What has fields.
pub(crate) trait Fields {
    /// The value at a JSON pointer.
    fn at(&self, pointer: &str) -> Option<&Value>;

    /// A text; empty if there is none.
    fn text(&self, pointer: &str) -> &str {
        self.at(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// A whole number.
    fn number(&self, pointer: &str) -> Option<i64> {
        self.at(pointer)?.as_i64()
    }

    /// A list; empty if there is none.
    fn list(&self, pointer: &str) -> &[Value] {
        let list = self.at(pointer).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// The pairs of a map of texts.
    fn labels(&self, pointer: &str) -> Vec<(&str, &str)> {
        let map = self.at(pointer).and_then(Value::as_object);
        let pairs = map.into_iter().flatten();
        pairs
            .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
            .collect()
    }
}

impl Fields for Value {
    fn at(&self, pointer: &str) -> Option<&Value> {
        self.pointer(pointer)
    }
}
