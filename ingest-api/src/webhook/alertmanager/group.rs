//! One session for a group of alerts (`group_alerts`).

use std::collections::BTreeMap;

use serde_json::json;
use serde_json::value::RawValue;
use tarsy_model::severity_rank;
use tarsy_store::Resolution;

use super::{Alert, Desk, Names, Payload};
use crate::clock;
use crate::problem::{FieldError, Problem};
use crate::webhook::{Action, Verdict};

/// Most alerts of a group that a session keeps; it says how many there were.
const KEPT_ALERTS: usize = 50;
/// Longest key of a group, in bytes.
const LONGEST_KEY: usize = 1024;

/// What is to be done about the group that a payload tells of.
pub(super) fn verdict(desk: &Desk<'_>, payload: &Payload<'_>) -> Verdict {
    let key = payload.group_key.map(RawValue::get);
    let key: String = key
        .and_then(|key| serde_json::from_str(key).ok())
        .unwrap_or_default();
    let action = action(desk, payload, &key).unwrap_or_else(Action::Reject);
    Verdict {
        fingerprint: key,
        action,
    }
}

fn action(desk: &Desk<'_>, payload: &Payload<'_>, key: &str) -> Result<Action, Problem> {
    if key.is_empty() || key.len() > LONGEST_KEY {
        let detail = format!("must be text of 1 to {LONGEST_KEY} bytes");
        return Err(refused("groupKey", detail));
    }
    let read = |raw: &&RawValue| {
        let alert: Alert = serde_json::from_str(raw.get()).ok()?;
        let starts_us = clock::micros_of(&alert.starts_at)?;
        Some((alert, starts_us, (*raw).to_owned()))
    };
    let alerts: Vec<_> = payload.alerts.iter().filter_map(read).collect();
    let newest_us = alerts.iter().map(|(_, starts_us, _)| *starts_us).max();
    let newest_us =
        newest_us.ok_or_else(|| refused("alerts", "holds no alert that can be read".to_owned()))?;
    let subject = format!("{}:group:{}", desk.source.source, key.escape_default());
    let occurrence = format!("{subject}:{newest_us}");
    let mut firing: Vec<_> = alerts
        .iter()
        .filter(|(a, ..)| a.status == "firing")
        .collect();
    // The most severe alert speaks for the group.
    firing.sort_by_key(|(alert, starts_us, _)| (std::cmp::Reverse(rank(desk, alert)), *starts_us));
    let Some((first, ..)) = firing.first() else {
        let ends = alerts
            .iter()
            .filter_map(|(a, ..)| clock::micros_of(&a.ends_at));
        return Ok(Action::Resolve(Resolution {
            idempotency_key: occurrence,
            resolved_at_us: ends.filter(|us| *us > 0).max().unwrap_or(desk.now_us),
        }));
    };
    let kept: Vec<_> = firing
        .iter()
        .take(KEPT_ALERTS)
        .map(|(.., raw)| raw)
        .collect();
    let shared = |value: Option<&RawValue>| -> BTreeMap<String, String> {
        value
            .and_then(|value| serde_json::from_str(value.get()).ok())
            .unwrap_or_default()
    };
    let (labels, annotations) = (
        shared(payload.common_labels),
        shared(payload.common_annotations),
    );
    let data = json!({
        "alerts": kept, "alert_count": firing.len(), "labels": labels, "annotations": annotations,
    });
    let data = serde_json::value::to_raw_value(&data)
        .map_err(|error| refused("alerts", format!("can't be kept: {error}")))?;
    let alert = Alert {
        labels: first.labels.clone().into_iter().chain(labels).collect(),
        annotations: first
            .annotations
            .clone()
            .into_iter()
            .chain(annotations)
            .collect(),
        ..first.clone()
    };
    let names = Names {
        fingerprint: subject.clone(),
        subject,
        occurrence,
    };
    let session = desk.session(&alert, &data, names, newest_us)?;
    Ok(Action::Accept(Box::new(session)))
}

fn rank(desk: &Desk<'_>, alert: &Alert) -> usize {
    let label = |name: &str| alert.labels.get(name).map(String::as_str);
    let annotation = |name: &str| alert.annotations.get(name).map(String::as_str);
    let severity = desk.source.severity.choose(label, annotation, |_| true);
    severity_rank(&severity.unwrap_or_default())
}

fn refused(field: &str, detail: String) -> Problem {
    Problem::InvalidAlert(vec![FieldError::new(field, detail)])
}
