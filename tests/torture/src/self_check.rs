//! Self-check: a run without a protection must violate the invariant that it protects.

use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum as _;
use sqlx::PgPool;

use crate::cross_checks::Evidence;
use crate::invariants::of_rows;
use crate::report::Report;
use crate::{Arguments, Protection, run};

/// Timeout of a run on a busy machine, in seconds; alone it takes a tenth of this.
const LONGEST: u64 = 240;

/// Poll interval for violations.
const POLL_PAUSE: Duration = Duration::from_secs(2);

/// Interval at which jobs are taken from their workers.
const TAKE_EVERY: Duration = Duration::from_millis(500);

/// Takes a stage from its worker, which notices at its next renewal.
const TAKE: &str = "update jobs set state = 'ready', owner = null, expires_at = null, epoch = epoch + 1
    where id = any(array(select id from jobs where state = 'running' and kind = 'stage' order by random() limit 1))";

impl Protection {
    /// The invariant that it protects.
    pub(crate) const fn invariant(self) -> &'static str {
        match self {
            Self::Fence => "I4",
            Self::CrashCap => "I9",
            Self::Intent => "I7",
        }
    }

    /// SQL that removes it from the tortured database; empty if a setting of the fleet does.
    const fn removal(self) -> &'static str {
        match self {
            Self::Fence => {
                "create or replace function held_stage(execution uuid, owner uuid, epoch bigint)
                 returns table (held_execution_id uuid) language sql volatile rows 1
                 as $$ select execution_id from stage_executions where execution_id = execution for share $$"
            }
            // Calls seem to be recorded only with their outcome, so that the next worker does not know of a call that
            // killed its worker.
            Self::Intent => {
                "create function torture_lose_intents() returns trigger language plpgsql as $$ begin
                     delete from mcp_interactions where stage_execution_id = new.execution_id and success is null;
                     return new;
                 end $$;
                 create trigger torture_lose_intents before update of claim_epoch on stage_executions
                     for each row when (new.claim_epoch is distinct from old.claim_epoch)
                     execute function torture_lose_intents()"
            }
            Self::CrashCap => "",
        }
    }

    /// Removes the protection from the database; the programs stay the same.
    pub(crate) async fn remove(self, pool: &PgPool) -> Result<()> {
        sqlx::raw_sql(self.removal()).execute(pool).await?;
        Ok(())
    }

    /// Provokes a violation in addition to the run's faults. A resumed worker stops its stages at once, so for the
    /// fence jobs are taken from running workers.
    pub(crate) async fn provoke(self, pool: &PgPool) {
        if self != Self::Fence {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(TAKE_EVERY).await;
            // Postgres may be down.
            let _ = sqlx::query(TAKE).execute(pool).await;
        }
    }

    pub(crate) fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }
}

/// Runs without each protection in turn; returns whether every run was violated.
pub(crate) async fn run(arguments: &Arguments) -> Result<bool> {
    let mut all = true;
    let seconds = match (arguments.minutes, arguments.seconds) {
        (Some(minutes), _) => minutes * 60,
        (None, seconds) => seconds.unwrap_or(LONGEST),
    };
    for protection in Protection::value_variants() {
        let arguments = Arguments {
            without: Some(*protection),
            seconds: Some(seconds),
            ..arguments.clone()
        };
        let report = run::run(&arguments).await?;
        all &= print_result(*protection, &report, arguments.json)?;
    }
    Ok(all)
}

#[expect(clippy::print_stdout, reason = "a terminal program")]
fn print_result(protection: Protection, report: &Report, as_json: bool) -> Result<bool> {
    if as_json {
        println!("{}", serde_json::to_string(report)?);
    }
    let (name, invariant) = (protection.name(), protection.invariant());
    let found: Vec<_> = report
        .broken
        .iter()
        .filter(|broken| broken.invariant == invariant)
        .collect();
    if !as_json {
        for broken in &found {
            let example = broken.examples.first().map_or("", String::as_str);
            println!(
                "without {name}, seed {}: red after {:.0} s, as it must be: {invariant}, {} ({}), e.g. {example}",
                report.seed, report.rage_seconds, broken.rule, broken.count
            );
        }
        if found.is_empty() {
            println!(
                "WITHOUT {name}, seed {}: {invariant} still holds after {:.0} s, so the torture would not find it broken",
                report.seed, report.rage_seconds
            );
        }
    }
    Ok(!found.is_empty())
}

/// Returns as soon as the protected invariant is violated.
pub(crate) async fn until_broken(protection: Protection, pool: &PgPool, witnesses: &Evidence<'_>) {
    loop {
        tokio::time::sleep(POLL_PAUSE).await;
        // Postgres may be down; a violation stays.
        let rows = of_rows(pool).await.unwrap_or_default();
        let calls = witnesses.of_calls().await.unwrap_or_default();
        let mut broken = rows.iter().chain(&calls);
        if broken.any(|broken| broken.invariant == protection.invariant()) {
            return;
        }
    }
}
