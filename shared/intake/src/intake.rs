//! Commits alerts. Many requests share one transaction.

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

/// Maximum number of alerts that share one transaction.
const MAX_BATCH: usize = 64;
/// Maximum number of concurrent statements. While one waits for the disk, the next one runs. With
/// only one, two fifths of the machine were idle (32 connections, 2 cores).
const MAX_FLUSHES: usize = 2;
/// Connections for statements that start while another one is stuck.
const SPARE: usize = 2;
/// Number of waiting alerts at which a second statement starts while the first one runs. Without
/// this minimum, batches had nine alerts (32 connections). The fixed cost of a statement equals
/// that of four alerts.
const OVERLAP_FROM: usize = 12;
/// Longest time until an alert is accepted or its sender gets 503. Senders give up soon.
const PATIENCE: Duration = Duration::from_secs(2);

/// Commits sessions together with their chain jobs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Intake {
    batches: Coalescer<(NewSession, Admitted), Result<Accepted, CommitError>, CommitError>,
    watch: Arc<LoadShedder>,
    group_sizes: Histogram,
}

impl Intake {
    /// Creates an intake with its own connections to the host of `pool`, the `primary`. `waker`
    /// notifies chain workers of new jobs.
    ///
    /// # Errors
    ///
    /// None in practice. The metrics library checks the metric's name only at run time.
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

    /// Returns the histogram of the sizes of committed groups.
    #[must_use]
    pub fn group_sizes(&self) -> Histogram {
        self.group_sizes.clone()
    }

    /// Commits one session and its chain job, together with all others that wait.
    ///
    /// On `Ok`, the session is durable. A lone request is committed at once.
    ///
    /// # Errors
    ///
    /// [`Error::Overloaded`] beyond the backlog limit; [`Error::DatabaseAway`] if the commit failed
    /// temporarily; or the error of the alert itself.
    pub async fn accept(&self, session: NewSession) -> Result<Accepted, Error> {
        // Batches before this alert may be stuck.
        let accepted = tokio::time::timeout(PATIENCE, self.commit(session)).await;
        accepted.unwrap_or(Err(Error::DatabaseAway))
    }

    async fn commit(&self, session: NewSession) -> Result<Accepted, Error> {
        let admitted = self.watch.admit().await?;
        let own_id = session.session_id;
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
            // The response of the commit was lost and the batch was repeated, so this session is a
            // duplicate of itself.
            Accepted::Duplicate {
                session_id,
                alert_id,
            } if session_id == own_id => Accepted::Fresh {
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

/// Counts the alerts that wait from now on. It is unknown whether a failed batch was committed,
/// because the response of its commit may have been lost. Its alerts count until the next poll.
fn note_waiting(
    admitted: Vec<(SessionId, Admitted)>,
    answers: &Result<Vec<Result<Accepted, CommitError>>, CommitError>,
) {
    for (place, (own_id, admitted)) in admitted.into_iter().enumerate() {
        match answers.as_ref().ok().and_then(|all| all.get(place)) {
            Some(Ok(Accepted::Duplicate { session_id, .. })) if *session_id != own_id => {}
            Some(Ok(Accepted::Suppressed { .. } | Accepted::KeyReused)) => {}
            _ => admitted.committed(),
        }
    }
}

/// Creates the histogram of the sizes of committed groups.
fn group_sizes() -> prometheus::Result<Histogram> {
    Histogram::with_opts(
        HistogramOpts::new(
            "tarsy_intake_group_size",
            "Alerts that this process committed in one transaction.",
        )
        .buckets(vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]),
    )
}

/// Creates a pool whose connections plan each statement once. By default Postgres plans these
/// inserts anew for each batch, because it estimates arrays of unknown length as more expensive
/// than known ones. That planning costs more than running the statement.
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
