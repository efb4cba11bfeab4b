//! Responses to webhooks. `tarsy_intake::webhooks` reads the payloads.

pub(crate) mod handlers;

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use tarsy_intake::Error;
use tarsy_intake::webhooks::{Action, Verdict};
use tarsy_model::SessionId;
use tarsy_store::resolved::Resolution;
use tarsy_store::sessions::Accepted;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::alerts::rejected::Outcome::{Rejected, Taken};
use crate::alerts::rejected::{Outcomes, RejectedAlert};
use crate::problem::Problem;

/// Result of one alert or change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Became {
    /// A session was created.
    Queued,
    /// The alert already has a session, or the change is already recorded.
    Duplicate,
    /// The alert belongs to an earlier session. Its chain does not investigate it again yet (`suppress`).
    Suppressed,
    /// The alert is resolved; its session was updated.
    Resolved,
    /// The alert is resolved, but has no session.
    Unknown,
    /// A change was recorded.
    Recorded,
    /// No action is required.
    Ignored,
    /// The alert is invalid; `problem` contains the reason.
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

/// Result of one alert of a payload.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Outcome {
    /// The sender's identifier of the alert.
    fingerprint: String,
    status: Became,
    #[serde(skip_serializing_if = "Option::is_none")]
    alert_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    session_id: Option<SessionId>,
    /// Why the alert was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    problem: Option<Value>,
}

/// Results of a payload.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reception {
    /// Result of each alert, in the order of the payload.
    results: Vec<Outcome>,
}

impl Reception {
    /// Combines the verdicts with the results of accepting them.
    ///
    /// A temporary problem (database unavailable, overload) fails the whole payload. The sender
    /// then repeats it, and alerts that were already accepted become duplicates.
    pub(crate) fn new(
        verdicts: Vec<Verdict>,
        accepted: Vec<Result<Accepted, Problem>>,
        noted: &[(String, SessionId)],
        recorded: &HashSet<Uuid>,
    ) -> Result<Self, Problem> {
        let mut accepted = accepted.into_iter();
        let reused = || Problem::from(Error::IdempotencyKeyReused).to_json();
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
                Action::Reject(error) => outcome.problem = Some(Problem::from(error).to_json()),
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
                            outcome.problem = Some(reused());
                        }
                    }
                    None => outcome.problem = Some(reused()),
                },
            }
            results.push(outcome);
        }
        Ok(Self { results })
    }

    /// Returns the sessions that the payload led to.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = SessionId> {
        let led = self
            .results
            .iter()
            .filter(|outcome| matches!(outcome.status, Became::Queued | Became::Duplicate));
        led.filter_map(|outcome| outcome.session_id)
    }

    /// Returns whether there are alerts and all of them were rejected.
    pub(crate) fn nothing_usable(&self) -> bool {
        !self.results.is_empty()
            && self
                .results
                .iter()
                .all(|outcome| outcome.status == Became::Rejected)
    }

    /// Returns the result of each alert for the journal, which counts them.
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

    /// Returns the outcomes as JSON.
    pub(crate) fn results(&self) -> Value {
        serde_json::to_value(&self.results).unwrap_or_default()
    }
}
