//! Creates one session for a group of alerts (`group_alerts`).

use std::collections::BTreeMap;

use serde_json::json;
use serde_json::value::RawValue;
use tarsy_config::WebhookKind;
use tarsy_model::severity_rank;

use crate::Error;
use crate::session::check_storable;
use crate::webhooks::alertmanager::lenient::texts_of;
use crate::webhooks::alertmanager::{Alert, Judge, Payload};
use crate::webhooks::judge::Firing;
use crate::webhooks::{Action, Verdict};

/// Maximum number of a group's alerts that a session stores. It also stores their total number.
const KEPT_ALERTS: usize = 50;
/// Maximum size of these alerts in bytes. The first one is always stored.
const KEPT_BYTES: usize = 512 * 1024;
/// Longest key of a group, in bytes.
const LONGEST_KEY: usize = 1024;

/// A valid alert, its start time, and its text.
type Member<'p> = (Alert, i64, &'p RawValue);

/// Returns a verdict for each invalid alert of a payload, and one for the group of the others.
pub(super) fn verdicts(judge: &Judge<'_>, payload: &Payload<'_>) -> Vec<Verdict> {
    let key = payload.group_key.map(RawValue::get);
    let key: String = key
        .and_then(|key| serde_json::from_str(key).ok())
        .unwrap_or_default();
    let (mut verdicts, mut alerts) = (Vec::new(), Vec::new());
    for (index, raw) in payload.alerts.iter().enumerate() {
        match member(judge, index, raw) {
            Ok(member) => alerts.push(member),
            Err(verdict) => verdicts.push(verdict),
        }
    }
    if !alerts.is_empty() || verdicts.is_empty() {
        let action = action(judge, payload, &key, &alerts).unwrap_or_else(Action::Reject);
        verdicts.push(Verdict {
            fingerprint: key,
            action,
        });
    }
    verdicts
}

fn member<'p>(judge: &Judge<'_>, index: usize, raw: &'p RawValue) -> Result<Member<'p>, Verdict> {
    let field = |detail: String| Error::field(format!("alerts[{index}]"), detail);
    let rejected = |fingerprint: &str, problem| Verdict {
        fingerprint: fingerprint.to_owned(),
        action: Action::Reject(problem),
    };
    let alert: Alert = serde_json::from_str(raw.get())
        .map_err(|error| rejected("", field(format!("can't be read: {error}"))))?;
    let starts_us = alert
        .starts_us(field)
        .map_err(|problem| rejected(&alert.fingerprint, problem))?;
    if !matches!(alert.status.as_str(), "firing" | "resolved") {
        let detail = format!("`status` is `{}`, not `firing` or `resolved`", alert.status);
        return Err(rejected(&alert.fingerprint, field(detail)));
    }
    // Checked for each alert, so that one that can't be stored does not fail the group.
    check_storable(raw.get(), &format!("alerts[{index}]"), judge.desk.bounds)
        .map_err(|error| rejected(&alert.fingerprint, error.into()))?;
    Ok((alert, starts_us, raw))
}

fn action(
    judge: &Judge<'_>,
    payload: &Payload<'_>,
    key: &str,
    alerts: &[Member<'_>],
) -> Result<Action, Error> {
    if key.is_empty() || key.len() > LONGEST_KEY || key.contains('\0') {
        let detail = format!("must be text of 1 to {LONGEST_KEY} bytes, without U+0000");
        return Err(Error::field("groupKey", detail));
    }
    let newest_us = alerts.iter().map(|(_, starts_us, _)| *starts_us).max();
    let newest_us =
        newest_us.ok_or_else(|| Error::field("alerts", "holds no alert that can be read"))?;
    let subject = format!(
        "{}:group:{}",
        judge.desk.source.source,
        key.escape_default()
    );
    let occurrence = format!("{subject}:{newest_us}");
    let mut firing: Vec<_> = alerts
        .iter()
        .filter(|(a, ..)| a.status == "firing")
        .collect();
    // The most severe alert provides the session's values.
    firing.sort_by_key(|(alert, starts_us, _)| (std::cmp::Reverse(rank(judge, alert)), *starts_us));
    let Some((first, ..)) = firing.first() else {
        // Resolved by the subject, because the session's occurrence may be that of an alert which
        // resolved before.
        return Ok(Action::ResolveSubject(subject));
    };
    let mut bytes = 0;
    let kept: Vec<_> = firing
        .iter()
        .take(KEPT_ALERTS)
        .enumerate()
        .take_while(|(place, (.., raw))| {
            bytes += raw.get().len();
            *place == 0 || bytes <= KEPT_BYTES
        })
        .map(|(_, (.., raw))| raw)
        .collect();
    let shared = |value: Option<&RawValue>| {
        let texts = value.map(texts_of).and_then(Result::ok);
        texts.unwrap_or_default()
    };
    let (labels, annotations) = (
        shared(payload.common_labels),
        shared(payload.common_annotations),
    );
    let data = json!({
        "alerts": kept, "alert_count": firing.len(), "labels": labels, "annotations": annotations,
    });
    let data = serde_json::value::to_raw_value(&data)
        .map_err(|error| Error::field("alerts", format!("can't be kept: {error}")))?;
    let both =
        |own: &BTreeMap<String, String>, shared| own.clone().into_iter().chain(shared).collect();
    let mut session = judge.desk.session(Firing {
        labels: &both(&first.labels, labels),
        annotations: &both(&first.annotations, annotations),
        happened_us: Some(newest_us),
        data: data.get(),
        others: judge.others(),
        fingerprint: Some(subject.clone()),
        subject: Some(subject),
        occurrence: Some(occurrence),
    })?;
    // Sessions of single alerts are resolved by their key. Sessions of all other sources, including
    // groups, are resolved by their subject.
    session.source = match judge.desk.source.kind {
        WebhookKind::Grafana => "grafana-group",
        _ => "alertmanager-group",
    }
    .to_owned();
    Ok(Action::Accept(Box::new(session)))
}

fn rank(judge: &Judge<'_>, alert: &Alert) -> usize {
    let label = |name: &str| alert.labels.get(name).map(String::as_str);
    let annotation = |name: &str| alert.annotations.get(name).map(String::as_str);
    let severity = judge
        .desk
        .source
        .severity
        .choose(label, annotation, |_| true);
    severity_rank(&severity.unwrap_or_default())
}
