//! Partitions the interaction and event tables under load with `tarsy partitions enable`. The command is killed once
//! while it works, and run again.

mod bounds;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Serialize;
use sqlx::PgPool;
use tarsy_testing::process::{Process, Program};
use tokio::time::sleep;

use crate::invariants::{Broken, broken_by};

/// The tables, in the order in which the command takes them.
const TABLES: [&str; 3] = ["llm_interactions", "mcp_interactions", "events"];
/// Poll interval.
const POLL_PAUSE: Duration = Duration::from_millis(5);
/// Timeout of one run of the command, which itself gives up after a minute without a lock.
const ENABLING: Duration = Duration::from_secs(120);
/// Timeout of all runs. Postgres may be down for long, and the healed fleet drains meanwhile.
const ALL: Duration = Duration::from_secs(600);
/// Prevents tables from being swapped, but does not block writes.
const HOLD: &str = "lock table alert_sessions, stage_executions in row exclusive mode";

/// Result of the partitioning.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Partitioned {
    /// State in which the command was killed.
    pub(crate) killed: Option<String>,
    /// Runs of the command.
    pub(crate) runs: usize,
    /// Time from the first start to the end of the last run.
    pub(crate) seconds: f64,
    /// Rows after the first partition, by table.
    pub(crate) rows_behind: [i64; 3],
}

/// The command and its database.
pub(crate) struct Partitioner {
    pool: PgPool,
    url: String,
    log: PathBuf,
    random: SmallRng,
    result: Partitioned,
}

impl Partitioner {
    pub(crate) fn new(pool: &PgPool, url: String, folder: &Path, seed: u64) -> Self {
        Self {
            pool: pool.clone(),
            url,
            log: folder.join("logs/partitions.log"),
            random: SmallRng::seed_from_u64(seed),
            result: Partitioned::default(),
        }
    }

    /// Partitions the tables after some seconds of load. Ends when they are partitioned.
    pub(crate) async fn partition(mut self) -> Result<Partitioned> {
        sleep(self.some(3_000, 9_000)).await;
        let began = Instant::now();
        self.begin_and_be_killed().await?;
        sleep(self.some(500, 4_000)).await;
        loop {
            let command = self.start()?;
            let end = Instant::now() + ENABLING;
            while command.is_running() && Instant::now() < end {
                sleep(POLL_PAUSE).await;
            }
            drop(command);
            if self.are_partitioned().await {
                break;
            }
            if began.elapsed() > ALL {
                bail!("`tarsy partitions enable` did not end well, see its log");
            }
            sleep(self.some(500, 1_500)).await;
        }
        self.result.seconds = began.elapsed().as_secs_f64();
        bounds::come_soon(&self.pool).await?;
        Ok(self.result)
    }

    /// Starts the command. Kills it while a table has its check but is not swapped yet, or right after a swap.
    async fn begin_and_be_killed(&mut self) -> Result<()> {
        let before_swap = self.random.random();
        let point = match before_swap {
            true => "llm_interactions: reading all rows once",
            false => "llm_interactions: partitioned",
        };
        let mut tx = self.pool.begin().await?;
        if before_swap {
            sqlx::query(HOLD).execute(&mut *tx).await?;
        }
        let command = self.start()?;
        let end = Instant::now() + ENABLING;
        while command.is_running() && Instant::now() < end && !log_text(&self.log).contains(point) {
            sleep(POLL_PAUSE).await;
        }
        if before_swap {
            sleep(self.some(0, 1_000)).await;
        }
        if command.is_running() {
            command.kill();
            let log = log_text(&self.log);
            self.result.killed = log.lines().last().map(str::to_owned);
        }
        // A fault may have ended this connection.
        let _ = tx.rollback().await;
        Ok(())
    }

    fn start(&mut self) -> Result<Process> {
        self.result.runs += 1;
        let command = Program::new("tarsy").log_to(&self.log);
        let arguments = ["partitions", "enable", "--yes", "--days", "1"];
        let command = arguments.iter().fold(command, Program::arg);
        Ok(command.env("DATABASE_URL", &self.url).start()?)
    }

    async fn are_partitioned(&self) -> bool {
        // Postgres may be down.
        left(&self.pool).await.is_ok_and(|left| left.is_empty())
    }

    fn some(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(self.random.random_range(from..to))
    }
}

fn log_text(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}

/// Returns the tables that are not partitioned, and the checks that a killed command left.
async fn left(pool: &PgPool) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(
        "select name || ' is plain' from unnest($1::text[]) name
         where not exists (select from pg_partitioned_table where partrelid = to_regclass(name))
         union all select conname || ' is left' from pg_constraint where conname like '%\\_below_next_partition'",
    )
    .bind(TABLES.as_slice())
    .fetch_all(pool)
    .await
}

impl Partitioned {
    /// Counts the rows after the first partition.
    pub(crate) async fn count(&mut self, pool: &PgPool) -> Result<()> {
        for (table, rows) in TABLES.iter().zip(&mut self.rows_behind) {
            let count =
                format!("select count(*) from {table} where tableoid <> '{table}_past'::regclass");
            *rows = sqlx::query_scalar(sqlx::AssertSqlSafe(count))
                .fetch_one(pool)
                .await?;
        }
        Ok(())
    }

    /// Returns the violations of a run that partitions.
    pub(crate) async fn broken(&self, pool: &PgPool) -> Result<Vec<Broken>> {
        let unkilled = self.killed.is_none().then(String::new);
        let rules = [
            broken_by("I2", "tables are half partitioned", left(pool).await?),
            broken_by(
                "I0",
                "`tarsy partitions enable` was not killed amid its work, so nothing was shown",
                unkilled,
            ),
        ];
        Ok(rules.into_iter().flatten().collect())
    }
}
