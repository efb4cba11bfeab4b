//! Faults of Postgres and of its connections.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::{Connection as _, PgConnection};
use tarsy_testing::postgres::Stop;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::pgbouncer::Bouncer;
use crate::processes::FEW;

/// SQLSTATE `too_many_connections`.
const TOO_MANY: &str = "53300";
/// Timeout for using up a pool.
const USING_UP: Duration = Duration::from_secs(8);
const CROWD: usize = 64;
/// Default time that a service waits for a connection (`DATABASE_ACQUIRE_TIMEOUT`).
const ACQUIRING: Duration = Duration::from_secs(5);

impl Nemesis {
    pub(super) async fn lose_power(&self, away: Duration) -> Result<usize> {
        let mut cluster = self.cluster.lock().await;
        self.power_losses.fetch_add(1, Ordering::Relaxed);
        tokio::task::block_in_place(|| cluster.stop(Stop::Immediate))?;
        sleep(away).await;
        tokio::task::block_in_place(|| cluster.start_again())?;
        Ok(1)
    }

    /// Terminates the fleet's connections; returns how many.
    pub(super) async fn terminate_storm(&self) -> usize {
        let mut ended = 0;
        for _ in 0..8 {
            let storm = "select pg_terminate_backend(pid) from pg_stat_activity
                         where datname = current_database() and pid <> pg_backend_pid()";
            // Another fault may have stopped Postgres or this connection.
            let rows = sqlx::query(storm).execute(&self.pool).await;
            ended += rows.map_or(0, |rows| rows.rows_affected());
            sleep(Duration::from_millis(500)).await;
        }
        usize::try_from(ended).unwrap_or(usize::MAX)
    }

    /// Takes all free connections; returns how many, or 0 if some were left.
    pub(super) async fn exhaust(&self) -> usize {
        let (mut held, mut is_full) = (Vec::new(), false);
        let options = self.pool.connect_options();
        for _ in 0..400 {
            match PgConnection::connect_with(&options).await {
                Ok(connection) => held.push(connection),
                Err(error) => {
                    let code = error.as_database_error().and_then(|error| error.code());
                    is_full = code.is_some_and(|code| code == TOO_MANY);
                    break;
                }
            }
        }
        sleep(Duration::from_secs(3)).await;
        if is_full { held.len() } else { 0 }
    }

    /// Makes every connection of a process's pool wait for a table, for longer than its acquire timeout. Claims and
    /// leases have separate connections. Returns how many connections waited, or 0 if one was free.
    pub(super) async fn use_up_pool(&self, dice: u64) -> Result<usize> {
        let member = self.members.iter().find(|member| member.connections == FEW);
        let member = member.context("no process has a small pool")?;
        let mut tx = self.pool.begin().await?;
        sqlx::query("lock table stage_executions in access exclusive mode")
            .execute(&mut *tx)
            .await?;
        let mut crowd = JoinSet::new();
        for _ in 0..CROWD {
            let client = self.client.clone();
            crowd.spawn(async move { client.send("Brief", 1).await });
        }
        let waiting = "select count(*) >= $2 from pg_stat_activity
            where wait_event_type = 'Lock' and client_port = any($1)
              and application_name not like '% claim %' and application_name not like '% lease %'";
        let (ports, few) = (member.proxy().ports(), i64::try_from(FEW)?);
        let (mut is_used_up, begun) = (false, Instant::now());
        while !is_used_up && begun.elapsed() < USING_UP {
            // Outside the transaction, which would always see the same snapshot.
            let all = sqlx::query_scalar(waiting).bind(&ports).bind(few);
            is_used_up = all.fetch_one(&self.pool).await?;
            sleep(Duration::from_millis(50)).await;
        }
        if is_used_up {
            sleep(ACQUIRING + Duration::from_millis(dice % 2_000)).await;
        }
        tx.rollback().await?;
        crowd.join_all().await;
        Ok(if is_used_up { FEW } else { 0 })
    }

    /// Locks a table; returns how many connections waited for it.
    pub(super) async fn lock_table(&self, dice: u64) -> Result<usize> {
        let table =
            ["stage_executions", "jobs", "alert_sessions"][usize::try_from(dice % 3).unwrap_or(0)];
        self.lock_for(table, Duration::from_millis(2_000 + dice % 3_000))
            .await
    }

    /// Locks a table for a while; returns how many connections waited for it at the end.
    pub(super) async fn lock_for(&self, table: &str, time: Duration) -> Result<usize> {
        let lock = format!("lock table {table} in access exclusive mode");
        let mut tx = self.pool.begin().await?;
        sqlx::query(sqlx::AssertSqlSafe(lock))
            .execute(&mut *tx)
            .await?;
        sleep(time).await;
        let waiting = "select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'";
        let waiting: i64 = sqlx::query_scalar(waiting).fetch_one(&mut *tx).await?;
        tx.rollback().await?;
        Ok(usize::try_from(waiting)?)
    }

    pub(super) async fn end_listeners(&self) -> Result<usize> {
        let end = "select pg_terminate_backend(pid) from pg_stat_activity
                   where datname = current_database() and (application_name like '% lease %' or application_name like '% events')";
        let ended = sqlx::query(end).execute(&self.pool).await?;
        Ok(usize::try_from(ended.rows_affected())?)
    }

    pub(super) async fn end_bouncers(&self, away: Duration) -> Result<usize> {
        let ended = self.bouncers.iter().map(Bouncer::kill).sum();
        sleep(away).await;
        self.bouncers.iter().try_for_each(Bouncer::again)?;
        Ok(ended)
    }

    /// Fills the disk for seconds. Postgres shuts down by itself when there is no space for its log.
    pub(super) async fn fill_disk(&self, time: Duration) -> Result<usize> {
        let Some(disk) = &self.disk else {
            return Ok(0);
        };
        let mut cluster = self.cluster.lock().await;
        self.power_losses.fetch_add(1, Ordering::Relaxed);
        tokio::task::block_in_place(|| disk.fill())?;
        sleep(time).await;
        disk.free();
        tokio::task::block_in_place(|| {
            // Other server processes may still be shutting down.
            let _ = cluster.stop(Stop::Immediate);
            cluster.start_again()
        })?;
        Ok(1)
    }

    pub(super) async fn lose_job(&self, dice: u64) -> Result<usize> {
        // Not a poisonous one, because its crash count would restart.
        let lose = "delete from jobs where id = (
            select id from jobs where subject not in (select execution_id from stage_executions where agent = 'Poisoner')
            order by md5(id::text || $1) limit 1)";
        let lost = sqlx::query(lose).bind(dice.to_string());
        let lost = lost.execute(&self.pool).await?;
        Ok(usize::try_from(lost.rows_affected())?)
    }

    /// Ages some ended sessions at once; retention must delete them and nothing else.
    pub(super) async fn grow_old(&self, dice: u64) -> Result<usize> {
        let mut tx = self.pool.begin().await?;
        // The evidence triggers would record this update as an end.
        let age = format!(
            "set local session_replication_role = replica;
            create temporary table old on commit drop as
                select session_id, alert_data ->> 'incident' as incident from alert_sessions
                where status in ('completed', 'failed') and completed_at_us is not null
                  and session_id not in (select session_id from torture_retired)
                order by md5(session_id::text || '{dice}') limit 25 for update skip locked;
            insert into torture_retired select session_id, incident from old;
            update alert_sessions s
            set started_at_us = started_at_us - 17280000000000, completed_at_us = completed_at_us - 17280000000000
            from old where old.session_id = s.session_id;"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(age))
            .execute(&mut *tx)
            .await?;
        let old = sqlx::query_scalar("select count(*) from old");
        let old: i64 = old.fetch_one(&mut *tx).await?;
        tx.commit().await?;
        Ok(usize::try_from(old)?)
    }
}
