//! Kills the API right before and after every commit of an operator's action. Either everything has changed or nothing
//! has, and the audit log agrees.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_tests::{Fleet, Ingest, SOON, crash_points, scene};
use uuid::Uuid;

/// Prefix of the points of operators' transactions.
const OPERATORS: &str = "admin.";

/// Configuration of a fleet that answers questions from knowledge.
const KNOWLEDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/knowledge.yaml");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Ask,
    AskKnowledge,
    Cancel,
    Replay,
    Decide,
    Care,
    Note,
    Queue,
    Drain,
    Requeue,
    Discard,
    Redeliver,
    SubmitRejected,
    Evaluation,
    Prune,
    CreateKey,
    RevokeKey,
}

impl Act {
    const ALL: [Self; 17] = [
        Self::Ask,
        Self::AskKnowledge,
        Self::Cancel,
        Self::Replay,
        Self::Decide,
        Self::Care,
        Self::Note,
        Self::Queue,
        Self::Drain,
        Self::Requeue,
        Self::Discard,
        Self::Redeliver,
        Self::SubmitRejected,
        Self::Evaluation,
        Self::Prune,
        Self::CreateKey,
        Self::RevokeKey,
    ];

    /// Name of its points, without `.before_commit` and `.after_commit`.
    const fn point(self) -> &'static str {
        match self {
            Self::Ask => "admin.ask",
            Self::AskKnowledge => "admin.ask_knowledge",
            Self::Cancel => "admin.cancel",
            Self::Replay => "admin.replay",
            Self::Decide => "admin.decide",
            Self::Care => "admin.care",
            Self::Note => "admin.note",
            Self::Queue => "admin.queue",
            Self::Drain => "admin.drain",
            Self::Requeue => "admin.requeue",
            Self::Discard => "admin.discard",
            Self::Redeliver => "admin.redeliver",
            Self::SubmitRejected => "admin.submit",
            Self::Evaluation => "admin.evaluation",
            Self::Prune => "admin.prune",
            Self::CreateKey => "admin.create_key",
            Self::RevokeKey => "admin.revoke_key",
        }
    }

    /// Query for a count that increases by one when the action is done.
    const fn effect(self) -> &'static str {
        match self {
            Self::Ask => "select count(*) from alert_sessions where conversation_id is not null",
            Self::AskKnowledge => {
                "select count(*) from alert_sessions where chain_id = 'knowledge'"
            }
            Self::Cancel => "select count(*) from alert_sessions where status = 'cancelled'",
            Self::Replay => {
                "select count(*) from stage_executions where stage_index = 1 and attempt = 2"
            }
            Self::Decide => "select count(*) from waits where decision = 'approved'",
            Self::Care => "select count(*) from session_care where acknowledged_at_us is not null",
            Self::Note => "select count(*) from session_notes",
            Self::Queue => "select count(*) from queue_state where paused_at is not null",
            Self::Drain => "select count(*) from workers where drain_requested",
            Self::Requeue => "select count(*) from jobs where kind = 'noop'",
            Self::Discard => "select -count(*) from dead_jobs",
            Self::Redeliver => "select count(*) from jobs where unique_key like 'redelivery:%'",
            Self::SubmitRejected => {
                "select count(*) from rejected_alerts where submitted_at_us is not null"
            }
            Self::Evaluation => "select count(*) from evaluations",
            Self::Prune => "select count(*) from audit_log where action = 'retention.prune'",
            Self::CreateKey => "select count(*) from api_keys",
            Self::RevokeKey => "select count(*) from api_keys where revoked_at_us is not null",
        }
    }

    /// Creates a subject. Returns path and body of the request that acts on it.
    async fn prepare(self, fleet: &Fleet, api: &Ingest) -> (String, Value) {
        let why = json!({"reason": "a test"});
        let path = match self {
            Self::Ask => {
                // There are no workers here, so the test itself ends the session.
                let session = fleet.submit(api, "ReportOnly").await;
                sqlx::query(
                    "with done as (delete from jobs where subject = $1)
                     update alert_sessions set status = 'completed', completed_at_us = now_us() where session_id = $1",
                )
                .bind(session)
                .execute(fleet.rows.pool())
                .await
                .unwrap();
                let path = format!("../sessions/{session}/messages");
                return (path, json!({"text": "why?"}));
            }
            Self::AskKnowledge => return ("../ask".to_owned(), json!({"question": "why?"})),
            Self::Cancel => {
                let session = fleet.submit(api, "ReportOnly").await;
                format!("sessions/{session}/cancel")
            }
            Self::Replay => {
                let session = fleet.submit(api, "CheckoutDown").await;
                let ended = fleet.rows.ended(session, SOON).await;
                assert_eq!(ended.outcome.as_deref(), Some("partial"), "{ended:?}");
                format!("sessions/{session}/stages/1/replay")
            }
            Self::Decide => {
                fleet.submit(api, "ReportOnly").await;
                let stage = "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool,
                                 timeout_ms, status, started_at_us)
                             select $1, session_id, 0, 'gate', 'wait:approval', 'default', 1000, 'waiting', now_us()
                             from alert_sessions order by session_id desc limit 1";
                insert(fleet, stage).await;
                let wait = "insert into waits (wait_id, session_id, execution_id, sort, question, role, expires_at)
                            select $1, session_id, execution_id, 'approval', '?', 'operator', now() + interval '1 hour'
                            from stage_executions where status = 'waiting' order by created_at_us desc limit 1";
                let wait = insert(fleet, wait).await;
                let decision = json!({"decision": "approve", "reason": "a test"});
                // The path of this request is not below the admin path.
                return (format!("../approvals/{wait}"), decision);
            }
            Self::Care => {
                let session = fleet.submit(api, "ReportOnly").await;
                let seen = json!({"reason": "a test", "acknowledged": true});
                return (format!("sessions/{session}/care"), seen);
            }
            Self::Note => {
                let session = fleet.submit(api, "ReportOnly").await;
                return (
                    format!("sessions/{session}/notes"),
                    json!({"text": "looked at the node"}),
                );
            }
            Self::Queue => {
                send(api, "queues/chain/resume", &why).await.unwrap();
                "queues/chain/pause".to_owned()
            }
            Self::Drain => {
                // The inserting Postgres session gets the worker's name, so that no sweeper declares the worker dead.
                // It takes the name over from the earlier worker, which a sweeper may then remove at any time.
                let earlier = sqlx::query("delete from workers where host = 'test'");
                earlier.execute(fleet.rows.pool()).await.unwrap();
                let worker = "insert into workers (id, role, host, pid, version, queues, slots, lock_key, process_id)
                              select $1, 'stage-worker', 'test', 1, 'test', '{}', 1, 0, $1
                              from set_config('application_name', 'test ' || $1::text, false) named where named <> ''";
                format!("workers/{}/drain", insert(fleet, worker).await)
            }
            Self::Requeue => format!("dead-jobs/{}/requeue", dead_job(fleet).await),
            Self::Discard => format!("dead-jobs/{}/discard", dead_job(fleet).await),
            Self::Redeliver => {
                fleet.submit(api, "ReportOnly").await;
                let delivery = "insert into webhook_deliveries (delivery_id, session_id, target, event)
                                select $1, session_id, 'test', 'session.completed' from alert_sessions limit 1";
                let delivery = insert(fleet, delivery).await;
                format!("webhook-deliveries/{delivery}/redeliver")
            }
            Self::SubmitRejected => {
                let rejected = r#"insert into rejected_alerts (rejection_id, source, is_proven, path, code, status, detail,
                                      alerts, content_type, headers, body, is_whole)
                                  values ($1, 'alerts', true, '/alerts', 'no_llm_provider', 503, '', '[]', 'application/json', '{}',
                                      '{"alert_type": "ReportOnly", "runbook": "local:a", "data": {}}', true)"#;
                format!("rejected-alerts/{}/submit", insert(fleet, rejected).await)
            }
            Self::Evaluation => {
                let summary = json!({"provider": "p", "model": "m", "strategy": "react", "cases": 1, "scored": 1, "right": 1,
                    "constant_right": 0, "facts": 1, "facts_said": 1, "guessed": 0, "healthy": 0, "false_alarms": 0,
                    "without_call": 0, "tokens": 1, "cost_usd": 0.0, "tags": []});
                return (
                    "evaluations".to_owned(),
                    json!({"name": "a test", "summary": summary}),
                );
            }
            Self::Prune => {
                let sure = json!({"reason": "a test", "dry_run": false});
                return ("retention/prune".to_owned(), sure);
            }
            Self::CreateKey => return ("keys".to_owned(), new_key()),
            Self::RevokeKey => {
                let made = send(api, "keys", &new_key()).await.unwrap();
                format!("keys/{}/revoke", made["key_id"].as_str().unwrap())
            }
        };
        (path, why)
    }
}

fn new_key() -> Value {
    json!({"name": Uuid::new_v4(), "role": "viewer", "reason": "a test"})
}

/// Inserts a row under a new id.
async fn insert(fleet: &Fleet, statement: &'static str) -> Uuid {
    let id = Uuid::new_v4();
    let inserted = sqlx::query(statement).bind(id).execute(fleet.rows.pool());
    assert_eq!(inserted.await.unwrap().rows_affected(), 1, "{statement}");
    id
}

async fn dead_job(fleet: &Fleet) -> Uuid {
    let dead = "insert into dead_jobs (id, queue, kind, subject, payload, priority, attempts, max_attempts,
                    crashes, snoozes, epoch, created_at, reason, error)
                values ($1, 'chain', 'noop', gen_random_uuid(), 'null', 0, 1, 1, 0, 0, 1, now(), 'exhausted', 'x')";
    insert(fleet, dead).await
}

/// Sends an operator's request; `None` if the API died.
async fn send(api: &Ingest, path: &str, body: &Value) -> Option<Value> {
    let request = reqwest::Client::new().post(format!("{}/api/v1/admin/{path}", api.url));
    let answer = request.json(body).send().await.ok()?;
    let status = answer.status();
    let text = answer.text().await.unwrap_or_default();
    assert!(status.is_success(), "{path}: {status}: {text}");
    Some(serde_json::from_str(&text).unwrap_or_default())
}

/// Returns the count of the action's effect, and the number of audit entries.
async fn done(fleet: &Fleet, act: Act) -> (i64, i64) {
    (
        fleet.rows.count(act.effect()).await,
        fleet.rows.count("select count(*) from audit_log").await,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_killed_at_an_operators_commit_has_done_all_or_nothing() {
    // One fleet has workers, for actions that need failed stages. The other has none, so its sessions do not run.
    let busy = Fleet::new(
        |request: &SeenRequest| match request.contains("You are the analyst.") {
            true => Behaviour::fail(401, "invalid key"),
            false => scene::play(request),
        },
    )
    .await;
    let still = Fleet::new(scene::play).await;
    let (_chain, _stage) = (busy.chain_worker(), busy.stage_worker());
    let (busy_api, still_api) = (busy.ingest().await, still.ingest().await);
    let knowing = Fleet::new(scene::play).await;
    let knowing = knowing
        .with("AGENT_CONFIG_FILE", KNOWLEDGE)
        .with("TARSY_TEST_PROGRAM", "unused")
        .with("TARSY_TEST_READER_URL", "unused");
    let knowing_api = knowing.ingest().await;
    let mut killed_at = BTreeSet::new();
    for act in Act::ALL {
        let (fleet, api) = match act {
            Act::Replay => (&busy, &busy_api),
            Act::AskKnowledge => (&knowing, &knowing_api),
            _ => (&still, &still_api),
        };
        for when in ["before_commit", "after_commit"] {
            let point = format!("{}.{when}", act.point());
            kill_at(fleet, api, act, &point).await;
            killed_at.insert(point);
        }
    }
    let points = crash_points().into_iter().map(|point| point.name);
    let points: BTreeSet<_> = points.filter(|name| name.starts_with(OPERATORS)).collect();
    assert_eq!(points, killed_at, "points in the sources, and those here");
}

async fn kill_at(fleet: &Fleet, api: &Ingest, act: Act, point: &str) {
    let (path, body) = act.prepare(fleet, api).await;
    let (effect, noted) = done(fleet, act).await;
    let armed = fleet.program("ingest-api").env("TARSY_CRASH_AT", point);
    let armed = fleet.ingest_with(armed).await;
    let answer = send(&armed, &path, &body).await;
    assert_eq!(answer, None, "{point}: nobody is told that it was done");
    let status = armed.process.ended(SOON).await;
    assert_eq!(status.signal(), Some(9), "{point}: {status}");

    let committed = i64::from(point.ends_with(".after_commit"));
    let now = done(fleet, act).await;
    assert_eq!(now, (effect + committed, noted + committed), "{point}");
    if committed == 0 {
        send(api, &path, &body).await.unwrap();
        let now = done(fleet, act).await;
        assert_eq!(now, (effect + 1, noted + 1), "{point}, asked for again");
    }
}
