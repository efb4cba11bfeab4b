//! Session filters in a request body.

use serde_json::{Map, Value};
use tarsy_model::SessionField;
use tarsy_store::history::SessionFilter;

use crate::problem::{FieldError, Problem};
use crate::sessions::query::ListQuery;

/// Reads a filter like `{"status": ["failed"], "alert_type": "..."}`. Rejects a filter that matches
/// every session; to select all, callers list every status.
pub(crate) fn read(
    filter: &Map<String, Value>,
) -> Result<(SessionFilter, Option<String>), Problem> {
    let mut pairs = Vec::new();
    let mut errors = Vec::new();
    for (name, value) in filter {
        // Other parameters of a list, such as sorting and paging, are not filters.
        if SessionField::named(name).is_none() {
            let names = SessionField::ALL.map(SessionField::name).join(", ");
            let detail = format!("is not a filter; known filters: {names}");
            errors.push(FieldError::new(format!("filter.{name}"), detail));
            continue;
        }
        match texts(value) {
            Some(texts) => pairs.extend(texts.into_iter().map(|text| (name.clone(), text))),
            None => errors.push(FieldError::new(
                format!("filter.{name}"),
                "must be a string, a number, a boolean or a list of strings",
            )),
        }
    }
    if !errors.is_empty() {
        return Err(Problem::InvalidRequest(errors));
    }
    let query = ListQuery::read(&pairs).map_err(|problem| match problem {
        Problem::InvalidParameter(error) => Problem::InvalidRequest(vec![FieldError::new(
            format!("filter.{}", error.field),
            error.detail,
        )]),
        other => other,
    })?;
    if !query.filter.narrows() && query.search.is_none() {
        return Err(Problem::InvalidRequest(vec![FieldError::new(
            "filter",
            "must not match every session; to select all, list every status",
        )]));
    }
    Ok((query.filter, query.search))
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Number(number) => Some(vec![number.to_string()]),
        Value::Bool(flag) => Some(vec![flag.to_string()]),
        Value::Array(values) => values
            .iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::read;
    use crate::problem::Problem;

    fn filter(value: Value) -> Result<usize, Problem> {
        let Value::Object(map) = value else {
            panic!("an object")
        };
        read(&map).map(|(filter, _)| filter.statuses.len())
    }

    #[test]
    fn the_lists_filters_are_understood() {
        let all = json!({"status": ["failed", "completed"], "alert_type": "x", "start_date_us": 5, "search": "abc"});
        assert_eq!(filter(all).ok(), Some(2));
        assert_eq!(filter(json!({"status": "failed"})).ok(), Some(1));
    }

    #[test]
    fn what_leaves_nothing_out_or_is_no_filter_is_refused() {
        for refused in [
            json!({}),
            json!({"status": ""}),
            json!({"page": 2}),
            json!({"status": {}}),
            json!({"status": "odd"}),
            json!({"stat": "failed"}),
            json!({"severity": [1]}),
        ] {
            let read = filter(refused.clone());
            assert!(matches!(read, Err(Problem::InvalidRequest(_))), "{refused}");
        }
    }
}
