//! Results of the alerts of one request, which handlers attach to the response for the journal.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Code, Problem};

/// One rejected alert of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct RejectedAlert {
    /// The sender's identifier of the alert; empty if it has none.
    #[serde(default)]
    pub(crate) fingerprint: String,
    /// Problem code, see docs/ERRORS.md.
    #[schema(example = "unknown_alert_type")]
    pub(crate) code: String,
    /// What went wrong.
    #[serde(default)]
    pub(crate) detail: String,
}

/// Result of one alert.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It was accepted. The word names the result, e.g. `duplicate`.
    Taken(&'static str),
    /// It was rejected.
    Rejected(RejectedAlert),
}

/// Result of each alert of an accepted request; an extension of the response.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes(pub(crate) Vec<Outcome>);

/// Reason why a request was refused; an extension of the response of every [`Problem`].
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) detail: String,
    /// The rejected alerts of a webhook, if its body could be read.
    pub(crate) alerts: Vec<RejectedAlert>,
}

impl Refusal {
    /// Creates the refusal for `problem`, with `detail` as its text.
    pub(crate) fn new(problem: &Problem, code: Code, detail: &str) -> Self {
        let alerts = match problem {
            Problem::UnmappableWebhook(results) => rejected(results),
            _ => Vec::new(),
        };
        Self {
            code,
            detail: detail.to_owned(),
            alerts,
        }
    }
}

/// Returns the alerts in a webhook's results that have a problem.
fn rejected(results: &serde_json::Value) -> Vec<RejectedAlert> {
    let results = results.as_array().map(Vec::as_slice).unwrap_or_default();
    let with_problem = results.iter().filter(|result| !result["problem"].is_null());
    let alerts = with_problem.map(|result| {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        RejectedAlert {
            fingerprint: text(&result["fingerprint"]),
            code: text(&result["problem"]["code"]),
            detail: text(&result["problem"]["detail"]),
        }
    });
    alerts.collect()
}
