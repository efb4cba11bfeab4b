//! Builds the task for the output that a stage's agent gives after its conclusion.

use std::sync::Arc;

use tarsy_agent::{CitableCall, NO_EVIDENCE, OutputTask, Verification};
use tarsy_chain::{AnalysisSchema, OutputSchema};
use tarsy_store::calls_before::calls_before;
use tarsy_store::stages::BegunStage;

use crate::agents::{AgentRunner, failed};
use crate::runner::StageEnd;

impl AgentRunner {
    /// Returns the task for a stage's structured output; `None` if it has none.
    pub(crate) async fn output_task(
        &self,
        stage: &BegunStage,
    ) -> Result<Option<OutputTask>, StageEnd> {
        let kind = stage.agent_stage();
        let Some(kind) = kind else {
            return Ok(None);
        };
        let compiled = AnalysisSchema::for_stage(kind.output_schema.as_ref(), &kind.labels);
        let compiled = compiled.map_err(|why| {
            failed(
                format!("the output schema can't be used: {why}"),
                "template",
            )
        })?;
        let Some(schema) = compiled else {
            return Ok(None);
        };
        Ok(Some(OutputTask {
            members: schema.shown().to_owned(),
            has_claims: schema.has_claims(),
            has_label: schema.has_label(),
            verification: None,
            earlier_calls: match schema.has_claims() {
                true => self.earlier_calls(stage).await?,
                false => Vec::new(),
            },
            read: Arc::new(move |reply: &str| schema.read(reply)),
        }))
    }

    /// Returns the task of a stage that verifies the stage `of`; `None` if that stage made no claims.
    pub(crate) async fn verification_task(
        &self,
        stage: &BegunStage,
        of: &str,
    ) -> Result<Option<OutputTask>, StageEnd> {
        let mut earlier = stage.data.stage_outputs.iter().rev();
        let verified = earlier.find(|earlier| earlier.stage_name == of);
        let output = verified.and_then(|verified| verified.output.as_ref());
        let Some(verification) = output.and_then(|output| Verification::from_output(of, output))
        else {
            return Ok(None);
        };
        let shown = verification.schema();
        let schema = OutputSchema::compile(&shown).map_err(|why| failed(why, "template"))?;
        Ok(Some(OutputTask {
            members: format!("`checks`. The whole must match this JSON Schema:\n\n{shown:#}"),
            read: Arc::new(move |reply: &str| schema.read(reply)),
            has_claims: false,
            has_label: false,
            earlier_calls: verification.cited(self.earlier_calls(stage).await?),
            verification: Some(verification),
        }))
    }

    /// Returns the tool calls of stages that had ended when this one became due. Their rows no longer change.
    async fn earlier_calls(&self, stage: &BegunStage) -> Result<Vec<CitableCall>, StageEnd> {
        let calls = self
            .read(async |conn| calls_before(conn, stage.execution_id, &NO_EVIDENCE).await)
            .await?;
        let citable = calls.into_iter().map(|call| CitableCall {
            id: call.interaction_id,
            call: call.call,
            result: call.result,
            success: call.success,
        });
        Ok(citable.collect())
    }
}
