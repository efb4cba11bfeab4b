//! Tests waits against Postgres: they are opened under a claim and decided once.

use futures::future::join_all;
use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_chain::{Branch, StageDefinition, StageKind, WaitStage};
use tarsy_model::{ClaimRef, ExecutionId, Role, SessionId, WaitDecision, WaitId};
use tarsy_store::admin::{cancel_session, lock_live_session};
use tarsy_store::stages::NewStage;
use tarsy_store::waits::{WaitRecord, find_wait};
use tarsy_testing::TestDb;
use tarsy_transitions::{
    About, Decider, Gate, PersonQuestion, Verdict, ask_person, decide_wait, open_gates,
};
use uuid::Uuid;

const HOUR_MS: u64 = 3_600_000;

/// Creates a session with a running chain job.
pub(crate) async fn session(pool: &PgPool) -> (SessionId, ClaimRef) {
    let session = SessionId::generate();
    sqlx::query(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us,
             source, fingerprint, chain_id, chain_definition)
         values ($1, gen_random_uuid(), 'Watch', '{}', 'warning', 0, 'api', $1::text, 'c', '{\"stages\": [{}, {}]}')",
    )
    .bind(session.as_uuid())
    .execute(pool)
    .await
    .expect("a session");
    let claim = running(pool, "chain", session.as_uuid(), 1).await;
    (session, claim)
}

pub(crate) async fn running(pool: &PgPool, kind: &str, subject: Uuid, epoch: i64) -> ClaimRef {
    let claim = ClaimRef {
        job_id: Uuid::now_v7(),
        owner: Uuid::now_v7(),
        epoch,
    };
    sqlx::query(
        "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, owner, epoch,
             expires_at)
         values ($1, 'q', $2, $3, 'null', 1, 'running', now(), now(), 5, $4, $5, now() + interval '1 hour')",
    )
    .bind(claim.job_id)
    .bind(kind)
    .bind(subject)
    .bind(claim.owner)
    .bind(epoch)
    .execute(pool)
    .await
    .expect("a job");
    claim
}

fn gate(session_id: SessionId, wait: WaitStage) -> Gate {
    let definition = StageDefinition {
        kind: StageKind::Wait(wait),
        ..StageDefinition::new("gate", "")
    };
    let stage = NewStage {
        execution_id: ExecutionId::generate(),
        session_id,
        stage_index: 0,
        stage_name: "gate".into(),
        agent: definition.kind.actor_name().into_owned(),
        strategy: None,
        llm_provider: None,
        pool: "default".into(),
        branch: Branch::SOLE,
        attempt: 1,
        round: 0,
        timeout_ms: 60_000,
    };
    Gate::from_stage("c", &definition, stage).expect("a stage that waits")
}

fn approval() -> WaitStage {
    WaitStage::Approval {
        role: Role::Operator,
        expires_ms: HOUR_MS,
    }
}

async fn opened(pool: &PgPool, wait: WaitStage) -> (WaitRecord, ClaimRef) {
    let (session_id, claim) = session(pool).await;
    let gate = gate(session_id, wait);
    let mut conn = pool.acquire().await.expect("a connection");
    let held = open_gates(&mut conn, claim, std::slice::from_ref(&gate), 2, 1).await;
    assert!(held.expect("opened"));
    (record(pool, gate.wait_id).await, claim)
}

async fn record(pool: &PgPool, id: WaitId) -> WaitRecord {
    let mut conn = pool.acquire().await.expect("a connection");
    let wait = find_wait(&mut conn, id).await.expect("readable");
    wait.expect("it is there")
}

fn answer(name: &str, is_approved: bool) -> Verdict {
    Verdict::Answer {
        is_approved,
        by: Decider {
            name: name.to_owned(),
            role: Role::Operator,
            means: "key",
            key_id: Some(Uuid::nil()),
        },
        reason: "looks right".into(),
    }
}

async fn decide(pool: &PgPool, wait: &WaitRecord, verdict: &Verdict) -> Option<WaitDecision> {
    let mut conn = pool.acquire().await.expect("a connection");
    let decided = decide_wait(&mut conn, wait, verdict).await;
    decided
        .expect("decided or not")
        .map(|decided| decided.decision)
}

pub(crate) async fn texts(pool: &PgPool, query: &'static str) -> Vec<String> {
    sqlx::query_scalar(query)
        .fetch_all(pool)
        .await
        .expect("rows")
}

async fn output(pool: &PgPool, wait: &WaitRecord) -> (String, Option<Value>) {
    sqlx::query_as(
        "select status::text, stage_output from stage_executions where execution_id = $1",
    )
    .bind(wait.execution_id.as_uuid())
    .fetch_one(pool)
    .await
    .expect("a stage")
}

async fn expire(pool: &PgPool, wait: &WaitRecord) {
    sqlx::query("update waits set expires_at = now() - interval '1 s' where wait_id = $1")
        .bind(wait.wait_id.as_uuid())
        .execute(pool)
        .await
        .expect("over");
}

const JOBS: &str = "select kind || ' ' || state from jobs order by 1";

#[tokio::test]
async fn a_gate_waits_without_a_runnable_job_and_opens_once() {
    let db = TestDb::new().await;
    let pool = db.pool();
    let (wait, claim) = opened(pool, approval()).await;
    assert_eq!(output(pool, &wait).await, ("waiting".into(), None));
    assert_eq!(
        texts(pool, JOBS).await,
        ["chain running", "wait scheduled", "wait_notice ready"]
    );

    let again = gate(wait.session_id, approval());
    let mut conn = pool.acquire().await.expect("a connection");
    let gates = std::slice::from_ref(&again);
    assert!(open_gates(&mut conn, claim, gates, 2, 1).await.expect("it"));
    let zombie = ClaimRef { epoch: 0, ..claim };
    assert!(
        !open_gates(&mut conn, zombie, gates, 2, 1)
            .await
            .expect("it")
    );
    assert_eq!(
        texts(pool, "select sort::text from waits").await,
        ["approval"]
    );
    assert_eq!(texts(pool, JOBS).await.len(), 3);
}

#[tokio::test]
async fn an_approval_is_the_stages_output_and_continues_the_chain() {
    let db = TestDb::new().await;
    let pool = db.pool();
    let (wait, _) = opened(pool, approval()).await;
    let decided = decide(pool, &wait, &answer("ada", true)).await;
    assert_eq!(decided, Some(WaitDecision::Approved));
    let (status, output) = output(pool, &wait).await;
    assert_eq!(status, "completed");
    let output = output.expect("an output");
    assert_eq!(output["result"], "Approved by ada: looks right");
    assert_eq!(
        output["data"],
        json!({"approved": true, "decision": "approved", "by": "ada", "reason": "looks right"})
    );
    assert_eq!(
        texts(pool, JOBS).await,
        ["chain ready", "chain running", "wait_notice ready"]
    );
    let audit = "select actor || ' ' || action || ' ' || means || ' ' || reason from audit_log";
    assert_eq!(
        texts(pool, audit).await,
        ["ada approval.approve key looks right"]
    );
    let events =
        "select kind || ' ' || (payload ->> 'status') from events order by id desc limit 2";
    let mut events = texts(pool, events).await;
    events.sort();
    assert_eq!(events, ["stage_progress completed", "wait_update approved"]);
}

#[tokio::test]
async fn who_decides_after_the_time_is_up_finds_it_expired() {
    let db = TestDb::new().await;
    let pool = db.pool();
    let (wait, _) = opened(pool, approval()).await;
    assert_eq!(
        decide(pool, &wait, &Verdict::TimeIsUp).await,
        None,
        "not yet"
    );
    expire(pool, &wait).await;
    let late = decide(pool, &wait, &answer("ada", true)).await;
    assert_eq!(late, Some(WaitDecision::Expired));
    let (status, output) = output(pool, &wait).await;
    assert_eq!(
        (&*status, &output.expect("an output")["data"]["approved"]),
        ("completed", &json!(false))
    );
    assert_eq!(record(pool, wait.wait_id).await.decided_by, None);
    assert!(texts(pool, "select actor from audit_log").await.is_empty());
}

#[tokio::test]
async fn a_signal_that_does_not_come_fails_its_stage_and_one_that_does_is_its_data() {
    let db = TestDb::new().await;
    let pool = db.pool();
    let signal = || WaitStage::Signal {
        name: "deployed".into(),
        expires_ms: HOUR_MS,
    };
    let (late, _) = opened(pool, signal()).await;
    expire(pool, &late).await;
    assert_eq!(
        decide(pool, &late, &Verdict::TimeIsUp).await,
        Some(WaitDecision::Expired)
    );
    assert_eq!(output(pool, &late).await, ("failed".into(), None));

    let (wait, _) = opened(pool, signal()).await;
    let Verdict::Answer { by, .. } = answer("ci", true) else {
        unreachable!()
    };
    let verdict = Verdict::Signal {
        payload: json!({"version": 7}),
        by,
    };
    assert_eq!(
        decide(pool, &wait, &verdict).await,
        Some(WaitDecision::Signalled)
    );
    let (_, output) = output(pool, &wait).await;
    assert_eq!(output.expect("an output")["data"], json!({"version": 7}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_all_who_decide_cancel_and_expire_at_once_one_wins() {
    let db = TestDb::new().await;
    for round in 0..20 {
        let pool = db.pool();
        let (wait, _) = opened(pool, approval()).await;
        if round % 4 == 0 {
            expire(pool, &wait).await;
        }
        let deciders = (0..6).map(|place| {
            let (pool, wait) = (pool.clone(), wait.clone());
            tokio::spawn(async move {
                match place {
                    0 => decide(&pool, &wait, &Verdict::TimeIsUp).await,
                    1 if round % 2 == 0 => cancel(&pool, wait.session_id).await,
                    _ => decide(&pool, &wait, &answer(&format!("n{place}"), place % 2 == 0)).await,
                }
            })
        });
        let won: Vec<WaitDecision> = join_all(deciders)
            .await
            .into_iter()
            .filter_map(|decided| decided.expect("no panic"))
            .collect();
        assert_eq!(won.len(), 1, "round {round}: {won:?}");
        let now = record(pool, wait.wait_id).await;
        assert_eq!(now.decision, Some(won[0]));
        let jobs: i64 = sqlx::query_scalar(
            "select count(*) from jobs where subject = $1 and state = 'ready' and kind = 'chain'",
        )
        .bind(wait.session_id.as_uuid())
        .fetch_one(pool)
        .await
        .expect("a count");
        let expected = i64::from(won[0] != WaitDecision::Cancelled);
        assert_eq!(jobs, expected, "round {round}: {won:?}");
    }
}

/// Cancels the session like an operator.
async fn cancel(pool: &PgPool, session: SessionId) -> Option<WaitDecision> {
    let mut tx = pool.begin().await.expect("a transaction");
    let live = lock_live_session(&mut tx, session).await.expect("readable");
    let live = live.ok()?;
    let was_open = !live.waits.is_empty();
    cancel_session(&mut tx, &live, "eve", "cancelled by eve")
        .await
        .expect("cancelled");
    tx.commit().await.expect("committed");
    was_open.then_some(WaitDecision::Cancelled)
}

#[tokio::test]
async fn an_approved_call_resumes_its_stage_with_the_time_it_waited() {
    let db = TestDb::new().await;
    let pool = db.pool();
    let (session_id, _) = session(pool).await;
    let execution_id = ExecutionId::generate();
    let claim = running(pool, "stage", execution_id.as_uuid(), 3).await;
    sqlx::query(
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, round,
             timeout_ms, status, claim_owner, claim_epoch, started_at_us, deadline_at)
         values ($1, $2, 1, 'fix', 'Fixer', 'gpu', 1, 0, 60000, 'active', $3, 3, 0, now() + interval '1 min')",
    )
    .bind(execution_id.as_uuid())
    .bind(session_id.as_uuid())
    .bind(claim.owner)
    .execute(pool)
    .await
    .expect("a stage");
    let question = PersonQuestion {
        wait_id: WaitId::generate(),
        execution_id,
        stage_count: 2,
        question: "Agent `Fixer` asks to call `k8s.delete`".into(),
        about: About::Call(json!({"sequence": 4, "server": "k8s", "tool": "delete"})),
        role: Role::Operator,
        expires_ms: HOUR_MS,
        priority: 1,
    };
    let mut conn = pool.acquire().await.expect("a connection");
    let zombie = ClaimRef { epoch: 2, ..claim };
    assert!(!ask_person(&mut conn, zombie, &question).await.expect("it"));
    assert!(ask_person(&mut conn, claim, &question).await.expect("it"));
    assert!(
        !ask_person(&mut conn, claim, &question).await.expect("it"),
        "its job has ended"
    );
    drop(conn);
    let wait = record(pool, question.wait_id).await;
    assert_eq!(output(pool, &wait).await, ("waiting".into(), None));

    sqlx::query("update waits set asked_at_us = asked_at_us - 600000000")
        .execute(pool)
        .await
        .expect("ten minutes ago");
    assert_eq!(
        decide(pool, &wait, &answer("ada", true)).await,
        Some(WaitDecision::Approved)
    );
    assert_eq!(output(pool, &wait).await, ("pending".into(), None));
    let job =
        "select queue || ' ' || epoch || ' ' || requires::text from jobs where kind = 'stage'";
    assert_eq!(texts(pool, job).await, ["stage:gpu 3 {agent:Fixer}"]);
    let left = "select (deadline_at > now() + interval '10 min')::text from stage_executions";
    assert_eq!(texts(pool, left).await, ["true"]);
}
