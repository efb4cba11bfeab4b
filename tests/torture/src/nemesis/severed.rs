//! Connections and processes that fail alone, or all together.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

use super::Nemesis;

/// How long a lease connection stays cut.
const CUT: Duration = Duration::from_millis(1_200);
const CUTS: usize = 4;
/// Timeout until Postgres starts recovery.
const RECOVERING: Duration = Duration::from_secs(3);

impl Nemesis {
    /// Cuts only the lease connection of a stage worker; returns how many connections were closed.
    pub(super) async fn cut_lease(&self, dice: u64) -> Result<usize> {
        let workers = self.stage_workers();
        let worker = workers[usize::try_from(dice % 3)?];
        let mut ended = 0;
        for _ in 0..CUTS {
            let until = Instant::now() + CUT;
            while Instant::now() < until {
                let end = "select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and application_name like '%lease%' and client_port = any($1)";
                let end = sqlx::query(end).bind(worker.proxy().ports());
                ended += end.execute(&self.pool).await?.rows_affected();
                sleep(Duration::from_millis(20)).await;
            }
            sleep(Duration::from_secs(1)).await;
        }
        self.all_beat_again().await?;
        Ok(usize::try_from(ended)?)
    }

    /// Kills one backend by SIGKILL; Postgres terminates all others and recovers, at once or after a while.
    pub(super) async fn kill_backend(&self, dice: u64) -> Result<usize> {
        let recovery = Duration::from_millis(dice / 2 % 6_000);
        let is_slow = dice.is_multiple_of(2);
        let cluster = self.cluster.lock().await;
        let backend = "select pid from pg_stat_activity
            where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
            order by random() limit 1";
        let backend: Option<i32> = sqlx::query_scalar(backend)
            .fetch_optional(&self.pool)
            .await?;
        let Some(backend) = backend else {
            return Ok(0);
        };
        let postmaster = postmaster(cluster.folder().join("data/postmaster.pid"))?;
        // Unflushed log is lost, as after a power loss.
        self.power_losses.fetch_add(1, Ordering::Relaxed);
        signal(backend, Signal::KILL)?;
        let until = Instant::now() + RECOVERING;
        while is_slow && Instant::now() < until {
            if let Some(startup) = startup_of(postmaster) {
                signal(startup, Signal::STOP)?;
                sleep(recovery).await;
                signal(startup, Signal::CONT)?;
                break;
            }
            sleep(Duration::from_millis(2)).await;
        }
        Ok(1)
    }

    /// Kills all chain workers and a stage worker at once: no known sweeper is left.
    pub(super) fn kill_together(&self, dice: u64) -> usize {
        let chains = self
            .members
            .iter()
            .filter(|member| member.name.starts_with("chain-worker"));
        let workers = self.stage_workers();
        let worker = workers[usize::try_from(dice % 3).unwrap_or(0)];
        chains.chain([worker]).map(crate::fleet::Member::kill).sum()
    }
}

fn postmaster(file: PathBuf) -> Result<i32> {
    let text = fs::read_to_string(&file).context("Postgres has no pid file")?;
    let first = text.lines().next().unwrap_or_default();
    first
        .trim()
        .parse()
        .context("Postgres' pid file holds no pid")
}

fn signal(process: i32, signal: Signal) -> Result<()> {
    let pid = Pid::from_raw(process).context("no such process")?;
    kill_process(pid, signal).with_context(|| format!("cannot signal {process}"))
}

/// Startup process of a recovering server.
fn startup_of(postmaster: i32) -> Option<i32> {
    let processes = fs::read_dir("/proc").ok()?;
    processes.flatten().find_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let status = fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = status.rsplit(')').next()?.split_whitespace().nth(1)?;
        let title = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        (parent == postmaster.to_string() && title.contains("startup")).then_some(pid)
    })
}
