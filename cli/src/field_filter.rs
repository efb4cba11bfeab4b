//! Option `--filter FIELD=VALUE` of searches and questions.

use std::collections::BTreeMap;

/// A field and a value that it must have.
pub(crate) type FieldFilter = (String, String);

/// Parses `FIELD=VALUE`.
pub(crate) fn parse(text: &str) -> Result<FieldFilter, String> {
    let parts = text.split_once('=');
    let parts = parts.map(|(field, value)| (field.trim(), value.trim()));
    match parts {
        Some((field, value)) if !field.is_empty() && !value.is_empty() => {
            Ok((field.to_owned(), value.to_owned()))
        }
        _ => Err("expected FIELD=VALUE".to_owned()),
    }
}

/// Groups the values by field. A record matches a field with any of its values.
pub(crate) fn by_field(filters: &[FieldFilter]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (field, value) in filters {
        all.entry(field.clone()).or_default().push(value.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{by_field, parse};

    #[test]
    fn values_of_one_field_are_alternatives() {
        let filters = ["rack=r07", "model = a=b ", "rack=r08"].map(|text| parse(text).expect(text));
        let expected = json!({"rack": ["r07", "r08"], "model": ["a=b"]});
        assert_eq!(json!(by_field(&filters)), expected);
        for wrong in ["rack", "=r07", "rack=", " = ", ""] {
            parse(wrong).expect_err(wrong);
        }
    }
}
