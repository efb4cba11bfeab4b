//! Outages that are shorter than a lease.

use std::time::Duration;

use anyhow::{Result, bail};
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::fleet::Member;
use crate::proxy::{Link, Silence};

/// Timeout until all workers have renewed their leases after an outage.
const RECOVERING: Duration = Duration::from_secs(20);

impl Nemesis {
    /// Returns a duration between 0.4 and 0.8 of a lease.
    fn short(&self, dice: u64) -> Duration {
        let share = 0.4 + 0.4 * (dice % 1_000) as f64 / 1_000.0;
        self.lease.mul_f64(share)
    }

    /// Makes Postgres silent for all processes, or for one of them; returns the number of connections.
    pub(super) async fn fall_silent(&self, dice: u64) -> Result<usize> {
        let _alone = self.outage.lock().await;
        let hit: Vec<&Member> = match (dice >> 32).is_multiple_of(2) {
            true => self.members.iter().collect(),
            false => vec![self.member(dice)],
        };
        let open = hit.iter().map(|member| member.proxy().open()).sum();
        for member in &hit {
            member.proxy().set(Link::Cut);
        }
        sleep(self.short(dice)).await;
        for member in &hit {
            member.proxy().set(Link::Good);
        }
        self.all_beat_again().await?;
        Ok(open)
    }

    /// Silences the lease connections of one process for good; returns their number.
    pub(super) async fn silence_lease(&self, dice: u64) -> Result<usize> {
        let _alone = self.outage.lock().await;
        let workers = self.stage_workers();
        let worker = workers[usize::try_from(dice % 3)?];
        let how = [Silence::ServerEnds, Silence::ServerHangs][usize::try_from((dice >> 8) % 2)?];
        let ports = "select client_port from pg_stat_activity
            where datname = current_database() and application_name like '% lease %' and client_port = any($1)";
        let ports = sqlx::query_scalar(ports).bind(worker.proxy().ports());
        let ports: Vec<i32> = ports.fetch_all(&self.pool).await?;
        for port in &ports {
            worker.proxy().silence_one(how, u16::try_from(*port)?);
        }
        self.all_beat_again().await?;
        Ok(ports.len())
    }

    /// Locks the table of jobs; returns how many connections waited for it.
    pub(super) async fn lock_jobs(&self, dice: u64) -> Result<usize> {
        let _alone = self.outage.lock().await;
        let hit = self.lock_for("jobs", self.short(dice)).await?;
        self.all_beat_again().await?;
        Ok(hit)
    }

    /// Waits until every worker has renewed its leases, because two outages with no renewal in between count as one.
    pub(super) async fn all_beat_again(&self) -> Result<()> {
        let now = sqlx::query_scalar("select clock_timestamp()::text");
        let now: String = now.fetch_one(&self.pool).await?;
        let all = "select not exists (select from workers where heartbeat_at <= $1::timestamptz)";
        let longest = Instant::now() + RECOVERING;
        while Instant::now() < longest {
            let all = sqlx::query_scalar(all).bind(&now);
            if all.fetch_one(&self.pool).await.unwrap_or(false) {
                return Ok(());
            }
            sleep(Duration::from_millis(50)).await;
        }
        bail!("a worker renews no leases after an outage")
    }
}
