//! Writes decisions: one statement per transition, shared by many chains.

mod children;
mod finish;
mod give_up;
mod settle;
mod start_notice;
mod wait;

use sqlx::PgConnection;
use tarsy_chain::SessionEnd;
use tarsy_coalesce::{Batch, Coalescer, GroupLimits};
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, StageStatus, chain_queue};
use tarsy_queue::{Connections, Outcome, Waker, is_refusal};
use tarsy_store::stages::NewStage;
use tarsy_transitions::{Start, Started, Starter};

use crate::notify::{Subscriptions, WEBHOOK_QUEUE};

pub use tarsy_model::{CHAIN_JOB, STAGE_JOB};

/// A transition that failed, or whose reply was lost.
pub(crate) type Error = tarsy_coalesce::Error<sqlx::Error>;

/// Stages of a session that settle without running, under the claim of the chain job that decided so.
#[derive(Debug)]
pub(crate) struct UnrunStages {
    /// Claim of the chain job, which continues after this transition.
    pub(crate) claim: ClaimRef,
    /// The stages' rows, at least one, each with its terminal status and the reason.
    pub(crate) stages: Vec<(NewStage, StageStatus, String)>,
    /// Number of stages of the chain, for event readers.
    pub(crate) stage_count: i32,
}

/// The end of a session, under the claim of the chain job that decided so.
#[derive(Debug)]
pub(crate) struct Finish {
    /// Claim of the chain job, which ends with this transition.
    pub(crate) claim: ClaimRef,
    pub(crate) session: SessionEnd,
    /// Whether a stage of another session may wait for this session.
    pub(crate) has_parent: bool,
}

/// Commits transitions in groups. Cheap to clone. Each transition returns false if its claim was lost and nothing was
/// changed.
///
/// After an [`Error`], either nothing was changed and the job still exists, or the commit succeeded and only its reply
/// was lost.
#[derive(Clone)]
pub(crate) struct Advancer {
    connections: Connections,
    waker: Waker,
    subscriptions: Subscriptions,
    starter: Starter,
    finish: Coalescer<Finish, bool, sqlx::Error>,
}

impl Advancer {
    /// Creates an advancer that writes over `connections` and wakes workers with `waker`.
    #[must_use]
    pub(crate) fn new(
        connections: Connections,
        waker: Waker,
        subscriptions: Subscriptions,
    ) -> Self {
        let limits = GroupLimits {
            max_batch: 128,
            max_flushes: 1,
            overlap_from: 1,
            ..GroupLimits::default()
        };
        let start_subscriptions = subscriptions.clone();
        Self {
            connections: connections.clone(),
            waker: waker.clone(),
            subscriptions: subscriptions.clone(),
            starter: Starter::new(connections.clone(), waker.clone(), move || {
                start_subscriptions.has_of_starts()
            }),
            finish: Coalescer::isolating(
                limits,
                |error| is_refusal(error),
                move |batch| {
                    finish(
                        connections.clone(),
                        waker.clone(),
                        subscriptions.clone(),
                        batch,
                    )
                },
            ),
        }
    }

    pub(crate) async fn start(&self, start: Start) -> Result<bool, Error> {
        Ok(self.starter.start(start).await? != Started::ClaimLost)
    }

    /// Ends stages that don't run (skipped, or failed by their condition). Keeps the claim, under which the session is
    /// decided again.
    pub(crate) async fn settle_stages(
        &self,
        stages: UnrunStages,
    ) -> Result<bool, tarsy_store::Error> {
        let settling = self.connections.run(async |conn| {
            reached("chain.settle.before_commit");
            let held = settle::settle_stages(conn, &stages).await?;
            reached("chain.settle.after_commit");
            Ok::<_, tarsy_store::Error>(held)
        });
        let held = settling.await?;
        self.waker.wake_watchers();
        Ok(held)
    }

    /// Ends a session together with its running stages and open waits.
    pub(crate) async fn give_up(&self, finish: Finish) -> Result<bool, crate::Error> {
        let deliveries = self.subscriptions.deliveries([&finish.session].into_iter());
        let ending = self
            .connections
            .run(async |conn| give_up::give_up_session(conn, &finish, &deliveries).await);
        let held = ending.await?;
        if finish.has_parent {
            self.waker.wake(chain_queue());
        }
        if !deliveries.is_empty() {
            self.waker.wake(WEBHOOK_QUEUE);
        }
        self.waker.wake_watchers();
        Ok(held)
    }

    /// Runs `insert`, which creates notifications with their jobs, and wakes the workers that deliver them.
    async fn announce(
        &self,
        insert: impl AsyncFnOnce(&mut PgConnection) -> Result<(), crate::Error>,
    ) -> Result<Outcome, crate::Error> {
        self.connections.run(insert).await?;
        self.waker.wake(WEBHOOK_QUEUE);
        Ok(Outcome::Done)
    }

    pub(crate) async fn finish(&self, finish: Finish) -> Result<bool, Error> {
        self.finish.submit(finish).await
    }
}

async fn finish(
    connections: Connections,
    waker: Waker,
    subscriptions: Subscriptions,
    batch: Batch<Finish>,
) -> Result<Vec<bool>, sqlx::Error> {
    let deliveries = subscriptions.deliveries(batch.iter().map(|f| &f.session));
    let mut conn = connections.acquire().await?;
    reached("chain.finish.before_commit");
    let held = finish::finish_sessions(&mut conn, &batch, &deliveries).await;
    connections.give_back(conn, &held);
    let held = held?;
    reached("chain.finish.after_commit");
    if batch.iter().any(|f| f.has_parent) {
        waker.wake(chain_queue());
    }
    if !deliveries.is_empty() {
        waker.wake(WEBHOOK_QUEUE);
    }
    waker.wake_watchers();
    Ok(batch
        .iter()
        .map(|f| held.contains(&f.claim.job_id))
        .collect())
}
