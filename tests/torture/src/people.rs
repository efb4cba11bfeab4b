//! People who decide during the whole run, and a backlog of sessions that nobody decides.

use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::PgPool;
use sqlx::types::Uuid;
use tarsy_testing::wait;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::client::Client;

/// Poll interval for open waits.
const PAUSE: Duration = Duration::from_millis(300);
/// Maximum number of waits that are decided per poll.
const AT_MOST: i64 = 40;
/// Number of sessions of the backlog that are sent concurrently.
const SENDERS: usize = 16;

/// Open waits: the wait, its session, and what it waits for.
const OPEN: &str =
    "select wait_id, session_id, sort::text from waits join alert_sessions using (session_id)
    where decision is null and sort <> 'timer' and chain_id <> 'parked'
      -- One wait in seven is left to expire. Tool calls would take an hour to expire, so all of them are decided.
      and (sort = 'tool_call' or abs(hashtext(wait_id::text)) % 7 <> 0)
    order by asked_at_us limit $1";

/// Expires the waits of all parked sessions.
const EXPIRE_PARKED: &str = "with expired as (
        update waits w set expires_at = clock_timestamp() from alert_sessions s
        where s.session_id = w.session_id and s.chain_id = 'parked' and w.decision is null
        returning w.wait_id
    )
    update jobs set run_at = clock_timestamp(), rank = clock_timestamp()
    where subject in (select wait_id from expired)";

/// Parked sessions that do not wait yet.
const ON_THE_WAY: &str =
    "select count(*) from alert_sessions s where chain_id = 'parked' and completed_at_us is null
      and not exists (select from waits w where w.session_id = s.session_id)";

/// Timeout until the last of them begin their wait.
const BEGINNING: Duration = Duration::from_secs(120);
/// Timeout until Postgres answers after a restart.
const RECOVERING: Duration = Duration::from_secs(60);

/// Decides open waits until the run is over. Each wait is decided by two people who disagree.
pub(crate) async fn decide_steadily(client: Client, pool: PgPool) {
    loop {
        sleep(PAUSE).await;
        // Postgres may be down.
        let open: Vec<(Uuid, Uuid, String)> = sqlx::query_as(OPEN)
            .bind(AT_MOST)
            .fetch_all(&pool)
            .await
            .unwrap_or_default();
        let mut people = JoinSet::new();
        for (wait, session, sort) in open {
            let client = client.clone();
            people.spawn(async move {
                match sort.as_str() {
                    "signal" => client.signal(session, "go").await,
                    _ => {
                        let (one, other) = match wait.as_u128() % 2 {
                            0 => ("approve", "deny"),
                            _ => ("deny", "approve"),
                        };
                        let both = (client.decide(wait, one), client.decide(wait, other));
                        tokio::join!(both.0, both.1).0
                    }
                }
            });
        }
        people.join_all().await;
    }
}

/// Sends sessions that wait for a signal that never comes.
pub(crate) async fn park(client: Client, sessions: usize) {
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let client = client.clone();
        let share = sessions / SENDERS + usize::from(sender < sessions % SENDERS);
        senders.spawn(async move {
            for _ in 0..share {
                client.send("Parked", 1).await;
            }
        });
    }
    senders.join_all().await;
}

/// Waits until all parked sessions wait, or until none of them has begun to wait for a long time.
pub(crate) async fn all_parked(pool: &PgPool) {
    let (mut fewest, mut progress) = (i64::MAX, Instant::now());
    loop {
        // Postgres may still be recovering.
        let left: Result<i64, _> = sqlx::query_scalar(ON_THE_WAY).fetch_one(pool).await;
        match left {
            Ok(0) => return,
            Ok(left) if left < fewest => (fewest, progress) = (left, Instant::now()),
            _ if progress.elapsed() > BEGINNING => return,
            _ => {}
        }
        sleep(PAUSE).await;
    }
}

/// Expires the waits of all parked sessions at once, as if an hour had passed. Returns how many there were.
pub(crate) async fn end_parked(pool: &PgPool) -> Result<u64> {
    // Postgres may still be recovering.
    let over = wait::up_to(RECOVERING, async || {
        let over = sqlx::query(EXPIRE_PARKED).execute(pool).await;
        over.ok().map(|over| over.rows_affected())
    });
    over.await.context("the parked sessions could not be ended")
}
