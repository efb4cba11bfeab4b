//! Typed access to JSON fields by JSON pointer.

use serde_json::Value;

/// A value whose fields can be read by JSON pointer.
pub(crate) trait Fields {
    /// Returns the value at a JSON pointer.
    fn at(&self, pointer: &str) -> Option<&Value>;

    /// Returns a text; empty if there is none.
    fn text(&self, pointer: &str) -> &str {
        self.at(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a whole number.
    fn number(&self, pointer: &str) -> Option<i64> {
        self.at(pointer)?.as_i64()
    }

    /// Returns a list; empty if there is none.
    fn list(&self, pointer: &str) -> &[Value] {
        let list = self.at(pointer).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// Returns the keys and values of a map of texts, such as labels.
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
