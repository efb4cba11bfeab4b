//! Checks the answer of a stage against the tool calls that it is based on.

use tarsy_agent::{
    AgentBrief, AnswerEvidence, Evidence, NO_EVIDENCE, StageOutcome, Transcript, add_verdict,
};
use tarsy_store::calls_before::evidence_before;
use tarsy_store::stages::BegunStage;

use crate::agents::AgentRunner;
use crate::runner::StageEnd;

impl AgentRunner {
    /// Adds the verdict on the answer to the output of the outcome.
    ///
    /// The calls of this stage are in memory. Those of earlier stages and of sub-agents are read, in one statement,
    /// only if they could change the verdict.
    pub(crate) async fn with_verdict(
        &self,
        stage: &BegunStage,
        brief: &AgentBrief,
        outcome: StageOutcome,
        transcript: &Transcript,
    ) -> Result<StageOutcome, StageEnd> {
        let StageOutcome::Completed {
            mut output,
            analysis,
        } = outcome
        else {
            return Ok(outcome);
        };
        let answer = analysis.as_deref().unwrap_or_default();
        let evidence = AnswerEvidence::new(transcript, brief);
        let mut check = evidence.check(answer, &output);
        let has_earlier = !stage.data.stage_outputs.is_empty() || evidence.has_sub_agents();
        if has_earlier && analysis.is_some() && !check.is_settled() {
            let earlier = self.earlier_evidence(stage).await?;
            check = evidence.with_earlier(earlier).check(answer, &output);
        }
        add_verdict(&mut output, &check);
        Ok(StageOutcome::Completed { output, analysis })
    }

    async fn earlier_evidence(
        &self,
        stage: &BegunStage,
    ) -> Result<Vec<Evidence<'static>>, StageEnd> {
        let calls = self
            .read(async |conn| evidence_before(conn, stage.execution_id, &NO_EVIDENCE).await)
            .await?;
        let calls = calls.into_iter().map(|call| Evidence {
            id: call.interaction_id,
            arguments: call.arguments.into(),
            text: call.result.into(),
        });
        Ok(calls.collect())
    }
}
