//! From a notice to what is done about it.

use serde_json::Value;
use tarsy_config::{Mapping, WebhookConfig};
use tarsy_store::new_session::NewSession;

use crate::alerts::{Bounds, MAX_RUNBOOK, MAX_SEVERITY, Origin, Parts, is_address, new_session};
use crate::problem::{FieldError, Problem};
use crate::server::caller::Caller;
use crate::server::catalog::Catalog;
use crate::webhooks::vendor::{Notice, Phase};
use crate::webhooks::{Action, Verdict};

/// Longest name that a sender may give its trouble.
const LONGEST_NAME: usize = 512;

/// What notices are judged by.
pub(crate) struct Desk<'a> {
    pub(crate) source: &'a WebhookConfig,
    pub(crate) catalog: &'a Catalog,
    pub(crate) caller: &'a Caller,
    pub(crate) bounds: Bounds,
    pub(crate) now_us: i64,
}

impl Desk<'_> {
    /// What to do about a notice.
    pub(crate) fn verdict(&self, notice: &Notice) -> Verdict {
        let fingerprint = notice.subject.clone().unwrap_or_default();
        let action = self.action(notice).unwrap_or_else(Action::Reject);
        Verdict {
            fingerprint,
            action,
        }
    }

    fn action(&self, notice: &Notice) -> Result<Action, Problem> {
        for name in [&notice.subject, &notice.occurrence].into_iter().flatten() {
            if name.len() > LONGEST_NAME || name.contains('\0') {
                return Err(refused("id", "is too long"));
            }
        }
        let scoped = |name: &String| format!("{}:{name}", self.source.source);
        let subject = notice.subject.as_ref().map(scoped);
        match (notice.phase, subject) {
            (Phase::Other, _) => Ok(Action::Ignore),
            (Phase::Resolved(_), None) => Ok(Action::Ignore),
            (Phase::Resolved(_), Some(subject)) => Ok(Action::ResolveSubject(subject)),
            (Phase::Firing, subject) => {
                let key = notice.occurrence.as_ref().map(scoped);
                Ok(Action::Accept(Box::new(
                    self.session(notice, subject, key)?,
                )))
            }
        }
    }

    fn session(
        &self,
        notice: &Notice,
        subject: Option<String>,
        key: Option<String>,
    ) -> Result<NewSession, Problem> {
        let label = |path: &str| notice.labels.get(path).map(String::as_str);
        let choose =
            |mapping: &Mapping, accept: &dyn Fn(&str) -> bool| mapping.choose(label, label, accept);
        let is_known = |found: &str| self.catalog.knows(found);
        let alert_type = &self.source.alert_type;
        let alert_type = alert_type.choose_or_first(label, label, is_known);
        let chain = self.catalog.chain(&alert_type)?;
        let is_short = |text: &str| text.chars().count() <= MAX_SEVERITY && !text.contains('\0');
        let data = match &notice.data {
            Value::Object(_) => notice.data.to_string(),
            other => serde_json::json!({ "data": other }).to_string(),
        };
        let parts = Parts {
            runbook: choose(&self.source.runbook, &|found| {
                found.len() <= MAX_RUNBOOK && is_address(found)
            }),
            severity: choose(&self.source.severity, &is_short),
            environment: choose(&self.source.environment, &is_short),
            timestamp_us: notice.happened_us,
            data: &data,
            others: Vec::new(),
            alert_type,
        };
        let origin = Origin {
            source: self.source.kind.word(),
            author: Some(self.caller.author.clone()),
            idempotency_key: key,
            subject: subject.clone(),
            fingerprint: subject,
            traceparent: self.caller.traceparent.clone(),
            now_us: self.now_us,
        };
        new_session(parts, chain, origin, self.bounds)
            .map_err(|error| Problem::InvalidAlert(vec![error]))
    }
}

fn refused(field: &str, detail: &str) -> Problem {
    Problem::InvalidAlert(vec![FieldError::new(field, detail)])
}
