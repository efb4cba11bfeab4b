//! Eager next stage: the statement that ends a stage begins the next one, which runs in the same slot
//! (docs/decisions/0010-a-worker-goes-on-with-its-chain.md).

use std::sync::Arc;

use serde_json::Value;
use tarsy_chain::has_late_results;
use tarsy_model::{AlertProcessingData, PreviousStage, shown_actor};
use tarsy_queue::{Job, Outcome, Preclaim, PreclaimedJob};
use tarsy_store::stages::BegunStage;
use tarsy_transitions::PreclaimLease;

use crate::finish::{Finish, STAGE_JOB};
use crate::next::NextStage;

/// The preclaimed next stage of a chain. If it is dropped, the stage may have begun, so its job is released.
pub(crate) struct EagerNextStage {
    claim: Preclaim,
    next: NextStage,
    before: PreviousStage,
    priority: i16,
}

impl EagerNextStage {
    /// Preclaims the stage after `stage`, which ends as in `finish`. Returns `None` if other workers must run it.
    pub(crate) fn preclaim(stage: &BegunStage, job: &Job, finish: &Finish) -> Option<Self> {
        let next = finish.next.clone()?;
        if finish
            .output
            .as_ref()
            .is_some_and(|output| !has_text(output))
        {
            // When the output is read back, its members are in another order. A worker that resumes the next stage
            // would then send another prompt.
            return None;
        }
        if has_late_results(&stage.stages) {
            // The input of the next stage depends on when its row is created.
            return None;
        }
        let claim = job.preclaim(&next.pool.queue(), &next.requires())?;
        Some(Self {
            claim,
            next,
            before: PreviousStage {
                stage_name: stage.data.current_stage.clone(),
                stage_index: stage.stage_index,
                agent: shown_actor(&stage.agent).to_owned(),
                status: finish.status,
                output: finish.output.clone(),
                error: finish.error.clone(),
            },
            priority: finish.priority,
        })
    }

    /// Returns the claim and lease with which the next job is written.
    pub(crate) fn lease(&self) -> PreclaimLease {
        PreclaimLease {
            claim: self.claim.claim(),
            lease: self.claim.lease(),
        }
    }

    /// Gives the preclaim up, because other workers run the next stage or there is none.
    pub(crate) fn unused(self) {
        self.claim.unused();
    }

    /// Continues in this slot with the next stage, which has begun as this `attempt`. `stage` is the previous stage,
    /// with the start time of the next one.
    pub(crate) fn continue_with(self, stage: BegunStage, attempt: i32) -> Outcome {
        let traceparent = stage.traceparent.clone();
        let begun = self.next.begun(stage, self.before, attempt);
        self.claim.continue_with(PreclaimedJob {
            queue: self.next.pool.queue(),
            kind: STAGE_JOB.to_owned(),
            subject: begun.execution_id.as_uuid(),
            priority: self.priority,
            traceparent,
            prefetched: Some(Arc::new(begun)),
        })
    }
}

/// Returns whether the output is only text.
fn has_text(output: &Value) -> bool {
    output.get("result").is_some_and(Value::is_string) && output.get("data").is_none()
}

impl NextStage {
    /// Returns this stage as it begins after `stage`.
    fn begun(&self, stage: BegunStage, before: PreviousStage, attempt: i32) -> BegunStage {
        let mut stage_outputs = stage.data.stage_outputs;
        stage_outputs.push(before);
        BegunStage {
            execution_id: self.execution_id,
            stage_index: self.index,
            attempt,
            agent: self.agent.clone(),
            strategy: self.strategy.map(|strategy| strategy.as_str().to_owned()),
            llm_provider: self.llm_provider.clone(),
            remaining_ms: i64::try_from(self.timeout.as_millis()).unwrap_or(i64::MAX),
            snoozed_ms: 0,
            resumed: false,
            changes: None,
            data: AlertProcessingData {
                current_stage: self.name.clone(),
                branch: None,
                stage_outputs,
                ..stage.data
            },
            ..stage
        }
    }
}
