//! Self-check: runs without one protection each, which must violate the invariant that it protects.

use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum as _;
use sqlx::PgPool;

use crate::cross_checks::Evidence;
use crate::invariants::of_rows;
use crate::report::Report;
use crate::{Arguments, Protection, run};

/// How long, in seconds, it may take to break on a busy machine; alone it takes a tenth of this.
const LONGEST: u64 = 240;

/// Pause between two looks whether it is broken yet.
const LOOK: Duration = Duration::from_secs(2);

/// Pause between two jobs that are taken from their workers.
const TAKE_EVERY: Duration = Duration::from_millis(500);

/// Takes a stage from a worker that runs it, which learns of it when it renews its leases next.
const TAKE: &str = "update jobs set state = 'ready', owner = null, expires_at = null, epoch = epoch + 1
    where id = any(array(select id from jobs where state = 'running' and kind = 'stage' order by random() limit 1))";

impl Protection {
    /// What breaks without it.
    pub(crate) const fn invariant(self) -> &'static str {
        match self {
            Self::Fence => "I4",
            Self::CrashCap => "I9",
            Self::Intent => "I7",
        }
    }

    /// SQL that takes it out of the tortured database; nothing if a setting of the fleet does.
    const fn removal(self) -> &'static str {
        match self {
            Self::Fence => {
                "create or replace function held_stage(execution uuid, owner uuid, epoch bigint)
                 returns table (held_execution_id uuid) language sql volatile rows 1
                 as $$ select execution_id from stage_executions where execution_id = execution for share $$"
            }
            // As if a call was written down with its outcome: the call that killed its worker is not known to the next.
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

    /// Takes the protection out of the database; programs stay as they are.
    pub(crate) async fn remove(self, pool: &PgPool) -> Result<()> {
        sqlx::raw_sql(self.removal()).execute(pool).await?;
        Ok(())
    }

    /// What makes its absence show, beside the faults of the run. A worker that wakes stops its stages at once; so for the
    /// fence jobs are taken from workers that are awake.
    pub(crate) async fn provoke(self, pool: &PgPool) {
        if self != Self::Fence {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(TAKE_EVERY).await;
            // Postgres may be away.
            let _ = sqlx::query(TAKE).execute(pool).await;
        }
    }

    pub(crate) fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }
}

/// Run without each protection in turn; whether every run found what was broken.
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
        all &= tell(*protection, &report, arguments.json)?;
    }
    Ok(all)
}

#[expect(clippy::print_stdout, reason = "a terminal program")]
fn tell(protection: Protection, report: &Report, as_json: bool) -> Result<bool> {
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

/// Comes back as soon as what this protection keeps is seen broken.
pub(crate) async fn until_broken(protection: Protection, pool: &PgPool, witnesses: &Evidence<'_>) {
    loop {
        tokio::time::sleep(LOOK).await;
        // Postgres may be away; what is broken stays broken.
        let rows = of_rows(pool).await.unwrap_or_default();
        let calls = witnesses.of_calls().await.unwrap_or_default();
        let mut broken = rows.iter().chain(&calls);
        if broken.any(|broken| broken.invariant == protection.invariant()) {
            return;
        }
    }
}
