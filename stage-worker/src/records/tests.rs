use serde_json::{Value, json};
use tarsy_model::{ClaimRef, ExecutionId, LlmPurpose, SessionId};
use tarsy_testing::TestDb;
use uuid::Uuid;

use super::*;

mod late;

/// Creates a session with this number of stages that are held.
pub(crate) async fn held(db: &TestDb, stages: i32) -> Vec<StageFence> {
    let (session_id, owner) = (SessionId::generate(), Uuid::now_v7());
    sqlx::query(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us,
             source, fingerprint, chain_id, chain_definition)
         values ($1, gen_random_uuid(), 'Watch', '{}', 'warning', 0, 'api', $1::text, 'watch', '{}')",
    )
    .bind(session_id.as_uuid())
    .execute(db.pool())
    .await
    .expect("a session");
    let mut fences = Vec::new();
    for index in 0..stages {
        let execution_id = ExecutionId::generate();
        sqlx::query(
            "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, attempt,
                 round, timeout_ms, status, claim_owner, claim_epoch, started_at_us, deadline_at)
             values ($1, $2, $3, 'watch', 'Watcher', 'default', 1, 0, 60000, 'active', $4, 1, 0, now())",
        )
        .bind(execution_id.as_uuid())
        .bind(session_id.as_uuid())
        .bind(index)
        .bind(owner)
        .execute(db.pool())
        .await
        .expect("a stage");
        let claim = ClaimRef {
            job_id: Uuid::now_v7(),
            owner,
            epoch: 1,
        };
        fences.push(StageFence {
            session_id,
            execution_id,
            claim,
        });
    }
    fences
}

fn intent(new_messages: Value) -> LlmIntent {
    LlmIntent {
        interaction_id: InteractionId::generate(),
        sequence: 0,
        iteration: 1,
        purpose: LlmPurpose::Iteration,
        provider: "first".to_owned(),
        model_name: "small".to_owned(),
        temperature: None,
        new_messages,
        step_description: "Iteration 1: ask model".to_owned(),
    }
}

/// Writes all at once, and therefore in one group.
async fn write_all(
    connections: &Connections,
    writes: Vec<Arc<StageWrite<LlmIntent>>>,
) -> Vec<Result<bool, tarsy_coalesce::Error<Error>>> {
    let group = Group::new(connections, &Waker::new(connections.clone()));
    let tasks: Vec<_> = writes
        .into_iter()
        .map(|write| {
            let group = group.clone();
            tokio::spawn(async move { group.write(write).await })
        })
        .collect();
    let mut written = Vec::new();
    for task in tasks {
        written.push(task.await.expect("no panic"));
    }
    written
}

/// Returns the number of rows written so far to both tables.
async fn rows(db: &TestDb) -> (i64, i64) {
    sqlx::query_as("select (select count(*) from llm_interactions), (select count(*) from events)")
        .fetch_one(db.pool())
        .await
        .expect("counts")
}

#[tokio::test]
async fn a_group_is_written_but_for_those_whose_stage_is_no_longer_held() {
    let db = TestDb::new().await;
    let connections = Connections::own(db.pool().clone());
    let mut fences = held(&db, 3).await;
    fences[1].claim.epoch = 0;
    let group: Vec<_> = fences
        .iter()
        .map(|fence| intent(json!([{"role": "user"}])).under(*fence))
        .collect();
    let written = write_all(&connections, group).await;
    assert!(matches!(written[..], [Ok(true), Ok(false), Ok(true)]));
    assert_eq!(
        rows(&db).await,
        (2, 2),
        "each with its event, the stale one with nothing"
    );
}

#[tokio::test]
async fn a_record_that_postgres_refuses_takes_no_other_with_it() {
    let db = TestDb::new().await;
    let connections = Connections::own(db.pool().clone());
    let fences = held(&db, 3).await;
    let messages = [json!([]), json!(["\u{0}"]), json!([])];
    let group: Vec<_> = fences
        .iter()
        .zip(messages)
        .map(|(fence, messages)| intent(messages).under(*fence))
        .collect();
    let written = write_all(&connections, group).await;
    assert!(matches!(written[..], [Ok(true), Err(_), Ok(true)]));
    assert_eq!(rows(&db).await, (2, 2));
}
