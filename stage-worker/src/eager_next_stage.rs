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

/// The preclaimed next stage of a chain. A dropped one may have begun: its job is released.
pub(crate) struct EagerNextStage {
    claim: Preclaim,
    next: NextStage,
    before: PreviousStage,
    priority: i16,
}

impl EagerNextStage {
    /// Preclaims the stage after `stage`, which ends as `finish` says; `None` when other workers are to run it.
    pub(crate) fn preclaim(stage: &BegunStage, job: &Job, finish: &Finish) -> Option<Self> {
        let next = finish.next.clone()?;
        if finish
            .output
            .as_ref()
            .is_some_and(|output| !has_text(output))
        {
            // Its members come in another order when they are read: a worker that resumes the next stage
            // would not ask what this one asked.
            return None;
        }
        if has_late_results(&stage.stages) {
            // What it is handed depends on when its row is made.
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

    /// The claim and lease that the next job is written with.
    pub(crate) fn lease(&self) -> PreclaimLease {
        PreclaimLease {
            claim: self.claim.claim(),
            lease: self.claim.lease(),
        }
    }

    /// Gives the preclaim up: other workers run the next stage, or there is none.
    pub(crate) fn unused(self) {
        self.claim.unused();
    }

    /// Continues in this slot with the next stage, which has begun as its `attempt`. `stage` is the one before it, with the time
    /// at which this one began.
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

/// Whether the output is text alone.
fn has_text(output: &Value) -> bool {
    output.get("result").is_some_and(Value::is_string) && output.get("data").is_none()
}

impl NextStage {
    /// This stage as it begins after `stage`.
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
