//! Prometheus Alertmanager, webhook payload version 4.
//!
//! Payloads are read leniently, because newer versions add members and templates may omit some.
//! Alerts with the same fingerprint and `startsAt` are one occurrence. That holds no matter how
//! often a group is sent again (`repeat_interval`, a highly available pair), and also after the
//! session has ended.

mod group;
mod lenient;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use tarsy_store::resolved::Resolution;

use crate::Error;
use crate::webhooks::judge::Firing;
use crate::webhooks::{Action, Desk, Verdict, micros_of};

use lenient::{alerts, text, texts};

/// A payload whose alerts are not parsed yet.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payload<'p> {
    #[serde(borrow, deserialize_with = "alerts")]
    alerts: Vec<&'p RawValue>,
    receiver: Option<&'p RawValue>,
    group_key: Option<&'p RawValue>,
    group_labels: Option<&'p RawValue>,
    common_labels: Option<&'p RawValue>,
    common_annotations: Option<&'p RawValue>,
    #[serde(rename = "externalURL")]
    external_url: Option<&'p RawValue>,
}

/// Members of an alert that determine its action.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Alert {
    #[serde(default, deserialize_with = "text")]
    status: String,
    #[serde(default, deserialize_with = "texts")]
    labels: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "texts")]
    annotations: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "text")]
    starts_at: String,
    #[serde(default, deserialize_with = "text")]
    ends_at: String,
    #[serde(default, deserialize_with = "text")]
    fingerprint: String,
}

impl Alert {
    /// Returns the start time, and checks the fingerprint.
    fn starts_us(&self, field: impl Fn(String) -> Error) -> Result<i64, Error> {
        if self.fingerprint.is_empty()
            || self.fingerprint.len() > 128
            || !self.fingerprint.is_ascii()
        {
            return Err(field(
                "`fingerprint` must be 1 to 128 ASCII characters".to_owned(),
            ));
        }
        micros_of(&self.starts_at)
            .ok_or_else(|| field("`startsAt` is not an RFC 3339 time".to_owned()))
    }
}

impl<'p> Payload<'p> {
    /// Parses a body.
    pub(crate) fn read(body: &'p str) -> Result<Self, Error> {
        serde_json::from_str(body).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => {
                Error::field("alerts", format!("can't be read: {error}"))
            }
            _ => Error::unreadable(&error),
        })
    }

    /// Returns the data that the alerts share, which becomes a member of each alert's data.
    fn group(&self) -> Option<Box<RawValue>> {
        let members = [
            ("receiver", self.receiver),
            ("groupKey", self.group_key),
            ("groupLabels", self.group_labels),
            ("externalURL", self.external_url),
        ];
        let group: BTreeMap<_, _> = members
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        serde_json::value::to_raw_value(&group).ok()
    }
}

/// Returns the action for each alert.
pub(crate) fn judge(desk: &Desk<'_>, payload: &Payload<'_>) -> Vec<Verdict> {
    let group = payload.group();
    let judge = Judge {
        desk,
        group: group.as_deref(),
    };
    if desk.source.group_alerts {
        return group::verdicts(&judge, payload);
    }
    let alerts = payload.alerts.iter().enumerate();
    alerts
        .map(|(index, raw)| judge.verdict(index, raw))
        .collect()
}

struct Judge<'a> {
    desk: &'a Desk<'a>,
    /// Data that the alerts of the payload share.
    group: Option<&'a RawValue>,
}

impl Judge<'_> {
    fn verdict(&self, index: usize, raw: &RawValue) -> Verdict {
        let field = |detail: String| Error::field(format!("alerts[{index}]"), detail);
        let (fingerprint, action) = match serde_json::from_str::<Alert>(raw.get()) {
            Ok(alert) => (alert.fingerprint.clone(), self.action(&alert, raw, field)),
            Err(error) => (String::new(), Err(field(format!("can't be read: {error}")))),
        };
        Verdict {
            fingerprint,
            action: action.unwrap_or_else(Action::Reject),
        }
    }

    fn action(
        &self,
        alert: &Alert,
        raw: &RawValue,
        field: impl Fn(String) -> Error,
    ) -> Result<Action, Error> {
        let starts_us = alert.starts_us(&field)?;
        let name = alert.fingerprint.escape_default();
        let subject = format!("{}:{name}", self.desk.source.source);
        let key = format!("{subject}:{starts_us}");
        match alert.status.as_str() {
            "resolved" => Ok(Action::Resolve(Resolution {
                idempotency_key: key,
                // Go's zero time (year 1) means that it is not set.
                resolved_at_us: micros_of(&alert.ends_at)
                    .filter(|us| *us > 0)
                    .unwrap_or(self.desk.now_us),
            })),
            "firing" => {
                let session = self.desk.session(Firing {
                    labels: &alert.labels,
                    annotations: &alert.annotations,
                    happened_us: Some(starts_us),
                    data: raw.get(),
                    others: self.others(),
                    fingerprint: Some(key.clone()),
                    subject: Some(subject),
                    occurrence: Some(key),
                })?;
                Ok(Action::Accept(Box::new(session)))
            }
            other => Err(field(format!(
                "`status` is `{other}`, not `firing` or `resolved`"
            ))),
        }
    }

    /// Returns the further members for the data of an alert.
    fn others(&self) -> Vec<(String, &RawValue)> {
        let group = self.group.map(|group| ("alertmanager".to_owned(), group));
        group.into_iter().collect()
    }
}
