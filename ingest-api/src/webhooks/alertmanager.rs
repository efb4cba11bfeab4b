//! Prometheus Alertmanager, webhook payload version 4.
//!
//! Read leniently: newer versions add members, and a template may leave some out. An alert
//! is the same occurrence as long as its fingerprint and `startsAt` are, however often a
//! group is sent again (`repeat_interval`, a highly available pair), ended sessions included.

mod group;
mod lenient;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use tarsy_config::{Mapping, WebhookConfig};
use tarsy_store::new_session::NewSession;
use tarsy_store::resolved::Resolution;

use crate::alerts::{
    Bounds, MAX_RUNBOOK, MAX_SEVERITY, Origin, Parts, Unreadable, is_address, new_session,
};
use crate::problem::{FieldError, Problem};
use crate::server::caller::Caller;
use crate::server::catalog::Catalog;
use crate::server::clock;
use crate::webhooks::{Action, Verdict};

use lenient::{alerts, text, texts};

/// A payload, its alerts not looked into yet.
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

/// The members of an alert that decide what is done with it.
#[derive(Clone, Debug, Deserialize)]
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
    /// When it began, if its name can be used.
    fn starts_us(&self, field: impl Fn(String) -> Problem) -> Result<i64, Problem> {
        if self.fingerprint.is_empty()
            || self.fingerprint.len() > 128
            || !self.fingerprint.is_ascii()
        {
            return Err(field(
                "`fingerprint` must be 1 to 128 ASCII characters".to_owned(),
            ));
        }
        clock::micros_of(&self.starts_at)
            .ok_or_else(|| field("`startsAt` is not an RFC 3339 time".to_owned()))
    }
}

impl<'p> Payload<'p> {
    /// Take a body apart.
    pub(crate) fn read(body: &'p str) -> Result<Self, Problem> {
        serde_json::from_str(body).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => Problem::InvalidAlert(vec![FieldError::new(
                "alerts",
                format!("can't be read: {error}"),
            )]),
            _ => Unreadable::from(error).into(),
        })
    }

    /// What the alerts share, as a member of each one's data.
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

/// What to do about each alert.
pub(crate) fn judge(
    payload: &Payload<'_>,
    source: &WebhookConfig,
    catalog: &Catalog,
    caller: &Caller,
    bounds: Bounds,
    now_us: i64,
) -> Vec<Verdict> {
    let group = payload.group();
    let desk = Desk {
        source,
        catalog,
        caller,
        bounds,
        now_us,
        group: group.as_deref(),
    };
    if source.group_alerts {
        return group::verdicts(&desk, payload);
    }
    payload
        .alerts
        .iter()
        .enumerate()
        .map(|(index, raw)| desk.verdict(index, raw))
        .collect()
}

/// What a session is known by.
struct Names {
    /// While it runs, a duplicate has the same.
    fingerprint: String,
    /// The same whenever it occurs.
    subject: String,
    /// Tells one occurrence from another.
    occurrence: String,
}

struct Desk<'a> {
    source: &'a WebhookConfig,
    catalog: &'a Catalog,
    caller: &'a Caller,
    bounds: Bounds,
    now_us: i64,
    group: Option<&'a RawValue>,
}

impl Desk<'_> {
    fn verdict(&self, index: usize, raw: &RawValue) -> Verdict {
        let field = |detail: String| {
            Problem::InvalidAlert(vec![FieldError::new(format!("alerts[{index}]"), detail)])
        };
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
        field: impl Fn(String) -> Problem,
    ) -> Result<Action, Problem> {
        let starts_us = alert.starts_us(&field)?;
        let key = format!(
            "{}:{}:{starts_us}",
            self.source.source,
            alert.fingerprint.escape_default()
        );
        match alert.status.as_str() {
            "resolved" => Ok(Action::Resolve(Resolution {
                idempotency_key: key,
                // The zero time of Go (year 1) says that it is not set.
                resolved_at_us: clock::micros_of(&alert.ends_at)
                    .filter(|us| *us > 0)
                    .unwrap_or(self.now_us),
            })),
            "firing" => {
                let names = Names {
                    fingerprint: key.clone(),
                    subject: format!(
                        "{}:{}",
                        self.source.source,
                        alert.fingerprint.escape_default()
                    ),
                    occurrence: key,
                };
                let session = self.session(alert, raw, names, starts_us)?;
                Ok(Action::Accept(Box::new(session)))
            }
            other => Err(field(format!(
                "`status` is `{other}`, not `firing` or `resolved`"
            ))),
        }
    }

    fn session(
        &self,
        alert: &Alert,
        raw: &RawValue,
        names: Names,
        starts_us: i64,
    ) -> Result<NewSession, Problem> {
        let label = |name: &str| alert.labels.get(name).map(String::as_str);
        let annotation = |name: &str| alert.annotations.get(name).map(String::as_str);
        let choose = |mapping: &Mapping, accept: &dyn Fn(&str) -> bool| {
            mapping.choose(label, annotation, accept)
        };
        let is_known = |found: &str| self.catalog.knows(found);
        let alert_type = &self.source.alert_type;
        let alert_type = alert_type.choose_or_first(label, annotation, is_known);
        let chain = self.catalog.chain(&alert_type)?;
        let is_short = |text: &str| text.chars().count() <= MAX_SEVERITY;
        let parts = Parts {
            runbook: choose(&self.source.runbook, &|found| {
                found.len() <= MAX_RUNBOOK && is_address(found)
            }),
            severity: choose(&self.source.severity, &is_short),
            environment: choose(&self.source.environment, &is_short),
            timestamp_us: Some(starts_us),
            data: raw.get(),
            others: self
                .group
                .map(|group| ("alertmanager".to_owned(), group))
                .into_iter()
                .collect(),
            alert_type,
        };
        let origin = Origin {
            source: self.source.kind.word(),
            author: Some(self.caller.author.clone()),
            subject: Some(names.subject),
            idempotency_key: Some(names.occurrence),
            fingerprint: Some(names.fingerprint),
            traceparent: self.caller.traceparent.clone(),
            now_us: self.now_us,
        };
        new_session(parts, chain, origin, self.bounds)
            .map_err(|error| Problem::InvalidAlert(vec![error]))
    }
}
