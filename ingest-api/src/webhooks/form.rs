//! Payloads that come as a form.

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::server::body::JsonBytes;

/// The fields as the members of an object, each a text; of a field that comes again the last.
pub(crate) fn json(form: &Bytes) -> JsonBytes {
    let fields = url::form_urlencoded::parse(form);
    let members: Map<String, Value> = fields
        .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
        .collect();
    JsonBytes(Value::Object(members).to_string().into())
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn fields_are_texts() {
        let read = json(&"a=1&b=x+y%22&a=2&c".into());
        assert_eq!(read.text().ok(), Some(r#"{"a":"2","b":"x y\"","c":""}"#));
    }
}
