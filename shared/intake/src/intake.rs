//! Where alerts are committed: many requests, one transaction.

mod accept;
mod flush;

use std::sync::Arc;
use std::time::Duration;

use prometheus::{Histogram, HistogramOpts};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_coalesce::{Coalescer, GroupLimits};
use tarsy_model::SessionId;
use tarsy_postgres::Primary;
use tarsy_queue::{Connections, Waker, renamed};
use tarsy_store::new_session::NewSession;
use tarsy_store::sessions::Accepted;

use crate::Error;
use crate::load_shedder::{Admitted, LoadShedder};

use flush::{CommitError, flush};

/// Alerts that share one transaction, at most.
const MAX_BATCH: usize = 64;
/// Statements under way at once: while one waits for the disk, the next is carried out. One alone
/// left two fifths of the machine idle (32 connections, 2 cores).
const MAX_FLUSHES: usize = 2;
/// Connections for statements that start next to one that is stuck.
const SPARE: usize = 2;
/// Alerts that must wait for a second statement to start next to the first. Without it batches
/// were of nine, at 32 connections, and a statement costs as much as four alerts before it
/// stores one.
const OVERLAP_FROM: usize = 12;
/// Longest time until an alert is accepted or its sender gets 503: senders give up soon.
const PATIENCE: Duration = Duration::from_secs(2);

/// Commits sessions together with their chain jobs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Intake {
    batches: Coalescer<(NewSession, Admitted), Result<Accepted, CommitError>, CommitError>,
    watch: Arc<LoadShedder>,
    group_sizes: Histogram,
}

impl Intake {
    /// An intake on connections of its own to where `pool` connects, the `primary`. `waker` tells chain
    /// workers of new jobs.
    ///
    /// # Errors
    ///
    /// None; the library of metrics checks the name of a figure when the process runs.
    pub fn new(
        primary: &Primary,
        pool: &PgPool,
        waker: Waker,
        watch: Arc<LoadShedder>,
    ) -> prometheus::Result<Self> {
        let limits = GroupLimits {
            max_batch: MAX_BATCH,
            max_flushes: MAX_FLUSHES,
            overlap_from: OVERLAP_FROM,
            ..GroupLimits::default()
        };
        let connections = Connections::own(own_pool(primary, pool));
        let group_sizes = group_sizes()?;
        let sizes = group_sizes.clone();
        let batches = Coalescer::new(limits, move |batch: Vec<(NewSession, Admitted)>| {
            sizes.observe(batch.len() as f64);
            let (batch, admitted): (Vec<_>, Vec<_>) = batch
                .into_iter()
                .map(|(session, admitted)| {
                    let session_id = session.session_id;
                    (session, (session_id, admitted))
                })
                .unzip();
            let flushed = flush(connections.clone(), waker.clone(), batch);
            async move {
                let answers = flushed.await;
                note_waiting(admitted, &answers);
                answers
            }
        });
        Ok(Self {
            batches,
            watch,
            group_sizes,
        })
    }

    /// Sizes of the groups that were committed.
    #[must_use]
    pub fn group_sizes(&self) -> Histogram {
        self.group_sizes.clone()
    }

    /// Commit one session and its chain job, together with whoever else is waiting.
    ///
    /// When it answers `Ok`, the session is durable. A lone request is committed at once.
    ///
    /// # Errors
    ///
    /// [`Error::Overloaded`] beyond the backlog limit, [`Error::DatabaseAway`] when the
    /// commit failed for now, and what the alert itself is refused for.
    pub async fn accept(&self, session: NewSession) -> Result<Accepted, Error> {
        // Others may be stuck before it.
        let accepted = tokio::time::timeout(PATIENCE, self.commit(session)).await;
        accepted.unwrap_or(Err(Error::DatabaseAway))
    }

    async fn commit(&self, session: NewSession) -> Result<Accepted, Error> {
        let admitted = self.watch.admit().await?;
        let asked = session.session_id;
        let accepted = match self.batches.submit((session, admitted)).await {
            Ok(Ok(accepted)) => accepted,
            Ok(Err(error)) => return Err(refusal(&error)),
            Err(tarsy_coalesce::Error::Flush(error)) => return Err(refusal(&error)),
            Err(tarsy_coalesce::Error::Deadline(_)) => return Err(Error::DatabaseAway),
            Err(error @ tarsy_coalesce::Error::Lost) => {
                return Err(Error::Internal(error.into()));
            }
        };
        let accepted = match accepted {
            // The commit's answer was lost and the batch repeated: the original is ourselves.
            Accepted::Duplicate {
                session_id,
                alert_id,
            } if session_id == asked => Accepted::Fresh {
                session_id,
                alert_id,
            },
            Accepted::KeyReused => return Err(Error::IdempotencyKeyReused),
            other => other,
        };
        if let Accepted::Fresh {
            session_id,
            alert_id,
        } = accepted
        {
            tracing::info!(session.id = %session_id, alert.id = %alert_id, "alert accepted");
        }
        Ok(accepted)
    }
}

/// Count the alerts that wait from now on. The fate of a failed batch is unknown, because the answer of its commit
/// may have been lost: its alerts count until the next poll.
fn note_waiting(
    admitted: Vec<(SessionId, Admitted)>,
    answers: &Result<Vec<Result<Accepted, CommitError>>, CommitError>,
) {
    for (place, (asked, admitted)) in admitted.into_iter().enumerate() {
        match answers.as_ref().ok().and_then(|all| all.get(place)) {
            Some(Ok(Accepted::Duplicate { session_id, .. })) if *session_id != asked => {}
            Some(Ok(Accepted::Suppressed { .. } | Accepted::KeyReused)) => {}
            _ => admitted.committed(),
        }
    }
}

/// Sizes of the groups in which alerts are committed.
fn group_sizes() -> prometheus::Result<Histogram> {
    Histogram::with_opts(
        HistogramOpts::new(
            "tarsy_intake_group_size",
            "Alerts that this process committed in one transaction.",
        )
        .buckets(vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]),
    )
}

/// Connections that plan a statement once. Left to itself, Postgres plans these inserts anew
/// for each batch, because it takes arrays of unknown length to be more expensive than known ones;
/// that costs more than carrying them out.
fn own_pool(primary: &Primary, pool: &PgPool) -> PgPool {
    let options = pool.connect_options().as_ref().clone();
    let options = renamed(options, "ingest-api", "intake");
    let options = options.options([("plan_cache_mode", "force_generic_plan"), ("jit", "off")]);
    let patience = pool.options().get_acquire_timeout();
    let own = PgPoolOptions::new()
        .max_connections(u32::try_from(MAX_FLUSHES + SPARE).unwrap_or(1))
        .acquire_timeout(patience.min(PATIENCE));
    tarsy_queue::wary_pool(primary, own, options)
}

fn refusal(error: &CommitError) -> Error {
    if error.is_transient() {
        Error::DatabaseAway
    } else if error.is_content() {
        Error::field("data", "holds a value that the database can't keep")
    } else {
        Error::Internal(Box::new(std::io::Error::other(format!("{error:?}"))))
    }
}
