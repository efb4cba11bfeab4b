//! Builds the ends of stages that fail outside of a run.

use std::time::Duration;

use tarsy_model::{ClaimRef, StageStatus, priority_of};
use tarsy_store::stages::BegunStage;

use crate::finish::Finish;
use crate::next::NextStage;
use crate::setup::StageSetup;

/// Builds a failed end. The caller adds the error.
pub(super) fn failed_end(setup: &StageSetup, stage: &BegunStage, claim: ClaimRef) -> Finish {
    Finish {
        execution_id: stage.execution_id,
        session_id: stage.data.session_id,
        claim,
        status: StageStatus::Failed,
        output: None,
        error: None,
        error_class: None,
        configuration_hash: None,
        stage_count: stage.stage_count,
        next: NextStage::after(stage, &setup.plans),
        preclaim: None,
        priority: priority_of(&stage.severity),
        traceparent: stage.traceparent.clone(),
    }
}

/// Returns an error if a stage would wait longer for a rate limit than allowed.
pub(super) fn too_long(setup: &StageSetup, stage: &BegunStage, delay: Duration) -> Option<String> {
    let waited = Duration::from_millis(u64::try_from(stage.snoozed_ms).unwrap_or(0));
    let limit = setup.plans.rate_limit_wait(stage.agent_name());
    (waited + delay > limit).then(|| {
        format!(
            "the provider's rate limit asks for a wait of {delay:.0?} after {waited:.0?} of waiting; \
             a stage waits {limit:.0?} in all"
        )
    })
}
