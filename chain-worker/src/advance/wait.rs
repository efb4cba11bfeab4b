//! Opens waits, ends those whose time is up, and notifies people of new ones.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, WaitId, chain_queue};
use tarsy_queue::{NewJob, Outcome, within_deadline};
use tarsy_store::{NewWaitNotice, WaitRecord, find_wait};
use tarsy_transitions::{Gate, Verdict, decide_wait, open_gates};
use uuid::Uuid;

use super::Advancer;
use crate::Error;
use crate::notify::{Subscriptions, WEBHOOK_QUEUE, delivery_job};

/// Shortest and longest time until the next look at a wait that is not over.
const AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(90 * 86_400));

impl Advancer {
    /// Make stages of one session wait. The claim is kept: the session is decided again under it.
    pub(crate) async fn wait(
        &self,
        claim: ClaimRef,
        gates: &[Gate],
        stage_count: i32,
        priority: i16,
    ) -> Result<bool, tarsy_store::Error> {
        within_deadline(async {
            let mut conn = self.connections.acquire().await?;
            reached("chain.wait.before_commit");
            let held = open_gates(&mut conn, claim, gates, stage_count, priority).await;
            self.connections.give_back(conn, &held);
            let held = held?;
            reached("chain.wait.after_commit");
            self.waker.wake(chain_queue());
            self.waker.wake_watchers();
            Ok(held)
        })
        .await
    }

    /// End a wait whose time is up. Idempotent: a wait is decided once.
    pub(crate) async fn end_wait(&self, id: WaitId) -> Result<Outcome, Error> {
        within_deadline(async {
            let mut conn = self.connections.acquire().await?;
            let Some(wait) = open_wait(&mut conn, id).await? else {
                self.connections.keep(conn);
                return Ok(Outcome::Done);
            };
            reached("chain.expire.before_commit");
            let decided = decide_wait(&mut conn, &wait, &Verdict::TimeIsUp).await;
            self.connections.give_back(conn, &decided);
            let Some(decided) = decided? else {
                // It is not over by the database's clock, or somebody decides it in this moment.
                return Ok(Outcome::Snooze(time_left(&wait)));
            };
            reached("chain.expire.after_commit");
            tracing::info!(
                session.id = %wait.session_id, wait.id = %id, decision = %decided.decision,
                "the time of a wait is up"
            );
            self.waker.wake(&decided.queue);
            self.waker.wake_watchers();
            Ok(Outcome::Done)
        })
        .await
    }

    /// Create the notifications of a new wait. Idempotent: one for each target.
    pub(crate) async fn announce_wait(&self, id: WaitId) -> Result<Outcome, Error> {
        within_deadline(async {
            let mut conn = self.connections.acquire().await?;
            announce(&mut conn, id, &self.subscriptions).await?;
            self.connections.keep(conn);
            self.waker.wake(WEBHOOK_QUEUE);
            Ok(Outcome::Done)
        })
        .await
    }
}

async fn announce(
    conn: &mut PgConnection,
    id: WaitId,
    subscriptions: &Subscriptions,
) -> Result<(), Error> {
    let mut tx = conn.begin().await?;
    if let Some(wait) = open_wait(&mut tx, id).await? {
        let targets = subscriptions.of_wait(&wait);
        let notices: Vec<NewWaitNotice<'_>> = targets
            .iter()
            .map(|target| NewWaitNotice {
                delivery_id: Uuid::now_v7(),
                target,
            })
            .collect();
        let new = tarsy_store::insert_wait_notices(&mut tx, &wait, &notices).await?;
        let jobs: Vec<NewJob> = new.into_iter().map(delivery_job).collect();
        tarsy_queue::enqueue(&mut tx, &jobs).await?;
    }
    reached("chain.announce.before_commit");
    tx.commit().await?;
    reached("chain.announce.after_commit");
    Ok(())
}

/// The wait, if nobody has decided it and its session is under way.
async fn open_wait(
    conn: &mut PgConnection,
    id: WaitId,
) -> Result<Option<WaitRecord>, tarsy_store::Error> {
    let wait = find_wait(conn, id).await?;
    Ok(wait.filter(|wait| wait.decision.is_none() && wait.is_live))
}

/// Roughly: the database's clock decides.
fn time_left(wait: &WaitRecord) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| i64::try_from(now.as_micros()).unwrap_or(i64::MAX));
    let left = u64::try_from(wait.expires_at_us - now).unwrap_or(0);
    let (shortest, longest) = AGAIN;
    Duration::from_micros(left).clamp(shortest, longest)
}
