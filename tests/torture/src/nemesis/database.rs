//! Faults of Postgres and of what lies between it and the fleet.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use sqlx::{Connection as _, PgConnection};
use tarsy_testing::postgres::Stop;
use tokio::time::sleep;

use super::Nemesis;

impl Nemesis {
    pub(super) async fn lose_power(&self, away: Duration) -> Result<()> {
        let mut cluster = self.cluster.lock().await;
        self.power_losses.fetch_add(1, Ordering::Relaxed);
        tokio::task::block_in_place(|| cluster.stop(Stop::Immediate))?;
        sleep(away).await;
        tokio::task::block_in_place(|| cluster.start_again())?;
        Ok(())
    }

    pub(super) async fn terminate_storm(&self) {
        for _ in 0..8 {
            let storm = "select pg_terminate_backend(pid) from pg_stat_activity
                         where datname = current_database() and pid <> pg_backend_pid()";
            let _ = sqlx::query(storm).execute(&self.pool).await;
            sleep(Duration::from_millis(500)).await;
        }
    }

    pub(super) async fn exhaust(&self) {
        let mut held = Vec::new();
        for _ in 0..400 {
            match PgConnection::connect(&self.url).await {
                Ok(connection) => held.push(connection),
                Err(_) => break,
            }
        }
        sleep(Duration::from_secs(3)).await;
        drop(held);
    }

    pub(super) async fn lock_table(&self, dice: u64) -> Result<()> {
        let table =
            ["stage_executions", "jobs", "alert_sessions"][usize::try_from(dice % 3).unwrap_or(0)];
        let lock = format!("lock table {table} in access exclusive mode");
        let mut tx = self.pool.begin().await?;
        sqlx::query(sqlx::AssertSqlSafe(lock))
            .execute(&mut *tx)
            .await?;
        sleep(Duration::from_millis(2_000 + dice % 3_000)).await;
        Ok(tx.rollback().await?)
    }

    pub(super) async fn end_listeners(&self) -> Result<()> {
        let end = "select pg_terminate_backend(pid) from pg_stat_activity
                   where datname = current_database() and (application_name like '% lease' or application_name like '% events')";
        sqlx::query(end).execute(&self.pool).await?;
        Ok(())
    }

    pub(super) async fn end_bouncers(&self, away: Duration) -> Result<()> {
        for bouncer in &self.bouncers {
            bouncer.kill();
        }
        sleep(away).await;
        self.bouncers.iter().try_for_each(super::Bouncer::again)
    }

    /// The disk is full for seconds. Postgres gives up by itself when its log has no room.
    pub(super) async fn fill_disk(&self, time: Duration) -> Result<()> {
        let Some(disk) = &self.disk else {
            return Ok(());
        };
        let mut cluster = self.cluster.lock().await;
        self.power_losses.fetch_add(1, Ordering::Relaxed);
        tokio::task::block_in_place(|| disk.fill())?;
        sleep(time).await;
        disk.free();
        tokio::task::block_in_place(|| {
            // What still runs may be in the middle of giving up.
            let _ = cluster.stop(Stop::Immediate);
            cluster.start_again()
        })?;
        Ok(())
    }

    pub(super) async fn lose_job(&self) -> Result<()> {
        // Not the poison's: its count of crashes would start anew.
        let lose = "delete from jobs where id = (
            select id from jobs where subject not in (select execution_id from stage_executions where agent = 'Poisoner')
            order by random() limit 1)";
        sqlx::query(lose).execute(&self.pool).await?;
        Ok(())
    }

    /// Some ended sessions grow old at once; retention must take them away, and nothing else.
    pub(super) async fn grow_old(&self) -> Result<()> {
        let mut tx = self.pool.begin().await?;
        // The triggers that collect evidence would take this for an end.
        let age = "set local session_replication_role = replica;
            create temporary table old on commit drop as
                select session_id, alert_data ->> 'incident' as incident from alert_sessions
                where status in ('completed', 'failed') and completed_at_us is not null
                  and session_id not in (select session_id from torture_retired)
                order by random() limit 25 for update skip locked;
            insert into torture_retired select session_id, incident from old;
            update alert_sessions s
            set started_at_us = started_at_us - 17280000000000, completed_at_us = completed_at_us - 17280000000000
            from old where old.session_id = s.session_id;";
        sqlx::raw_sql(age).execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }
}
