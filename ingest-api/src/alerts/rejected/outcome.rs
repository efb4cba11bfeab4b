//! What became of the alerts of one request, besides its answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Code, Problem};

/// One alert of a webhook that was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct RejectedAlert {
    /// The sender's name for it; empty if it has none.
    #[serde(default)]
    pub(crate) fingerprint: String,
    /// Code of its problem, see docs/ERRORS.md.
    #[schema(example = "unknown_alert_type")]
    pub(crate) code: String,
    /// What went wrong.
    #[serde(default)]
    pub(crate) detail: String,
}

/// What became of one alert.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It is in good hands; the word says how.
    Taken(&'static str),
    /// It can't be used.
    Rejected(RejectedAlert),
}

/// What became of each alert of an accepted request; an extension of its answer.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes(pub(crate) Vec<Outcome>);

/// Why a request was refused; an extension of every [`Problem`]'s answer.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) detail: String,
    /// The alerts of a webhook, if it was read.
    pub(crate) alerts: Vec<RejectedAlert>,
}

impl Refusal {
    /// Why `problem` refuses a request, told by `detail`.
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

/// The alerts of a webhook's results that have a problem.
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
