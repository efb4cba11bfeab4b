//! A stage of a session's chain, as lists show it.

use serde::Serialize;
use tarsy_store::history::StageState;
use utoipa::ToSchema;

/// A stage of a chain and where it stands, all its branches together.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StageState)]
pub(crate) struct StageStateDetail {
    name: String,
    /// Status of its current attempt, or `not_started`. A stage with branches has the status that its chain goes on with: it failed
    /// if a branch failed, unless one that completed is enough.
    #[schema(
        pattern = "^(not_started|pending|active|waiting|completed|failed|cancelled|skipped)$"
    )]
    status: &'static str,
}

impl StageStateDetail {
    /// Converts all stages of a chain, in order.
    pub(crate) fn all(stages: Vec<StageState>) -> Vec<Self> {
        let stages = stages.into_iter();
        stages
            .map(|stage| Self {
                status: stage.as_str(),
                name: stage.name,
            })
            .collect()
    }
}
