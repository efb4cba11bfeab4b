//! Waits of stages, which need no job, slot or running time.

use tarsy_agent::CallToApprove;
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, Role, WaitId, chain_queue, priority_of, storable_json};
use tarsy_queue::Outcome;
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;
use tarsy_transitions::{About, PersonQuestion, ask_person, wait_for_children};

use super::StageHandler;
use crate::runner::{BoxError, SpendingQuestion};

/// How long a tool call waits for approval, in ms: an hour.
const APPROVAL_EXPIRES_MS: u64 = 60 * 60 * 1_000;

impl StageHandler {
    /// Waits for the approval of a tool call.
    pub(super) async fn ask_about_call(
        &self,
        stage: &BegunStage,
        claim: ClaimRef,
        call: CallToApprove,
        role: Role,
    ) -> Result<Outcome, BoxError> {
        let question = format!(
            "Agent `{}` asks to call `{}.{}`",
            stage.agent_name(),
            call.server,
            call.tool
        );
        let about = About::Call(storable_json(serde_json::to_value(&call)?));
        let expires_ms = APPROVAL_EXPIRES_MS;
        let question = person_question(stage, question, about, (role, expires_ms));
        self.ask(stage, claim, &question).await
    }

    /// Waits for a person who allows the stage to continue beyond a spending limit.
    pub(super) async fn ask_to_spend(
        &self,
        stage: &BegunStage,
        claim: ClaimRef,
        question: SpendingQuestion,
    ) -> Result<Outcome, BoxError> {
        let SpendingQuestion {
            reason,
            role,
            expires_ms,
        } = question;
        let stage_name = &stage.data.current_stage;
        let question = format!("Stage `{stage_name}` is beyond a spending limit: {reason}.");
        let question = person_question(stage, question, About::Spending, (role, expires_ms));
        self.ask(stage, claim, &question).await
    }

    async fn ask(
        &self,
        stage: &BegunStage,
        claim: ClaimRef,
        question: &PersonQuestion,
    ) -> Result<Outcome, BoxError> {
        let opening = self.connections.run(async |conn| {
            reached("stage.wait.before_commit");
            let held = ask_person(conn, claim, question).await?;
            reached("stage.wait.after_commit");
            Ok::<_, tarsy_store::Error>(held)
        });
        Ok(self.opened(stage, opening.await?))
    }

    /// Waits for the sub-agents that the stage dispatched.
    pub(super) async fn wait_for_sub_agents(
        &self,
        stage: &BegunStage,
        claim: ClaimRef,
    ) -> Result<Outcome, BoxError> {
        let fence = StageFence {
            session_id: stage.data.session_id,
            execution_id: stage.execution_id,
            claim,
        };
        let question = format!("Agent `{}` waits for its sub-agents", stage.agent_name());
        let priority = priority_of(&stage.severity);
        let opening = self.connections.run(async |conn| {
            reached("stage.wait_for_children.before_commit");
            let held =
                wait_for_children(conn, &fence, stage.stage_count, &question, priority).await?;
            reached("stage.wait_for_children.after_commit");
            Ok::<_, tarsy_store::Error>(held)
        });
        Ok(self.opened(stage, opening.await?))
    }

    /// Returns the outcome after a wait was opened, or after the claim was found lost.
    fn opened(&self, stage: &BegunStage, was_held: bool) -> Outcome {
        if !was_held {
            tracing::warn!(
                stage.execution_id = %stage.execution_id,
                "the claim was lost before the stage could wait; another worker continues"
            );
        }
        self.waker.wake(chain_queue());
        self.waker.wake_watchers();
        Outcome::Finished
    }
}

/// Builds a question of a stage, with the role that may decide and the time in ms until it expires.
fn person_question(
    stage: &BegunStage,
    question: String,
    about: About,
    (role, expires_ms): (Role, u64),
) -> PersonQuestion {
    PersonQuestion {
        wait_id: WaitId::generate(),
        execution_id: stage.execution_id,
        stage_count: stage.stage_count,
        question,
        about,
        role,
        expires_ms,
        priority: priority_of(&stage.severity),
    }
}
