//! The facts of the alert that a notification shows: its location and its labels.

use serde_json::{Map, Value};

/// Fields with the location of the problem or its name at the source, in display order.
const FIELDS: [&str; 12] = [
    "summary",
    "cluster",
    "environment",
    "namespace",
    "pod",
    "deployment",
    "service",
    "host",
    "instance",
    "incident_id",
    "incident",
    "id",
];
/// Maximum number of fields and of labels, and maximum length of a value in characters.
const MOST_FIELDS: usize = 8;
const MOST_LABELS: usize = 20;
const LONGEST: usize = 200;

/// Facts of an alert. Values must already be masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Subject {
    /// Names and values of fields.
    pub(super) facts: Vec<(String, String)>,
    /// Labels that are not among the facts.
    pub(super) labels: Vec<(String, String)>,
}

impl Subject {
    /// Reads the facts from an alert's masked data.
    pub(super) fn from_alert(alert: &Value) -> Self {
        let empty = Map::new();
        let inner = |key: &str| alert.get(key).and_then(Value::as_object).unwrap_or(&empty);
        let labels = inner("labels");
        let groups = [
            alert.as_object().unwrap_or(&empty),
            labels,
            inner("data"),
            inner("annotations"),
        ];
        let facts = FIELDS.iter().filter_map(|field| {
            let value = groups.iter().find_map(|group| text(group.get(*field)?))?;
            Some(((*field).to_owned(), value))
        });
        Self {
            facts: facts.take(MOST_FIELDS).collect(),
            labels: labels
                .iter()
                .filter(|(name, _)| !FIELDS.contains(&name.as_str()))
                .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
                .take(MOST_LABELS)
                .collect(),
        }
    }
}

/// Returns a text or number, shortened to [`LONGEST`].
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) if !text.trim().is_empty() => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Subject;

    #[test]
    fn facts_come_from_the_alert_its_labels_data_and_annotations() {
        let alert = json!({
            "environment": "production", "labels": {"namespace": "shop", "severity": "critical", "n": [1]},
            "annotations": {"summary": "it is down"}, "data": {"pod": "cart-1", "namespace": "other"},
        });
        let subject = Subject::from_alert(&alert);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            subject.facts,
            [
                pair("summary", "it is down"),
                pair("environment", "production"),
                pair("namespace", "shop"),
                pair("pod", "cart-1")
            ]
        );
        assert_eq!(subject.labels, [pair("severity", "critical")]);
        assert_eq!(Subject::from_alert(&json!("withheld")), Subject::default());
    }
}
