use tarsy_masking::Masker;
use tarsy_model::{CommunicationType, EffectClass};
use tarsy_testing::{TestDb, wait};

use super::*;
use crate::records::tests::held;

const SOON: Duration = Duration::from_secs(60);

fn call(sequence: i32) -> McpIntent {
    McpIntent {
        interaction_id: InteractionId::generate(),
        sequence,
        iteration: 1,
        communication_type: CommunicationType::ToolCall,
        server_name: "ledger".to_owned(),
        tool_name: Some("act".to_owned()),
        tool_arguments: None,
        tool_call_id: None,
        effect: EffectClass::Destructive,
        step_description: "ledger.act".to_owned(),
    }
}

async fn text(db: &TestDb, query: &'static str) -> String {
    let read = sqlx::query_scalar(query).fetch_one(db.pool()).await;
    read.expect("a row")
}

/// A worker that resumes the stage has as much time left as this one.
#[tokio::test]
async fn the_stored_deadline_is_later_by_the_time_that_a_record_waited() {
    let db = TestDb::new().await;
    let fence = held(&db, 1).await.remove(0);
    let connections = Connections::own(db.pool().clone());
    let waker = Waker::new(connections.clone());
    let records = Records::new(&connections, &waker);
    let masker = Masker::group("security").expect("the group");
    let recorder = StageRecorder {
        records: &records,
        connections: &connections,
        waker: &waker,
        fence,
        stop: StopSignal::new(),
        unkept: Mutex::default(),
        secrets: Secrets(&masker),
    };
    let deadline = "select deadline_at::text from stage_executions";
    let before = text(&db, deadline).await;
    recorder.begin_mcp(&call(0)).await.expect("a record");
    assert_eq!(text(&db, deadline).await, before, "it did not wait");

    let mut lock = db.pool().begin().await.expect("a transaction");
    let taken = sqlx::query("select from stage_executions for update");
    taken.execute(&mut *lock).await.expect("a lock");
    let late = call(1);
    let letting_go = async {
        wait::until("a record that waits for long", SOON, async || {
            let waits = "select count(*) from pg_stat_activity where datname = current_database()
                and wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '3500 ms'";
            let waits: i64 = sqlx::query_scalar(waits).fetch_one(db.pool()).await.expect("a count");
            waits > 0
        })
        .await;
        lock.rollback().await.expect("an end");
    };
    let (written, ()) = tokio::join!(recorder.begin_mcp(&late), letting_go);
    written.expect("a record");
    let moved = sqlx::query_scalar(
        "select deadline_at - $1::timestamptz between interval '2 s' and interval '1 minute' from stage_executions",
    );
    let moved: bool = moved
        .bind(before)
        .fetch_one(db.pool())
        .await
        .expect("a row");
    assert!(moved, "{}", text(&db, deadline).await);
}

#[tokio::test]
async fn an_intent_is_taken_back_once_and_only_while_its_call_has_no_result_and_no_task() {
    let db = TestDb::new().await;
    let fence = held(&db, 1).await.remove(0);
    let mut conn = db.pool().acquire().await.expect("a connection");
    let connections = Connections::own(db.pool().clone());
    let records = Records::new(&connections, &Waker::new(connections.clone()));
    let ids: Vec<InteractionId> = {
        let calls: Vec<McpIntent> = (0..3).map(call).collect();
        for call in &calls {
            let written = records.begin_mcp.write(call.clone().under(fence)).await;
            assert!(written.expect("a record"));
        }
        calls.iter().map(|call| call.interaction_id).collect()
    };
    let result = McpResult::default();
    let ended = records
        .finish_mcp
        .write((ids[1], result).under(fence))
        .await;
    assert!(ended.expect("a result"));
    tarsy_store::interactions::note_task(&mut conn, &fence, ids[2], "task-1")
        .await
        .expect("a task");
    for id in ids.iter().chain(&ids) {
        tarsy_store::interactions::withdraw_mcp(&mut conn, &fence, *id)
            .await
            .expect("the stage is held");
    }
    let left = text(
        &db,
        "select string_agg(sequence::text, ' ' order by sequence) from mcp_interactions",
    );
    assert_eq!(left.await, "1 2");
    let mut lost = fence;
    lost.claim.epoch = 7;
    let late = tarsy_store::interactions::withdraw_mcp(&mut conn, &lost, ids[2]).await;
    assert!(
        matches!(late, Err(tarsy_store::Error::ClaimLost)),
        "{late:?}"
    );
}
