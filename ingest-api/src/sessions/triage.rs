//! Triage of a session, as the API shows it.

pub(crate) mod handlers;
pub(crate) mod update;

use serde::Serialize;
use tarsy_model::AnswerRating;
use tarsy_store::admin::Triage;
use utoipa::ToSchema;

/// Triage of a session: what people recorded about it. Empty at first.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct SessionCare {
    /// When a person acknowledged the session.
    pub(crate) acknowledged_at_us: Option<i64>,
    pub(crate) acknowledged_by: Option<String>,
    /// Person to whom the session is assigned.
    pub(crate) assignee: Option<String>,
    /// Rating of the answer: `right`, `partly_right` or `wrong`.
    #[schema(value_type = Option<String>)]
    pub(crate) rating: Option<AnswerRating>,
    pub(crate) rated_at_us: Option<i64>,
    pub(crate) rated_by: Option<String>,
    /// What is wrong with the answer: `wrong_cause`, `wrong_target`, `missing_evidence`, `invented`,
    /// `incomplete`, `unclear`.
    pub(crate) faults: Vec<String>,
    /// The right cause, as stated by the person who rated the answer. `tarsy eval` can use it as a case.
    pub(crate) right_cause: Option<String>,
    /// Time of the review.
    pub(crate) reviewed_at_us: Option<i64>,
    pub(crate) reviewed_by: Option<String>,
}

impl From<Triage> for SessionCare {
    fn from(triage: Triage) -> Self {
        Self {
            acknowledged_at_us: triage.acknowledged_at_us,
            acknowledged_by: triage.acknowledged_by,
            assignee: triage.assignee,
            rating: triage.rating,
            rated_at_us: triage.rated_at_us,
            rated_by: triage.rated_by,
            faults: triage.faults.unwrap_or_default(),
            right_cause: triage.right_cause,
            reviewed_at_us: triage.reviewed_at_us,
            reviewed_by: triage.reviewed_by,
        }
    }
}
