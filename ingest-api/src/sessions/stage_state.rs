//! A stage of a session's chain, as lists show it.

use serde::Serialize;
use tarsy_store::history::StageState;
use utoipa::ToSchema;

/// A stage of a chain with its status, all branches together.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StageState)]
pub(crate) struct StageStateDetail {
    name: String,
    /// Status of its current attempt, or `not_started`. For a stage with branches, the status with which the chain
    /// continues. Such a stage failed if a branch failed, unless a single completed branch is enough.
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
