//! Sessions that wait, and concurrent decisions.

use std::time::Duration;

use anyhow::Result;
use sqlx::types::Uuid;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::Nemesis;

/// Number of alerts that wait for approval, per fault.
const GATED: usize = 20;
/// Concurrent decisions per wait, half of them each way.
const AT_ONCE: usize = 4;
/// Timeout until all waits are decided.
const DECIDING: Duration = Duration::from_secs(12);

impl Nemesis {
    /// Lets many sessions wait and decides most of them several times at once; the others expire.
    pub(super) async fn decide_together(&self, dice: u64) -> Result<usize> {
        let mut senders = JoinSet::new();
        for _ in 0..GATED {
            let client = self.client.clone();
            senders.spawn(async move { client.send("Gated", 1).await });
        }
        let mut decided = 0;
        let until = Instant::now() + DECIDING;
        while Instant::now() < until {
            let open: Vec<Uuid> = sqlx::query_scalar(
                "select wait_id from waits where decision is null and sort = 'approval'
                 and abs(hashtext(wait_id::text)) % 5 <> $1",
            )
            .bind(i32::try_from(dice % 5)?)
            .fetch_all(&self.pool)
            .await?;
            let mut people = JoinSet::new();
            for wait in open {
                for person in 0..AT_ONCE {
                    let (client, decision) = (self.client.clone(), ["approve", "deny"][person % 2]);
                    people.spawn(async move { client.decide(wait, decision).await });
                }
            }
            let counted = people.join_all().await;
            decided += counted.into_iter().filter(|counted| *counted).count();
            sleep(Duration::from_millis(200)).await;
        }
        senders.join_all().await;
        Ok(decided)
    }
}
