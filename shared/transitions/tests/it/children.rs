//! Tests child sessions against Postgres: one per call, no end is missed, and they are cancelled with their parent.

use serde_json::value::to_raw_value;
use sqlx::{Connection as _, PgPool};
use tarsy_model::{ClaimRef, ExecutionId, InteractionId, SessionId};
use tarsy_store::admin::lock_live_session;
use tarsy_store::interactions::StageFence;
use tarsy_testing::TestDb;
use tarsy_transitions::{
    Dispatch, Dispatched, cancel_with_children, dispatch, resume_parents, wait_for_children,
};
use uuid::Uuid;

use crate::waits::{running, session, texts};

/// Creates a stage that runs under a claim.
async fn parent(pool: &PgPool) -> StageFence {
    let (session_id, _) = session(pool).await;
    let execution_id = ExecutionId::generate();
    let claim = running(pool, "stage", execution_id.as_uuid(), 3).await;
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, iteration_strategy, pool,
             status, timeout_ms, started_at_us, deadline_at, claim_owner, claim_epoch)
         values ($1, $2, 0, 'lead', 'Lead', 'react', 'default', 'active', 60000, 1, now() + interval '1 hour', $3, $4)",
    )
    .bind(execution_id.as_uuid())
    .bind(session_id.as_uuid())
    .bind(claim.owner)
    .bind(claim.epoch)
    .execute(pool)
    .await
    .expect("a stage");
    StageFence {
        session_id,
        execution_id,
        claim,
    }
}

fn request(fence: StageFence) -> Dispatch {
    let chain = tarsy_chain::sub_agent("Logs", "default".into(), None);
    Dispatch {
        fence,
        interaction_id: InteractionId::generate(),
        agent: "Logs".into(),
        task: "read them".into(),
        chain_definition: to_raw_value(&chain).expect("a chain"),
        severity: "warning".into(),
        max_depth: 2,
        max_children: 8,
    }
}

async fn dispatched(pool: &PgPool, request: &Dispatch) -> Dispatched {
    let mut conn = pool.acquire().await.expect("a connection");
    dispatch(&mut conn, request).await.expect("an answer")
}

async fn child(pool: &PgPool, fence: StageFence) -> SessionId {
    match dispatched(pool, &request(fence)).await {
        Dispatched::Child(child) => child,
        other => panic!("{other:?}"),
    }
}

async fn end(pool: &PgPool, session: SessionId) {
    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us() where session_id = $1")
        .bind(session.as_uuid())
        .execute(pool)
        .await
        .expect("ended");
}

/// Does the work of the chain job after a child's end, or after a wait was opened. Returns the number of resumed
/// parents.
async fn resume(pool: &PgPool, fence: StageFence) -> usize {
    let mut conn = pool.acquire().await.expect("a connection");
    let queues = resume_parents(&mut conn, fence.session_id).await;
    queues.expect("looked").len()
}

async fn waits(pool: &PgPool, fence: &StageFence) -> bool {
    let mut conn = pool.acquire().await.expect("a connection");
    let held = wait_for_children(&mut conn, fence, 2, "waits", 1).await;
    held.expect("an answer")
}

const STATUS: &str = "select concat_ws(' ', e.status, (select count(*) from jobs j where j.subject = e.execution_id))
                      from stage_executions e where agent = 'Lead'";

#[tokio::test]
async fn a_child_that_ends_before_during_or_after_the_opening_of_the_wait_frees_its_parent_once() {
    for when in ["before", "during", "after"] {
        let db = TestDb::new().await;
        let fence = parent(db.pool()).await;
        let child = child(db.pool(), fence).await;
        if when == "before" {
            end(db.pool(), child).await;
            assert_eq!(resume(db.pool(), fence).await, 0);
        }
        let mut conn = db.pool().acquire().await.expect("a connection");
        let mut opening = conn.begin().await.expect("a transaction");
        let held = wait_for_children(&mut opening, &fence, 2, "waits", 1).await;
        assert!(held.expect("opened"));
        if when == "during" {
            // The job of the child's end finds no waiting parent yet.
            end(db.pool(), child).await;
            assert_eq!(resume(db.pool(), fence).await, 0);
        }
        opening.commit().await.expect("committed");
        assert_eq!(texts(db.pool(), STATUS).await, ["waiting 0"], "{when}");
        // Therefore the wait has its own job, which checks after the commit.
        let jobs = "select kind || ' ' || state from jobs where kind = 'children'";
        assert_eq!(texts(db.pool(), jobs).await, ["children ready"], "{when}");
        if when == "after" {
            assert_eq!(resume(db.pool(), fence).await, 0);
            end(db.pool(), child).await;
        }
        assert_eq!(resume(db.pool(), fence).await, 1, "{when}");
        assert_eq!(resume(db.pool(), fence).await, 0, "{when}: once");
        assert_eq!(texts(db.pool(), STATUS).await, ["pending 1"], "{when}");
        let above = "select (epoch = 3)::text from jobs where kind = 'stage'";
        assert_eq!(texts(db.pool(), above).await, ["true"], "{when}");
    }
}

#[tokio::test]
async fn a_call_makes_one_child_and_a_lost_claim_none() {
    let db = TestDb::new().await;
    let fence = parent(db.pool()).await;
    let call = request(fence);
    let first = dispatched(db.pool(), &call).await;
    assert!(matches!(first, Dispatched::Child(_)), "{first:?}");
    assert_eq!(dispatched(db.pool(), &call).await, first);
    let zombie = StageFence {
        claim: ClaimRef {
            epoch: 2,
            ..fence.claim
        },
        ..fence
    };
    assert_eq!(
        dispatched(db.pool(), &request(zombie)).await,
        Dispatched::ClaimLost
    );
    assert!(!waits(db.pool(), &zombie).await);
    let made = "select count(*)::text from child_sessions";
    assert_eq!(texts(db.pool(), made).await, ["1"]);
    end(db.pool(), fence.session_id).await;
    assert_eq!(
        dispatched(db.pool(), &request(fence)).await,
        Dispatched::ClaimLost,
        "its session has ended"
    );
    assert!(waits(db.pool(), &fence).await, "the job ends");
    assert_eq!(texts(db.pool(), STATUS).await, ["active 0"]);
}

#[tokio::test]
async fn children_are_bounded_in_number_and_depth() {
    let db = TestDb::new().await;
    let fence = parent(db.pool()).await;
    let bounded = |depth, children| Dispatch {
        max_depth: depth,
        max_children: children,
        ..request(fence)
    };
    let first = dispatched(db.pool(), &bounded(1, 1)).await;
    assert!(matches!(first, Dispatched::Child(_)), "{first:?}");
    assert_eq!(
        dispatched(db.pool(), &bounded(1, 1)).await,
        Dispatched::TooMany
    );
    assert_eq!(
        dispatched(db.pool(), &bounded(0, 8)).await,
        Dispatched::TooDeep
    );
}

/// In whichever order they commit, no child outlives its parent's cancellation.
#[tokio::test(flavor = "multi_thread")]
async fn a_dispatch_that_races_with_a_cancellation_leaves_no_child_alive() {
    let db = TestDb::new().await;
    for _ in 0..20 {
        let fence = parent(db.pool()).await;
        let (older, pool) = (child(db.pool(), fence).await, db.pool());
        let call = request(fence);
        let cancelling = async {
            let mut conn = pool.acquire().await.expect("a connection");
            let mut tx = conn.begin().await.expect("a transaction");
            let live = lock_live_session(&mut tx, fence.session_id).await;
            let live = live.expect("readable").expect("live");
            cancel_with_children(&mut tx, &live, "somebody", "cancelled")
                .await
                .expect("cancelled");
            tx.commit().await.expect("committed");
        };
        let ((), raced) = tokio::join!(cancelling, dispatched(pool, &call));
        let family: Vec<Uuid> = match raced {
            Dispatched::Child(child) => vec![older.as_uuid(), child.as_uuid()],
            Dispatched::ClaimLost => vec![older.as_uuid()],
            other => panic!("{other:?}"),
        };
        let ended: i64 = sqlx::query_scalar(
            "select count(*) from alert_sessions where session_id = any($1) and status = 'cancelled'",
        )
        .bind(&family)
        .fetch_one(pool)
        .await
        .expect("a count");
        assert_eq!(
            ended,
            i64::try_from(family.len()).expect("few"),
            "{raced:?}"
        );
    }
    let left = "select count(*)::text from alert_sessions where completed_at_us is null";
    assert_eq!(texts(db.pool(), left).await, ["0"]);
}
