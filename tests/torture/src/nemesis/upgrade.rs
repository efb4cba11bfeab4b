//! Rolling upgrade under load: migrates the schema, then replaces each process.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, ensure};
use tokio::time::sleep;

use super::Nemesis;
use crate::versions;

/// Tables that occur in prepared statements of every process.
const TABLES: [&str; 5] = [
    "alert_sessions",
    "stage_executions",
    "llm_interactions",
    "jobs",
    "events",
];

impl Nemesis {
    /// Expands the schema, then replaces one process after another. With `--other-build`, processes are replaced by
    /// those of the other build, the first time after the missing migrations were applied. Returns how many tables were
    /// altered.
    pub(super) async fn upgrade(&self, dice: u64) -> Result<usize> {
        if self.upgrades {
            let mut migrated = Ok(());
            for _ in 0..5 {
                migrated = versions::migrate(&self.pool).await;
                if migrated.is_ok() {
                    break;
                }
                sleep(Duration::from_millis(500)).await;
            }
            migrated?;
        }
        let mut altered = 0;
        for table in TABLES {
            let expand = format!(
                "set lock_timeout = '2s'; alter table {table} add column torture_next_{dice} text; reset lock_timeout"
            );
            // Retries lock timeouts, as a deployment does.
            for _ in 0..5 {
                let grown = sqlx::raw_sql(sqlx::AssertSqlSafe(expand.clone()));
                if grown.execute(&self.pool).await.is_ok() {
                    altered += 1;
                    break;
                }
                sleep(Duration::from_millis(500)).await;
            }
        }
        let mut replaced = 0;
        for member in self.members.iter() {
            let starts = member.starts.load(Ordering::Relaxed);
            member.change_build();
            member.terminate();
            for _ in 0..100 {
                if member.starts.load(Ordering::Relaxed) > starts {
                    replaced += 1;
                    break;
                }
                sleep(Duration::from_millis(100)).await;
            }
        }
        for table in TABLES {
            let contract = format!(
                "set lock_timeout = '2s'; alter table {table} drop column if exists torture_next_{dice}; reset lock_timeout"
            );
            let _ = sqlx::raw_sql(sqlx::AssertSqlSafe(contract))
                .execute(&self.pool)
                .await;
        }
        let all = self.members.len();
        ensure!(
            replaced == all,
            "{replaced} of {all} processes were replaced"
        );
        Ok(altered)
    }
}
