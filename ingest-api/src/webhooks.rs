//! Webhook payloads: each vendor's form in its own file, one form of answer.

pub(crate) mod alertmanager;
mod change;
pub(crate) mod form;
pub(crate) mod handlers;
pub(crate) mod judge;
pub(crate) mod signature;
pub(crate) mod sns;
pub(crate) mod vendor;

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use tarsy_model::SessionId;
use tarsy_store::changes::NewChange;
use tarsy_store::new_session::NewSession;
use tarsy_store::resolved::Resolution;
use tarsy_store::sessions::Accepted;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::alerts::rejected::Outcome::{Rejected, Taken};
use crate::alerts::rejected::{Outcomes, RejectedAlert};
use crate::problem::Problem;

/// What to do about one alert of a payload.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The sender's name for the alert.
    pub(crate) fingerprint: String,
    pub(crate) action: Action,
}

/// See [`Verdict`].
#[derive(Debug)]
pub(crate) enum Action {
    /// It fires: a session.
    Accept(Box<NewSession>),
    /// This occurrence is over: note that on its session.
    Resolve(Resolution),
    /// The trouble of this name is over: note that on its newest session.
    ResolveSubject(String),
    /// Something changed: a row.
    Record(Box<NewChange>),
    /// It needs nobody.
    Ignore,
    /// It can't be used.
    Reject(Problem),
}

impl Verdict {
    pub(crate) fn session(&self) -> Option<&NewSession> {
        match &self.action {
            Action::Accept(session) => Some(session),
            _ => None,
        }
    }

    /// The changes, in order.
    pub(crate) fn changes(verdicts: &[Self]) -> Vec<NewChange> {
        let changes = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::Record(change) => Some((**change).clone()),
            _ => None,
        });
        changes.collect()
    }

    /// The troubles that are over, by name.
    pub(crate) fn subjects(verdicts: &[Self]) -> Vec<String> {
        let subjects = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::ResolveSubject(subject) => Some(subject.clone()),
            _ => None,
        });
        subjects.collect()
    }

    pub(crate) fn resolved(verdicts: &[Self]) -> Vec<Resolution> {
        let resolutions = verdicts.iter().filter_map(|verdict| match &verdict.action {
            Action::Resolve(resolution) => Some(resolution.clone()),
            _ => None,
        });
        resolutions.collect()
    }
}

/// What became of one alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Became {
    /// A session was made.
    Queued,
    /// It has a session already, or is a change that is there.
    Duplicate,
    /// Another session stands for it; its chain does not investigate it again yet (`suppress`).
    Suppressed,
    /// Its session knows that it is over.
    Resolved,
    /// It is over, and no session was about it.
    Unknown,
    /// A change was recorded.
    Recorded,
    /// It needs nobody.
    Ignored,
    /// It can't be used; `problem` says why.
    Rejected,
}

impl Became {
    const fn from_accepted(accepted: Accepted) -> Self {
        match accepted {
            Accepted::Fresh { .. } => Self::Queued,
            Accepted::Duplicate { .. } => Self::Duplicate,
            Accepted::Suppressed { .. } => Self::Suppressed,
            Accepted::KeyReused => Self::Rejected,
        }
    }
}

/// One alert of a payload.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Outcome {
    /// The sender's name for the alert.
    fingerprint: String,
    status: Became,
    #[serde(skip_serializing_if = "Option::is_none")]
    alert_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    session_id: Option<SessionId>,
    /// Why it can't be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    problem: Option<Value>,
}

/// What became of a payload.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reception {
    /// Each alert, in the order of the payload.
    results: Vec<Outcome>,
}

impl Reception {
    /// Put the answers next to their verdicts.
    ///
    /// A problem that will pass (database away, overload) fails the whole payload: the
    /// sender repeats it, and what was accepted already is then a duplicate.
    pub(crate) fn new(
        verdicts: Vec<Verdict>,
        accepted: Vec<Result<Accepted, Problem>>,
        noted: &[(String, SessionId)],
        recorded: &HashSet<Uuid>,
    ) -> Result<Self, Problem> {
        let mut accepted = accepted.into_iter();
        let mut results = Vec::with_capacity(verdicts.len());
        for Verdict {
            fingerprint,
            action,
        } in verdicts
        {
            let mut outcome = Outcome {
                fingerprint,
                status: Became::Rejected,
                alert_id: None,
                session_id: None,
                problem: None,
            };
            match action {
                Action::Reject(problem) => outcome.problem = Some(problem.to_json()),
                Action::Ignore => outcome.status = Became::Ignored,
                Action::Record(new) => {
                    outcome.status = match recorded.contains(&new.change.change_id) {
                        true => Became::Recorded,
                        false => Became::Duplicate,
                    };
                }
                Action::Resolve(Resolution {
                    idempotency_key: name,
                    ..
                })
                | Action::ResolveSubject(name) => {
                    let session = noted.iter().find(|(key, _)| *key == name);
                    outcome.session_id = session.map(|(_, session_id)| *session_id);
                    outcome.status = if session.is_some() {
                        Became::Resolved
                    } else {
                        Became::Unknown
                    };
                }
                Action::Accept(_) => match accepted.next() {
                    Some(Err(problem)) if problem.code().status().is_server_error() => {
                        return Err(problem);
                    }
                    Some(Err(problem)) => outcome.problem = Some(problem.to_json()),
                    Some(Ok(accepted)) => {
                        outcome.status = Became::from_accepted(accepted);
                        let ids = accepted.ids();
                        (outcome.session_id, outcome.alert_id) = ids.unzip();
                        if ids.is_none() {
                            outcome.problem = Some(Problem::IdempotencyKeyReused.to_json());
                        }
                    }
                    None => outcome.problem = Some(Problem::IdempotencyKeyReused.to_json()),
                },
            }
            results.push(outcome);
        }
        Ok(Self { results })
    }

    /// The sessions it led to.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = SessionId> {
        let led = self
            .results
            .iter()
            .filter(|outcome| matches!(outcome.status, Became::Queued | Became::Duplicate));
        led.filter_map(|outcome| outcome.session_id)
    }

    /// Whether every alert was rejected (and there was one).
    pub(crate) fn nothing_usable(&self) -> bool {
        !self.results.is_empty()
            && self
                .results
                .iter()
                .all(|outcome| outcome.status == Became::Rejected)
    }

    /// What became of each alert, to be counted.
    pub(crate) fn outcomes(&self) -> Outcomes {
        let outcomes = self.results.iter().map(|outcome| match outcome.status {
            Became::Queued => Taken("accepted"),
            Became::Duplicate => Taken("duplicate"),
            Became::Suppressed => Taken("suppressed"),
            Became::Resolved => Taken("resolved"),
            Became::Unknown => Taken("resolved_unknown"),
            Became::Recorded => Taken("recorded"),
            Became::Ignored => Taken("ignored"),
            Became::Rejected => {
                let problem = outcome.problem.as_ref().unwrap_or(&Value::Null);
                let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
                Rejected(RejectedAlert {
                    fingerprint: outcome.fingerprint.clone(),
                    code: text("code"),
                    detail: text("detail"),
                })
            }
        });
        Outcomes(outcomes.collect())
    }

    /// The outcomes as JSON.
    pub(crate) fn results(&self) -> Value {
        serde_json::to_value(&self.results).unwrap_or_default()
    }
}
