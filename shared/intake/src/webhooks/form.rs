//! Payloads that are sent as a form.

use serde_json::{Map, Value};

/// Converts the fields to a JSON object with texts. If a field occurs more than once, the last one counts.
#[must_use]
pub fn json_of_form(form: &[u8]) -> String {
    let fields = url::form_urlencoded::parse(form);
    let members: Map<String, Value> = fields
        .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
        .collect();
    Value::Object(members).to_string()
}

#[cfg(test)]
mod tests {
    use super::json_of_form;

    #[test]
    fn fields_are_texts() {
        let read = json_of_form(b"a=1&b=x+y%22&a=2&c");
        assert_eq!(read, r#"{"a":"2","b":"x y\"","c":""}"#);
    }
}
