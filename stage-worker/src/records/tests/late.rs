//! Tests late writes under a claim that a later one has replaced: outcomes, and the end of the stage.

use tarsy_model::{CommunicationType, EffectClass, StageStatus};

use super::*;
use crate::finish::{Ended, Finish, Finisher};

/// A held stage with a running job, a model call and a tool call, both without an outcome. Then another worker takes
/// it over.
struct Overtaken {
    db: TestDb,
    connections: Connections,
    llm: LlmIntent,
    mcp: McpIntent,
    /// Fence of the worker that lost the stage.
    late: StageFence,
    /// Fence of the worker that holds it now.
    now: StageFence,
}

impl Overtaken {
    async fn new() -> Self {
        let db = TestDb::new().await;
        let connections = Connections::own(db.pool().clone());
        let late = held(&db, 1).await.remove(0);
        let (llm, mcp) = (intent(json!([{"role": "user"}])), call());
        let intents = [llm.clone().under(late)];
        write(&connections, &intents).await.expect("a question");
        let called = [mcp.clone().under(late)];
        write(&connections, &called).await.expect("a call");
        let mut now = late;
        now.claim.owner = Uuid::now_v7();
        now.claim.epoch = 3;
        let taken = sqlx::query("update stage_executions set claim_owner = $1, claim_epoch = 3");
        let taken = taken.bind(now.claim.owner).execute(db.pool()).await;
        taken.expect("a takeover");
        sqlx::query(
            "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts,
                 owner, epoch, expires_at)
             values ($1, 'stage', 'stage', $2, 'null', 1, 'running', now(), now(), 5, $3, 3, now() + interval '1 minute')",
        )
        .bind(now.claim.job_id)
        .bind(now.execution_id.as_uuid())
        .bind(now.claim.owner)
        .execute(db.pool())
        .await
        .expect("its job");
        Self {
            db,
            connections,
            llm,
            mcp,
            late,
            now,
        }
    }

    async fn write<T: RecordKind>(&self, record: T, fence: StageFence) -> bool {
        let group = [record.under(fence)];
        let answers = write(&self.connections, &group).await.expect("a commit");
        answers.into_iter().all(|kept| kept)
    }

    async fn finish(&self, fence: StageFence) -> Ended {
        let waker = Waker::new(self.connections.clone());
        let finisher = Finisher::new(self.connections.clone(), waker);
        let finish = Finish {
            execution_id: fence.execution_id,
            session_id: fence.session_id,
            claim: fence.claim,
            status: StageStatus::Completed,
            output: Some(json!({"analysis": "all is well"})),
            error: None,
            error_class: None,
            configuration_hash: None,
            stage_count: 1,
            next: None,
            preclaim: None,
            priority: 1,
            traceparent: None,
        };
        finisher.finish(finish).await.expect("an answer")
    }

    /// Returns all rows that a late write could change.
    async fn rows(&self) -> Vec<String> {
        let rows = "select row_to_json(t)::text from llm_interactions t
            union all select row_to_json(t)::text from mcp_interactions t
            union all select row_to_json(t)::text from stage_executions t
            union all select row_to_json(t)::text from alert_sessions t
            union all select row_to_json(t)::text from jobs t
            union all select row_to_json(t)::text from events t order by 1";
        let rows = sqlx::query_scalar(rows).fetch_all(self.db.pool()).await;
        rows.expect("rows")
    }
}

fn call() -> McpIntent {
    McpIntent {
        interaction_id: InteractionId::generate(),
        sequence: 1,
        iteration: 1,
        communication_type: CommunicationType::ToolCall,
        server_name: "ledger".to_owned(),
        tool_name: Some("act".to_owned()),
        tool_arguments: Some(json!({})),
        tool_call_id: None,
        effect: EffectClass::Destructive,
        step_description: "Iteration 1: call act".to_owned(),
    }
}

fn result() -> LlmResult {
    LlmResult {
        success: true,
        response_text: Some("Final Answer: all is well".to_owned()),
        ..LlmResult::default()
    }
}

fn done() -> McpResult {
    McpResult {
        success: true,
        tool_result: Some(json!("done")),
        ..McpResult::default()
    }
}

#[tokio::test]
async fn a_late_answer_of_the_model_is_not_written() {
    let stage = Overtaken::new().await;
    let (id, before) = (stage.llm.interaction_id, stage.rows().await);
    assert!(!stage.write((id, result()), stage.late).await);
    assert_eq!(stage.rows().await, before);
    assert!(stage.write((id, result()), stage.now).await);
}

#[tokio::test]
async fn a_late_result_of_a_tool_is_not_written() {
    let stage = Overtaken::new().await;
    let (id, before) = (stage.mcp.interaction_id, stage.rows().await);
    assert!(!stage.write((id, done()), stage.late).await);
    assert_eq!(stage.rows().await, before);
    assert!(stage.write((id, done()), stage.now).await);
}

#[tokio::test]
async fn a_late_end_of_the_stage_is_not_written() {
    let stage = Overtaken::new().await;
    let before = stage.rows().await;
    assert_eq!(stage.finish(stage.late).await, Ended::ClaimLost);
    let mut same_owner = stage.now;
    same_owner.claim.epoch = 1;
    assert_eq!(stage.finish(same_owner).await, Ended::ClaimLost);
    assert_eq!(stage.rows().await, before, "the job is left, too");
    assert_eq!(stage.finish(stage.now).await, Ended::HandedOff);
}

/// A unique index covers one partition only. It can't see a call with the same number in another partition, so the
/// fence must refuse the late write.
#[tokio::test]
async fn a_late_question_in_another_partition_is_not_written() {
    let stage = Overtaken::new().await;
    let mut conn = stage.db.pool().acquire().await.expect("a connection");
    let week = std::time::Duration::from_secs(7 * 24 * 3_600);
    tarsy_store::partitions::enable(&mut conn, week, &mut |_| {})
        .await
        .expect("partitions");
    let after_weeks = stage.llm.interaction_id.as_uuid().as_u128() + ((week.as_millis() * 3) << 80);
    let mut again = stage.llm.clone();
    again.interaction_id = Uuid::from_u128(after_weeks).into();
    let before = stage.rows().await;
    assert!(!stage.write(again.clone(), stage.late).await);
    assert_eq!(stage.rows().await, before);
    again.sequence = 2;
    assert!(stage.write(again, stage.now).await);
}
