//! Carrying out what was decided: one transaction per transition, shared by many chains.

use std::collections::{BTreeSet, HashSet};

use sqlx::{PgConnection, PgPool};
use tarsy_coalesce::{Coalescer, Limits};
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, SessionId};
use tarsy_queue::{NewJob, Waker};
use tarsy_store::{EVENTS_WAKE, FinishSession, NewStage};

use crate::Error;
use crate::notify::{Announce, WEBHOOK_QUEUE};

/// Kind of the jobs that this service runs; the subject is the session.
pub const CHAIN_JOB: &str = "chain";

/// Kind of the jobs that stage workers run; the subject is the stage execution.
pub const STAGE_JOB: &str = "stage";

/// A transition, under the claim of the chain job that brought it about.
#[derive(Debug)]
pub(crate) struct Advance {
    /// Ends with this transition.
    pub(crate) claim: ClaimRef,
    /// What changes besides.
    pub(crate) change: Change,
}

/// What a transition changes.
#[derive(Debug)]
pub(crate) enum Change {
    /// Nothing: a stage is under way, or the session has ended.
    Nothing,
    /// The next stage becomes due.
    Start {
        /// Its row.
        stage: Box<NewStage>,
        /// Of its job.
        priority: i16,
        /// Of the alert's request.
        traceparent: Option<String>,
    },
    /// The session ends.
    Finish(Box<FinishSession>),
}

/// Commits transitions in groups; cheap to clone.
#[derive(Clone)]
pub(crate) struct Advancer(Coalescer<Advance, (), Error>);

impl Advancer {
    /// An advancer that writes through `pool` and wakes stage workers by `waker`.
    #[must_use]
    pub(crate) fn new(pool: PgPool, waker: Waker, announce: Announce) -> Self {
        let limits = Limits {
            max_batch: 128,
            max_flushes: 1,
            overlap_from: 1,
        };
        Self(Coalescer::new(limits, move |batch| {
            flush(pool.clone(), waker.clone(), announce.clone(), batch)
        }))
    }

    /// Carry out one transition; a claim that was lost changes nothing, and is no error.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`]: nothing was changed, or the commit's reply was lost. The
    /// job is still there in the first case and its work is done in the second.
    pub(crate) async fn advance(
        &self,
        advance: Advance,
    ) -> Result<(), tarsy_coalesce::Error<Error>> {
        self.0.submit(advance).await
    }
}

async fn flush(
    pool: PgPool,
    waker: Waker,
    announce: Announce,
    batch: Vec<Advance>,
) -> Result<Vec<()>, Error> {
    let mut tx = pool.begin().await?;
    let queues = apply(&mut tx, &announce, &batch).await?;
    reached("chain.advance.before_commit");
    tx.commit().await?;
    reached("chain.advance.after_commit");
    for queue in &queues {
        waker.wake(queue);
    }
    waker.wake(EVENTS_WAKE);
    Ok(vec![(); batch.len()])
}

/// The statements of one group; answers the queues that got jobs.
async fn apply(
    conn: &mut PgConnection,
    announce: &Announce,
    batch: &[Advance],
) -> Result<BTreeSet<String>, Error> {
    let claims: Vec<ClaimRef> = batch.iter().map(|a| a.claim).collect();
    let held = tarsy_queue::complete(conn, &claims).await?;
    let held: Vec<&Advance> = batch.iter().filter(|a| held.contains(&a.claim)).collect();
    if held.len() < batch.len() {
        tracing::warn!(
            lost = batch.len() - held.len(),
            "chain claims were lost; another worker goes on"
        );
    }

    let is_announced = end_sessions(conn, announce, &held).await?;
    let mut queues = start_stages(conn, &held).await?;
    if is_announced {
        queues.insert(WEBHOOK_QUEUE.to_owned());
    }
    Ok(queues)
}

/// Make the stages due, with a job each; answers the queues that got jobs.
async fn start_stages(
    conn: &mut PgConnection,
    held: &[&Advance],
) -> Result<BTreeSet<String>, Error> {
    let due: Vec<_> = held
        .iter()
        .filter_map(|a| match &a.change {
            Change::Start {
                stage,
                priority,
                traceparent,
            } => Some((&**stage, *priority, traceparent)),
            _ => None,
        })
        .collect();
    if due.is_empty() {
        return Ok(BTreeSet::new());
    }
    let rows: Vec<NewStage> = due.iter().map(|d| d.0.clone()).collect();
    let started: HashSet<_> = tarsy_store::start_stages(conn, &rows)
        .await?
        .into_iter()
        .collect();

    // An attempt that was there already has its job, or has ended.
    let fresh = || due.iter().filter(|d| started.contains(&d.0.execution_id));
    let jobs: Vec<NewJob> = fresh()
        .map(|(stage, priority, traceparent)| {
            NewJob::new(stage_queue(stage), STAGE_JOB, stage.execution_id.as_uuid())
                .priority(*priority)
                .traceparent((*traceparent).clone())
        })
        .collect();
    tarsy_queue::enqueue(conn, &jobs).await?;
    Ok(fresh().map(|(stage, ..)| stage_queue(stage)).collect())
}

/// End sessions; whether others have to be told.
async fn end_sessions(
    conn: &mut PgConnection,
    announce: &Announce,
    held: &[&Advance],
) -> Result<bool, Error> {
    let finish: Vec<FinishSession> = held
        .iter()
        .filter_map(|a| match &a.change {
            Change::Finish(finish) => Some((**finish).clone()),
            _ => None,
        })
        .collect();
    if finish.is_empty() {
        return Ok(false);
    }
    let ended: HashSet<SessionId> = tarsy_store::finish_sessions(conn, &finish)
        .await?
        .into_iter()
        .collect();
    let ends = finish
        .iter()
        .filter(|f| ended.contains(&f.session_id))
        .map(|f| (f.session_id, f.status));
    announce.announce(conn, ends).await
}

fn stage_queue(stage: &NewStage) -> String {
    tarsy_model::Pool::from(stage.pool.as_str()).queue()
}
