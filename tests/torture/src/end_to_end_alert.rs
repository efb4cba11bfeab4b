//! Runs an alert end to end before the faults and after healing, because an idle fleet violates no invariant.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use sqlx::PgPool;
use tarsy_testing::wait;
use url::Url;
use uuid::Uuid;

use crate::client::Client;
use crate::invariants::{Broken, broken_by};
use crate::ledger::Ledger;
use crate::pgbouncer::Bouncer;

/// Number of attempts, because a model call may time out on a busy machine.
const TRIES: usize = 3;
/// Timeout of one alert.
const LONGEST: Duration = Duration::from_secs(120);
/// Number of chain and stage workers.
const WORKERS: i64 = 5;

/// Waits until an alert was accepted, investigated and acted on, and its session completed.
pub(crate) async fn works(client: &Client, pool: &PgPool, folder: &Path) -> Result<()> {
    let mut last = Ok(());
    for _ in 0..TRIES {
        last = one(client, pool, folder).await;
        if last.is_ok() {
            break;
        }
    }
    last.with_context(|| format!("of {TRIES} alerts none went all the way; the last"))
}

async fn one(client: &Client, pool: &PgPool, folder: &Path) -> Result<()> {
    let sent = client.send("Trouble", 1).await;
    let session = sent.accepted.first().context("was not accepted")?;
    let status = wait::up_to(LONGEST, async || status(pool, *session).await);
    let status = status.await.context("did not end")?;
    ensure!(status == "completed", "ended as {status}");
    let runbook = "select runbook_content is not null from alert_sessions where session_id = $1";
    let runbook = sqlx::query_scalar(runbook).bind(session);
    let runbook: bool = runbook.fetch_one(pool).await?;
    ensure!(runbook, "was worked on without its runbook");
    let ledger = Ledger::read(folder)?;
    for tool in ["look", "act"] {
        let called = ledger.count(tool, &sent.key) > 0;
        ensure!(called, "ended without a call of `{tool}`");
    }
    Ok(())
}

/// Returns the status of an ended session. Postgres may still be recovering.
async fn status(pool: &PgPool, session: Uuid) -> Option<String> {
    let query = "select status::text from alert_sessions where session_id = $1 and completed_at_us is not null";
    let status = sqlx::query_scalar(query).bind(session);
    status.fetch_optional(pool).await.ok().flatten()
}

/// Waits until every worker has registered.
pub(crate) async fn all_are_there(pool: &PgPool) -> Result<()> {
    let count = async || {
        let count = sqlx::query_scalar("select count(*) from workers");
        let count: Option<i64> = count.fetch_one(pool).await.ok();
        count.is_some_and(|count| count >= WORKERS)
    };
    let there = wait::up_to(LONGEST, count).await;
    there.with_context(|| format!("fewer than {WORKERS} workers have entered themselves"))
}

/// Whether Postgres answers through every PgBouncer.
pub(crate) async fn all_pass_on(bouncers: &[Bouncer], database: &str) -> Result<()> {
    let database = Url::parse(database)?;
    for bouncer in bouncers {
        bouncer.proves(&database).await?;
    }
    Ok(())
}

/// Sessions completed so far, deleted ones included.
pub(crate) async fn completed(pool: &PgPool) -> Result<i64> {
    let query = "select count(*) from torture_ended where kind = 'session' and new = 'completed'";
    Ok(sqlx::query_scalar(query).fetch_one(pool).await?)
}

/// Evidence that the fleet worked during the run.
pub(crate) struct Proof {
    /// Alerts accepted during the faults.
    pub(crate) accepted: usize,
    /// Sessions completed between the first and the last end-to-end alert.
    pub(crate) completed: i64,
    /// Result of the last end-to-end alert.
    pub(crate) works: Result<()>,
}

impl Proof {
    pub(crate) fn broken(self) -> impl Iterator<Item = Broken> {
        let none = self.accepted > 0 && self.completed == 0;
        let stuck = self.works.err().map(|error| format!("{error:#}"));
        let rules = [
            broken_by(
                "I0",
                "of the alerts accepted among faults none was completed",
                none.then(String::new),
            ),
            broken_by("I0", "the healed fleet does not work", stuck),
        ];
        rules.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn rules(proof: Proof) -> Vec<&'static str> {
        proof.broken().map(|broken| broken.rule).collect()
    }

    #[test]
    fn a_fleet_that_does_nothing_is_red() {
        let idle = Proof {
            accepted: 7,
            completed: 0,
            works: Err(anyhow!("did not end")),
        };
        assert_eq!(rules(idle).len(), 2);
    }

    #[test]
    fn a_fleet_that_works_is_not() {
        let busy = Proof {
            accepted: 7,
            completed: 5,
            works: Ok(()),
        };
        assert!(rules(busy).is_empty());
        let unasked = Proof {
            accepted: 0,
            completed: 0,
            works: Ok(()),
        };
        assert!(rules(unasked).is_empty());
    }
}
