//! Triage of a session, as the API shows it.

pub(crate) mod handlers;
pub(crate) mod update;

use serde::Serialize;
use tarsy_model::AnswerRating;
use tarsy_store::admin::Triage;
use utoipa::ToSchema;

/// What people said of a session. It is empty until somebody says something.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct SessionCare {
    /// When somebody said that they have seen it.
    pub(crate) acknowledged_at_us: Option<i64>,
    pub(crate) acknowledged_by: Option<String>,
    /// Whose it is.
    pub(crate) assignee: Option<String>,
    /// Whether its answer is `right`, `partly_right` or `wrong`.
    #[schema(value_type = Option<String>)]
    pub(crate) rating: Option<AnswerRating>,
    pub(crate) rated_at_us: Option<i64>,
    pub(crate) rated_by: Option<String>,
    /// What is wrong with the answer: `wrong_cause`, `wrong_target`, `missing_evidence`, `invented`,
    /// `incomplete`, `unclear`.
    pub(crate) faults: Vec<String>,
    /// The right cause, as the person states it who rated the answer; a case for `tarsy eval`.
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
