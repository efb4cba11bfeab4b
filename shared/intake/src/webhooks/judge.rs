//! Decides the action for a notice, and builds the session of a firing alert.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;
use tarsy_config::Mapping;
use tarsy_store::new_session::NewSession;

use crate::Error;
use crate::envelope::{MAX_RUNBOOK, MAX_SEVERITY, is_address};
use crate::session::{Origin, Parts, new_session};
use crate::webhooks::vendor::{Notice, Phase};
use crate::webhooks::{Action, Desk, Verdict};

/// Longest name of a subject or occurrence, in bytes.
const LONGEST_NAME: usize = 512;

/// A firing alert, as its sender describes it.
pub(super) struct Firing<'a> {
    /// Values that the source's mappings choose from.
    pub(super) labels: &'a BTreeMap<String, String>,
    pub(super) annotations: &'a BTreeMap<String, String>,
    pub(super) happened_us: Option<i64>,
    /// Text of a JSON object.
    pub(super) data: &'a str,
    /// Further members for the data.
    pub(super) others: Vec<(String, &'a RawValue)>,
    /// Identifies duplicates while the session runs.
    pub(super) fingerprint: Option<String>,
    /// Name of what the alert is about, the same for every occurrence.
    pub(super) subject: Option<String>,
    /// Identifies one occurrence.
    pub(super) occurrence: Option<String>,
}

impl Desk<'_> {
    /// Returns the action for a notice.
    pub(super) fn verdict(&self, notice: &Notice) -> Verdict {
        let fingerprint = notice.subject.clone().unwrap_or_default();
        let action = self.action(notice).unwrap_or_else(Action::Reject);
        Verdict {
            fingerprint,
            action,
        }
    }

    fn action(&self, notice: &Notice) -> Result<Action, Error> {
        for name in [&notice.subject, &notice.occurrence].into_iter().flatten() {
            if name.len() > LONGEST_NAME || name.contains('\0') {
                return Err(Error::field("id", "is too long"));
            }
        }
        let scoped = |name: &String| format!("{}:{name}", self.source.source);
        let subject = notice.subject.as_ref().map(scoped);
        match (notice.phase, subject) {
            (Phase::Other, _) => Ok(Action::Ignore),
            (Phase::Resolved, None) => Ok(Action::Ignore),
            (Phase::Resolved, Some(subject)) => Ok(Action::ResolveSubject(subject)),
            (Phase::Firing, subject) => {
                let data = match &notice.data {
                    Value::Object(_) => notice.data.to_string(),
                    other => serde_json::json!({ "data": other }).to_string(),
                };
                let session = self.session(Firing {
                    labels: &notice.labels,
                    annotations: &notice.labels,
                    happened_us: notice.happened_us,
                    data: &data,
                    others: Vec::new(),
                    fingerprint: subject.clone(),
                    subject,
                    occurrence: notice.occurrence.as_ref().map(scoped),
                })?;
                Ok(Action::Accept(Box::new(session)))
            }
        }
    }

    /// Builds the session of an alert.
    pub(super) fn session(&self, firing: Firing<'_>) -> Result<NewSession, Error> {
        let label = |name: &str| firing.labels.get(name).map(String::as_str);
        let annotation = |name: &str| firing.annotations.get(name).map(String::as_str);
        let choose = |mapping: &Mapping, accept: &dyn Fn(&str) -> bool| {
            mapping.choose(label, annotation, accept)
        };
        let is_known = |found: &str| self.chains.knows(found);
        let alert_type = &self.source.alert_type;
        let alert_type = alert_type.choose_or_first(label, annotation, is_known);
        let chain = self.chains.chain(&alert_type)?;
        let is_short = |text: &str| text.chars().count() <= MAX_SEVERITY && !text.contains('\0');
        let parts = Parts {
            runbook: choose(&self.source.runbook, &|found| {
                found.len() <= MAX_RUNBOOK && is_address(found)
            }),
            severity: choose(&self.source.severity, &is_short),
            environment: choose(&self.source.environment, &is_short),
            timestamp_us: firing.happened_us,
            data: firing.data,
            others: firing.others,
            alert_type,
        };
        let origin = Origin {
            source: self.source.kind.as_str(),
            author: Some(self.author.to_owned()),
            idempotency_key: firing.occurrence,
            subject: firing.subject,
            fingerprint: firing.fingerprint,
            traceparent: self.traceparent.map(str::to_owned),
            now_us: self.now_us,
        };
        Ok(new_session(parts, chain, origin, self.bounds)?)
    }
}
