//! Runs the jobs of waits: opens and expires them, and notifies people.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, WaitId, chain_queue};
use tarsy_queue::{NewJob, Outcome};
use tarsy_store::deliveries::{NewWaitNotice, NewWaitUpdate};
use tarsy_store::waits::{WaitRecord, find_wait};
use tarsy_transitions::{Gate, Verdict, decide_wait, open_gates};
use uuid::Uuid;

use super::Advancer;
use crate::Error;
use crate::notify::{Subscriptions, delivery_job};

/// Shortest and longest delay before an open wait is checked again.
const AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(90 * 86_400));

impl Advancer {
    /// Opens the waits of one session. Keeps the claim, under which the session is decided again.
    pub(crate) async fn wait(
        &self,
        claim: ClaimRef,
        gates: &[Gate],
        stage_count: i32,
        priority: i16,
    ) -> Result<bool, tarsy_store::Error> {
        let opening = self.connections.run(async |conn| {
            reached("chain.wait.before_commit");
            let held = open_gates(conn, claim, gates, stage_count, priority).await?;
            reached("chain.wait.after_commit");
            Ok::<_, tarsy_store::Error>(held)
        });
        let held = opening.await?;
        self.waker.wake(chain_queue());
        self.waker.wake_watchers();
        Ok(held)
    }

    /// Expires a wait. Idempotent: a wait is decided once.
    pub(crate) async fn end_wait(&self, id: WaitId) -> Result<Outcome, Error> {
        let expiring = self.connections.run(async |conn| {
            let Some(wait) = open_wait(conn, id).await? else {
                return Ok(Outcome::Done);
            };
            reached("chain.expire.before_commit");
            let Some(decided) = decide_wait(conn, &wait, &Verdict::TimeIsUp).await? else {
                // It has not expired by the database's clock, or it is being decided right now.
                return Ok(Outcome::Snooze(time_left(&wait)));
            };
            reached("chain.expire.after_commit");
            tracing::info!(
                session.id = %wait.session_id, wait.id = %id, decision = %decided.decision,
                "wait expired"
            );
            self.waker.wake(&decided.queue);
            self.waker.wake(chain_queue());
            self.waker.wake_watchers();
            Ok(Outcome::Done)
        });
        expiring.await
    }

    /// Creates the notifications of a new wait, or the message updates of a decided one. Idempotent: at most one per
    /// target.
    pub(crate) async fn announce_wait(&self, id: WaitId) -> Result<Outcome, Error> {
        self.announce(async |conn| announce(conn, id, &self.subscriptions).await)
            .await
    }
}

async fn announce(
    conn: &mut PgConnection,
    id: WaitId,
    subscriptions: &Subscriptions,
) -> Result<(), Error> {
    let mut tx = conn.begin().await?;
    let new = match find_wait(&mut tx, id).await? {
        Some(wait) if wait.decision.is_none() && wait.is_live => {
            ask(&mut tx, &wait, subscriptions).await?
        }
        // A person decided, its time was up, or its session has ended.
        Some(wait) if wait.role.is_some() => withdraw_buttons(&mut tx, id, subscriptions).await?,
        _ => Vec::new(),
    };
    let jobs: Vec<NewJob> = new.into_iter().map(delivery_job).collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    reached("chain.announce.before_commit");
    tx.commit().await?;
    reached("chain.announce.after_commit");
    Ok(())
}

/// Inserts the notifications of an open wait.
async fn ask(
    conn: &mut PgConnection,
    wait: &WaitRecord,
    subscriptions: &Subscriptions,
) -> Result<Vec<Uuid>, tarsy_store::Error> {
    let targets = subscriptions.of_wait(wait);
    let notices: Vec<NewWaitNotice<'_>> = targets
        .iter()
        .map(|target| NewWaitNotice {
            delivery_id: Uuid::now_v7(),
            target,
        })
        .collect();
    tarsy_store::deliveries::insert_wait_notices(conn, wait, &notices).await
}

/// Inserts the updates of messages that asked for a decision.
async fn withdraw_buttons(
    conn: &mut PgConnection,
    id: WaitId,
    subscriptions: &Subscriptions,
) -> Result<Vec<Uuid>, tarsy_store::Error> {
    let targets = subscriptions.that_change_messages();
    let updates: Vec<NewWaitUpdate<'_>> = targets
        .iter()
        .map(|target| NewWaitUpdate {
            delivery_id: Uuid::now_v7(),
            target,
        })
        .collect();
    match updates.is_empty() {
        true => Ok(Vec::new()),
        false => tarsy_store::deliveries::insert_wait_updates(conn, id, &updates).await,
    }
}

/// Finds a wait that is not decided and whose session is live.
async fn open_wait(
    conn: &mut PgConnection,
    id: WaitId,
) -> Result<Option<WaitRecord>, tarsy_store::Error> {
    let wait = find_wait(conn, id).await?;
    Ok(wait.filter(|wait| wait.decision.is_none() && wait.is_live))
}

/// Estimates the time until the wait expires by this machine's clock. The database's clock decides.
fn time_left(wait: &WaitRecord) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| i64::try_from(now.as_micros()).unwrap_or(i64::MAX));
    let left = u64::try_from(wait.expires_at_us - now).unwrap_or(0);
    let (shortest, longest) = AGAIN;
    Duration::from_micros(left).clamp(shortest, longest)
}
