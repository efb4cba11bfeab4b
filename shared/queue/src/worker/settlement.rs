//! Settles jobs, and retries while Postgres is unavailable.

use std::sync::Arc;

use tarsy_coalesce::{Coalescer, DeadlineExceeded, GroupLimits};
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, Shortage, storable};
use tokio_util::sync::CancellationToken;

use crate::Error;
use crate::backoff::Backoff;
use crate::deadline::within_deadline;
use crate::settle::{self, DeadReason, Retried};
use crate::shortage::note_shortage;
use crate::worker::job::{BoxError, Outcome};
use crate::worker::shared::Shared;
use crate::worker::stop::StopCause;

/// Metrics label of a claim that another process took over.
pub(crate) const LOST: &str = "lost";
/// Metrics label of a claim that is left to expire, because Postgres does not answer while the process ends.
const ABANDONED: &str = "abandoned";

/// Settles claims by their outcome. Completions of concurrent jobs share a statement.
pub(crate) struct Settler {
    shared: Arc<Shared>,
    done: Coalescer<ClaimRef, bool, Error>,
    /// Fires when the process can't wait for Postgres any longer. Leases expire instead.
    abandon: CancellationToken,
}

impl Settler {
    pub(crate) fn new(shared: Arc<Shared>, abandon: CancellationToken) -> Self {
        let connections = shared.connections.clone();
        let done = Coalescer::new(GroupLimits::default(), move |claims: Vec<ClaimRef>| {
            let connections = connections.clone();
            async move {
                let mut conn = connections.acquire().await?;
                let held = settle::complete(&mut conn, &claims).await?;
                connections.keep(conn);
                Ok(claims.iter().map(|claim| held.contains(claim)).collect())
            }
        });
        Self {
            shared,
            done,
            abandon,
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Settles the claim. Returns the metrics label once the claim is settled, lost or abandoned.
    pub(crate) async fn settle(
        &self,
        claim: ClaimRef,
        attempts: i32,
        outcome: Outcome,
        cause: Option<StopCause>,
    ) -> &'static str {
        let outcome = after_shortage(after_stop(outcome, cause));
        let mut failures = 0;
        loop {
            if matches!(outcome, Outcome::Release) && self.shared.is_cut_off() {
                // The claim loop releases it over a separate connection.
                self.shared.in_flight.miss(claim.job_id);
                return word(&outcome);
            }
            let settling = within_deadline(self.settle_once(claim, attempts, &outcome));
            let Some(settled) = self.abandon.run_until_cancelled(settling).await else {
                return ABANDONED;
            };
            match settled {
                Ok(()) => return word(&outcome),
                Err(Error::ClaimLost(_)) => {
                    tracing::info!(job.id = %claim.job_id, job.epoch = claim.epoch, "the claim was lost; its outcome is dropped");
                    return LOST;
                }
                Err(error) => {
                    tracing::warn!(job.id = %claim.job_id, ?error, "failed to settle a job; retrying");
                }
            }
            let pause = tokio::time::sleep(Backoff::CONNECTION.delay(failures));
            failures = failures.saturating_add(1).min(16);
            if self.abandon.run_until_cancelled(pause).await.is_none() {
                return ABANDONED;
            }
        }
    }

    async fn settle_once(
        &self,
        claim: ClaimRef,
        attempts: i32,
        outcome: &Outcome,
    ) -> Result<(), Error> {
        if matches!(outcome, Outcome::Finished | Outcome::ContinueWith(_)) {
            return Ok(());
        }
        if matches!(outcome, Outcome::Done) {
            return match self.done.submit(claim).await.map_err(Error::Batch)? {
                true => Ok(()),
                false => Err(Error::ClaimLost(claim)),
            };
        }
        // Boxed because this path is rare and its future is large. It would enlarge the future of every job.
        Box::pin(self.write(claim, attempts, outcome)).await
    }

    /// Writes an outcome other than completion.
    async fn write(&self, claim: ClaimRef, attempts: i32, outcome: &Outcome) -> Result<(), Error> {
        let mut conn = self.shared.connections.acquire().await?;
        reached("queue.settle.before_commit");
        match outcome {
            Outcome::Done | Outcome::Finished | Outcome::ContinueWith(_) => {}
            Outcome::Retry(error) if is_connection_fault(error) => {
                let delay = Backoff::CONNECTION.delay(u32::MAX);
                settle::postpone(&mut conn, &claim, delay).await?;
                let error = chain(error);
                tracing::warn!(job.id = %claim.job_id, error, ?delay, "Postgres did not answer a job in time; retrying");
            }
            Outcome::Retry(error) => {
                let delay = Backoff::JOB.delay(u32::try_from(attempts).unwrap_or(0));
                let error = chain(error);
                match settle::retry(&mut conn, &claim, delay, &error).await? {
                    Retried::Scheduled => {
                        tracing::warn!(job.id = %claim.job_id, error, ?delay, "job failed; retrying");
                    }
                    Retried::Exhausted => {
                        tracing::error!(job.id = %claim.job_id, error, "job failed; no attempts left");
                    }
                }
            }
            Outcome::Snooze(delay) => settle::snooze(&mut conn, &claim, *delay).await?,
            Outcome::Cancel(error) => {
                let error = chain(error);
                settle::dead_letter(&mut conn, &claim, DeadReason::Cancelled, &error).await?;
                tracing::error!(job.id = %claim.job_id, error, "job cancelled by its handler");
            }
            Outcome::DeadLetter(error) => {
                let error = chain(error);
                settle::dead_letter(&mut conn, &claim, DeadReason::Undecodable, &error).await?;
                tracing::error!(job.id = %claim.job_id, error, "failed to decode a job; moved it to the dead letters");
            }
            Outcome::Release => {
                let queue = settle::release(&mut conn, &claim).await?;
                self.shared.waker.wake_for_returned(&queue);
            }
            Outcome::PassOn(requires) => {
                let queue = settle::pass_on(&mut conn, &claim, requires).await?;
                self.shared.waker.wake_for_returned(&queue);
            }
        }
        reached("queue.settle.after_commit");
        self.shared.connections.keep(conn);
        Ok(())
    }
}

/// Returns the metrics label of an outcome.
const fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done | Outcome::Finished | Outcome::ContinueWith(_) => "done",
        Outcome::Retry(_) => "retry",
        Outcome::Snooze(_) => "snooze",
        Outcome::Cancel(_) => "cancelled",
        Outcome::DeadLetter(_) => "undecodable",
        Outcome::Release | Outcome::PassOn(_) => "released",
    }
}

/// Adjusts the outcome of a handler that was stopped early. That is not a failure: unless the handler finished its
/// job, the job is released uncounted.
fn after_stop(outcome: Outcome, cause: Option<StopCause>) -> Outcome {
    match (cause, outcome) {
        (_, outcome @ (Outcome::Done | Outcome::Finished | Outcome::ContinueWith(_))) => outcome,
        (Some(StopCause::ClaimLost | StopCause::Draining), _) => Outcome::Release,
        (_, outcome) => outcome,
    }
}

/// Adjusts the outcome of a job that failed because of a shortage of this machine. That is not a failure: the job is
/// released uncounted, and this process stops claiming for a while.
fn after_shortage(outcome: Outcome) -> Outcome {
    let Outcome::Retry(error) = &outcome else {
        return outcome;
    };
    match Shortage::find(&**error) {
        None => outcome,
        Some(shortage) => {
            note_shortage(shortage);
            Outcome::Release
        }
    }
}

/// Returns whether a job failed because Postgres did not answer, or because no connection was available. The fault is
/// then this process's or Postgres's, not the job's.
fn is_connection_fault(error: &BoxError) -> bool {
    let lacks_connection = |error: &sqlx::Error| match error {
        sqlx::Error::PoolTimedOut => true,
        // too_many_connections
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code == "53300"),
        _ => false,
    };
    let of_pool = |cause: &(dyn std::error::Error + 'static)| {
        // A batch shares its error, in an `Arc`, among its requests.
        let shared = || cause.downcast_ref::<Arc<sqlx::Error>>().map(Arc::as_ref);
        let error = cause.downcast_ref().or_else(shared);
        error.is_some_and(lacks_connection)
    };
    of_pool(&**error) || causes(error).any(|cause| of_pool(cause) || cause.is::<DeadlineExceeded>())
}

/// Formats an error and its causes in one line that Postgres can store.
fn chain(error: &BoxError) -> String {
    storable(causes(error).fold(error.to_string(), |line, cause| format!("{line}: {cause}")))
}

fn causes(error: &BoxError) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |cause| cause.source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_cut_short_has_not_failed_but_one_that_got_done_is_done() {
        let failed = || Outcome::Retry("x".into());
        let cut = after_stop(failed(), Some(StopCause::Draining));
        assert!(matches!(cut, Outcome::Release));
        let lost = after_stop(failed(), Some(StopCause::ClaimLost));
        assert!(matches!(lost, Outcome::Release));
        let requested = after_stop(failed(), Some(StopCause::Requested));
        assert!(
            matches!(requested, Outcome::Retry(_)),
            "the handler decides"
        );
        let done = after_stop(Outcome::Done, Some(StopCause::Draining));
        assert!(matches!(done, Outcome::Done));
    }

    #[test]
    fn a_missing_connection_is_not_a_failure_of_the_job() {
        let no_connection = || sqlx::Error::PoolTimedOut;
        let lost = Error::Batch(tarsy_coalesce::Error::Flush(Arc::new(
            no_connection().into(),
        )));
        let late = DeadlineExceeded(crate::STATEMENT_DEADLINE);
        let late = tarsy_coalesce::Error::<Error>::Deadline(late);
        let errors: [BoxError; 4] = [
            no_connection().into(),
            Error::from(no_connection()).into(),
            lost.into(),
            late.into(),
        ];
        assert!(errors.iter().all(is_connection_fault));
        let others: [BoxError; 2] = [sqlx::Error::RowNotFound.into(), "no route to host".into()];
        assert!(!others.iter().any(is_connection_fault));
    }

    #[test]
    fn an_error_is_recorded_with_its_causes() {
        let error: BoxError = Box::new(Error::Database(sqlx::Error::PoolTimedOut));
        let line = chain(&error);
        assert!(line.starts_with("the database failed: "), "{line}");
    }
}
