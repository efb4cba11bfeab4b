//! Commits one batch of alerts in one transaction.

use std::collections::HashSet;
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_model::{CHAIN_JOB, SessionStatus, chain_queue, priority_of};
use tarsy_queue::{Connections, NewJob, Waker, within};
use tarsy_store::events::NewEvent;
use tarsy_store::new_session::NewSession;
use tarsy_store::sessions::Accepted;

use crate::intake::accept::accept;

/// Longest time for a batch, including the second try. By then its senders have got their responses.
const COMMIT_DEADLINE: Duration = Duration::from_secs(2);

/// Reason why a batch was not committed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommitError {
    #[error("sessions could not be stored")]
    Store(#[from] tarsy_store::Error),
    #[error("chain jobs could not be queued")]
    Queue(#[from] tarsy_queue::Error),
}

impl From<sqlx::Error> for CommitError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl CommitError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Store(tarsy_store::Error::Database(error))
            | Self::Queue(tarsy_queue::Error::Database(error)) => Some(error),
            _ => None,
        }
    }

    /// Returns whether the same batch may succeed a moment later.
    pub(super) fn is_transient(&self) -> bool {
        self.database().is_some_and(tarsy_postgres::is_transient)
    }

    /// Returns whether Postgres rejected a value (class 22). That is the fault of one alert, not of
    /// the batch.
    pub(super) fn is_content(&self) -> bool {
        self.database().is_some_and(tarsy_store::is_content)
    }
}

/// Commits a batch and wakes the chain workers.
///
/// After a deadlock or a lost connection, the batch is tried once more. The ids are part of the
/// batch, so a batch that was already committed finds its own rows and creates no others. If
/// Postgres rejects an alert, the alerts of its batch are committed one by one, so that the others
/// succeed.
pub(super) async fn flush(
    connections: Connections,
    waker: Waker,
    batch: Vec<NewSession>,
) -> Result<Vec<Result<Accepted, CommitError>>, CommitError> {
    let answers = match commit_twice(&connections, &batch).await {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(error) if error.is_content() && batch.len() > 1 => {
            tracing::warn!(
                ?error,
                alerts = batch.len(),
                "a batch holds an alert that was refused"
            );
            let mut answers = Vec::with_capacity(batch.len());
            for session in batch.chunks(1) {
                let answer = commit_twice(&connections, session).await;
                answers.push(
                    answer.and_then(|mut one| one.pop().ok_or(sqlx::Error::RowNotFound.into())),
                );
            }
            answers
        }
        Err(error) => {
            tracing::warn!(?error, alerts = batch.len(), "alerts were not accepted");
            return Err(error);
        }
    };
    if answers
        .iter()
        .any(|answer| matches!(answer, Ok(Accepted::Fresh { .. })))
    {
        waker.wake(chain_queue());
        waker.wake_watchers();
    }
    Ok(answers)
}

async fn commit_twice(
    connections: &Connections,
    batch: &[NewSession],
) -> Result<Vec<Accepted>, CommitError> {
    let committing = async {
        match commit(connections, batch).await {
            Err(error) if error.is_transient() && !is_timeout(&error) => {
                tracing::info!(?error, "trying a batch of alerts once more");
                commit(connections, batch).await
            }
            done => done,
        }
    };
    within(COMMIT_DEADLINE, committing).await
}

/// Returns whether the wait for a connection timed out. It is not repeated, because the caller has
/// waited long enough.
fn is_timeout(error: &CommitError) -> bool {
    matches!(error.database(), Some(sqlx::Error::PoolTimedOut))
}

/// Inserts new sessions in one statement. Alerts that got no row, and alerts of chains with
/// suppression, take a second step, see [`resolve_duplicates`].
async fn commit(
    connections: &Connections,
    batch: &[NewSession],
) -> Result<Vec<Accepted>, CommitError> {
    let mut conn = connections.acquire().await?;
    let plain: Vec<_> = batch.iter().filter(|s| s.suppressible.is_none()).collect();
    let fresh = match plain.is_empty() {
        true => Ok(HashSet::new()),
        false => accept(&mut conn, plain).await,
    };
    let fresh = match fresh {
        Ok(fresh) => fresh,
        refused => {
            connections.give_back(conn, &refused);
            return Err(refused
                .err()
                .map_or_else(|| sqlx::Error::RowNotFound.into(), CommitError::from));
        }
    };
    let is_fresh = |session: &NewSession| fresh.contains(&session.session_id);
    let others: Vec<NewSession> = batch.iter().filter(|s| !is_fresh(s)).cloned().collect();
    let mut others = match others.is_empty() {
        true => Vec::new(),
        false => resolve_duplicates(&mut conn, &others).await?,
    }
    .into_iter();
    connections.keep(conn);
    let answers = batch.iter().map(|session| match is_fresh(session) {
        true => Some(Accepted::Fresh {
            session_id: session.session_id,
            alert_id: session.alert_id,
        }),
        false => others.next(),
    });
    let answers: Option<Vec<_>> = answers.collect();
    answers.ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// Finds and counts the sessions that these alerts are duplicates of or suppressed by. If the
/// original session has ended meanwhile, the alert is accepted after all.
async fn resolve_duplicates(
    conn: &mut PgConnection,
    batch: &[NewSession],
) -> Result<Vec<Accepted>, CommitError> {
    let mut tx = conn.begin().await?;
    let answers = insert(&mut tx, batch).await?;
    let fresh = || {
        let pairs = batch.iter().zip(&answers);
        pairs
            .filter(|(_, answer)| matches!(answer, Accepted::Fresh { .. }))
            .map(|(session, _)| session)
    };
    let jobs: Vec<_> = fresh().map(chain_job).collect();
    let events: Vec<_> = fresh()
        .map(|session| {
            NewEvent::session_status(session.session_id, SessionStatus::Pending, None, None)
        })
        .collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    tarsy_store::events::publish(&mut tx, &events).await?;
    reached("ingest.look_closer.before_commit");
    tx.commit().await?;
    reached("ingest.look_closer.after_commit");
    Ok(answers)
}

/// Inserts sessions. If some may be suppressed, inserts one after another, in an order that is the
/// same in all processes.
async fn insert(
    conn: &mut PgConnection,
    batch: &[NewSession],
) -> Result<Vec<Accepted>, CommitError> {
    if batch.iter().all(|session| session.suppressible.is_none()) {
        return Ok(tarsy_store::sessions::insert_sessions(conn, batch).await?);
    }
    let mut order: Vec<usize> = (0..batch.len()).collect();
    order.sort_by_key(|&place| batch[place].suppressible.as_ref().map(|it| &it.subject));
    let mut answers = vec![None; batch.len()];
    for place in order {
        let session = &batch[place];
        answers[place] = match &session.suppressible {
            Some(suppressible) => Some(
                tarsy_store::suppression::insert_unless_suppressed(conn, session, suppressible)
                    .await?,
            ),
            None => {
                let one = std::slice::from_ref(session);
                tarsy_store::sessions::insert_sessions(conn, one)
                    .await?
                    .pop()
            }
        };
    }
    let answers: Option<Vec<_>> = answers.into_iter().collect();
    answers.ok_or_else(|| sqlx::Error::RowNotFound.into())
}

fn chain_job(session: &NewSession) -> NewJob {
    NewJob::new(chain_queue(), CHAIN_JOB, session.session_id.as_uuid())
        .priority(priority_of(&session.severity))
        .traceparent(session.traceparent.clone())
}
