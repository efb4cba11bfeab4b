//! Starts the measured processes and enqueues chains.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_intake::{Intake, LoadShedder};
use tarsy_model::{SessionId, chain_queue};
use tarsy_queue::{NewJob, Waker};
use tarsy_store::new_session::NewSession;
use tarsy_store::sessions::Accepted;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

/// A process of the fleet, killed at the end.
pub(crate) struct Member(Child);

impl Member {
    /// Starts this program as a member with these flags.
    pub(crate) fn start(url: &str, flags: &[&str]) -> Result<Self> {
        Self::spawn(&[&["member", "--url", url], flags].concat())
    }

    /// Starts a process of the floor: its API if `listen` is given, or else its worker.
    pub(crate) fn of_floor(url: &str, listen: Option<&str>) -> Result<Self> {
        let mut flags = vec!["floor", "--url", url];
        flags.extend(listen.iter().flat_map(|address| ["--listen", address]));
        Self::spawn(&flags)
    }

    fn spawn(arguments: &[&str]) -> Result<Self> {
        let program = std::env::current_exe()?;
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .spawn()
            .context("a member of the fleet did not start")?;
        Ok(Self(child))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn kill(&mut self) -> Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The part of `POST /alerts` after parsing.
pub(crate) struct Accepting {
    intake: Intake,
    _running: DropGuard,
}

impl Accepting {
    /// Accepts alerts over `pool` until it is dropped.
    pub(crate) fn start(pool: &PgPool) -> Result<Self> {
        let (watch, stop) = (LoadShedder::new(0), CancellationToken::new());
        let watching = (Arc::clone(&watch), pool.clone(), stop.clone());
        tokio::spawn(async move { watching.0.run(&watching.1, &watching.2).await });
        let primary = pool.connect_options().as_ref().clone().into();
        Ok(Self {
            intake: Intake::new(&primary, pool, Waker::new(pool.clone()), watch)?,
            _running: stop.drop_guard(),
        })
    }

    /// Accepts an alert; returns its session once that is committed.
    pub(crate) async fn accept(&self, session: NewSession) -> Result<Uuid> {
        match self.intake.accept(session).await {
            Ok(Accepted::Fresh { session_id, .. }) => Ok(session_id.as_uuid()),
            other => bail!("an alert was not accepted: {other:?}"),
        }
    }
}

/// Waits until `count` workers have registered.
pub(crate) async fn ready(pool: &PgPool, count: i64) -> Result<()> {
    for _ in 0..600 {
        let there: i64 = sqlx::query_scalar("select count(*) from workers")
            .fetch_one(pool)
            .await?;
        if there >= count {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    bail!("the fleet did not start within 30 s");
}

/// Creates a session with a chain of three stages.
pub(crate) fn session() -> Result<NewSession> {
    let stage = |name: &str| json!({"name": name, "agent": "idle", "pool": "default"});
    session_of(&json!([
        stage("collect"),
        stage("analyse"),
        stage("report")
    ]))
}

/// Creates a session with a chain of these stages, in their stored form.
pub(crate) fn session_of(stages: &Value) -> Result<NewSession> {
    let chain = json!({"chain_id": "bench", "alert_types": ["bench"], "stages": stages});
    let session_id = SessionId::generate();
    Ok(NewSession {
        session_id,
        alert_id: Uuid::now_v7(),
        alert_type: "bench".to_owned(),
        data: serde_json::value::RawValue::from_string(crate::limits::alert_data())?,
        severity: "warning".to_owned(),
        alert_timestamp_us: None,
        source: "bench".to_owned(),
        author: None,
        fingerprint: session_id.to_string(),
        idempotency_key: None,
        chain_id: "bench".to_owned(),
        chain_definition: to_raw_value(&chain)?,
        runbook_url: None,
        traceparent: None,
        suppressible: None,
    })
}

/// Inserts sessions with their chain jobs, in one transaction.
pub(crate) async fn submit(pool: &PgPool, sessions: &[NewSession]) -> Result<()> {
    let mut tx = pool.begin().await?;
    let accepted = tarsy_store::sessions::insert_sessions(&mut tx, sessions).await?;
    if accepted
        .iter()
        .any(|a| !matches!(a, Accepted::Fresh { .. }))
    {
        bail!("a benchmark session was taken for a duplicate");
    }
    let jobs: Vec<NewJob> = sessions
        .iter()
        .map(|s| NewJob::new(chain_queue(), "chain", s.session_id.as_uuid()).priority(1))
        .collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    tx.commit().await?;
    Ok(())
}

/// Inserts `count` sessions in large groups.
pub(crate) async fn backlog(pool: &PgPool, count: usize) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let group = (0..left.min(500))
            .map(|_| session())
            .collect::<Result<Vec<_>>>()?;
        submit(pool, &group).await?;
        left -= group.len();
    }
    Ok(())
}
