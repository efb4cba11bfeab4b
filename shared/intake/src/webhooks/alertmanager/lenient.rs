//! Deserializes members of a payload that other templates or languages write differently.
//!
//! `null` is empty, a scalar becomes its text, and an empty list counts as an empty object, because
//! PHP writes it so.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Maximum number of alerts of one payload. Fewer real ones fit into 16 MiB.
const MOST_ALERTS: usize = 100_000;

/// Reads a text. `null` is empty, and any other value becomes its JSON.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = <&RawValue>::deserialize(deserializer)?;
    text_of(value).map_err(Error::custom)
}

/// Reads texts by name. Members that are `null` are left out. A value that is not an object is read as empty.
pub(super) fn texts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let value = <&RawValue>::deserialize(deserializer)?;
    texts_of(value).map_err(Error::custom)
}

/// Reads texts by name, like [`texts`], from a value that is already parsed.
pub(super) fn texts_of(value: &RawValue) -> serde_json::Result<BTreeMap<String, String>> {
    if !value.get().starts_with('{') {
        return Ok(BTreeMap::new());
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(value.get())?;
    let named = members
        .into_iter()
        .filter(|(_, value)| value.get() != "null");
    named
        .map(|(name, value)| Ok((name, text_of(value)?)))
        .collect()
}

fn text_of(value: &RawValue) -> serde_json::Result<String> {
    match value.get() {
        "null" => Ok(String::new()),
        quoted if quoted.starts_with('"') => serde_json::from_str(quoted),
        other => Ok(other.to_owned()),
    }
}

/// Reads the list of alerts without parsing them. `null` is an empty list, because Go writes it so.
pub(super) fn alerts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<&'de RawValue>, D::Error> {
    struct Alerts;

    impl<'de> Visitor<'de> for Alerts {
        type Value = Vec<&'de RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of alerts")
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut alerts = Vec::new();
            while let Some(alert) = list.next_element()? {
                if alerts.len() == MOST_ALERTS {
                    while list.next_element::<IgnoredAny>()?.is_some() {}
                    let detail = format!("more than {MOST_ALERTS} alerts in one payload");
                    return Err(Error::custom(detail));
                }
                alerts.push(alert);
            }
            Ok(alerts)
        }
    }

    deserializer.deserialize_any(Alerts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::webhooks::alertmanager::Alert;

    #[derive(serde::Deserialize)]
    struct List<'l>(#[serde(borrow, deserialize_with = "alerts")] Vec<&'l RawValue>);

    #[test]
    fn odd_members_are_read_as_what_they_mean() {
        let sent = r#"{"status": "firing", "annotations": null, "endsAt": null, "fingerprint": 17, "startsAt": "t",
            "labels": {"port": 8080, "on": true, "none": null, "digits": 12345678901234567890123, "list": [1,"a"], "text": "a\u0062"}}"#;
        let alert: Alert = serde_json::from_str(sent).unwrap();
        assert_eq!(
            json!(alert.labels),
            json!({
                "port": "8080", "on": "true", "digits": "12345678901234567890123", "list": "[1,\"a\"]", "text": "ab",
            })
        );
        assert!(alert.annotations.is_empty() && alert.ends_at.is_empty());
        assert_eq!(alert.fingerprint, "17");
        let empty: Alert = serde_json::from_str(r#"{"labels": [], "annotations": ""}"#).unwrap();
        assert!(empty.labels.is_empty() && empty.status.is_empty());
    }

    #[test]
    fn no_alerts_are_an_empty_list() {
        assert!(
            serde_json::from_str::<List<'_>>("null")
                .unwrap()
                .0
                .is_empty()
        );
        assert_eq!(
            serde_json::from_str::<List<'_>>("[1, {}]").unwrap().0.len(),
            2
        );
        assert!(serde_json::from_str::<List<'_>>("{}").is_err());
        let many = format!("[{}1]", "1,".repeat(MOST_ALERTS));
        assert!(serde_json::from_str::<List<'_>>(&many).is_err());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_member_of_any_form_costs_the_alert(labels in any_json(), annotations in any_json(), ends in any_json()) {
            let sent = json!({
                "status": "firing", "fingerprint": "f", "startsAt": "2026-11-20T08:00:00Z",
                "labels": labels, "annotations": annotations, "endsAt": ends,
            });
            let alert: Alert = serde_json::from_str(&sent.to_string()).unwrap();
            let texts = labels.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
            prop_assert_eq!(alert.labels.len(), texts.count());
            prop_assert_eq!(alert.fingerprint, "f");
        }
    }
}
