//! Runbook checks before submission.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tarsy_config::RunbookConfig;
use tarsy_model::Role;
use tarsy_runbook::{Error, NoCache, Runbook, RunbookFetcher};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::access::Actor;
use crate::problem::Problem;

/// Concurrent runbook checks; more wait.
const AT_ONCE: usize = 4;
/// Checks of one caller that may be pending, including the running one.
const MOST_OF_ONE: usize = 8;
/// For callers with role `ingest`, a failed check takes a multiple of this time. The exact time
/// would reveal whether a repository is forbidden or lacks the file.
const STEP: Duration = Duration::from_secs(1);

/// Fetcher of runbooks that works as chain workers do, and stores nothing.
pub(crate) struct RunbookCheck {
    fetcher: RunbookFetcher,
    turns: Semaphore,
    callers: Mutex<HashMap<String, Arc<Queue>>>,
}

/// Queue of one caller's checks. They run one at a time, for fairness.
struct Queue {
    turn: Semaphore,
    room: Semaphore,
}

impl fmt::Debug for RunbookCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunbookCheck").finish_non_exhaustive()
    }
}

impl RunbookCheck {
    /// Creates a check for the runbooks that this configuration allows.
    ///
    /// # Errors
    ///
    /// [`Error::Egress`] when TLS can't be set up.
    pub(crate) fn new(config: &RunbookConfig) -> Result<Self, Error> {
        Ok(Self {
            fetcher: RunbookFetcher::new(config, Arc::new(NoCache))?,
            turns: Semaphore::new(AT_ONCE),
            callers: Mutex::default(),
        })
    }

    /// Fetches a runbook. The inner error is the reason of a failed fetch.
    ///
    /// Callers with role `ingest` get the same error for a forbidden repository as for a missing file.
    ///
    /// # Errors
    ///
    /// [`Problem::TooManyChecks`].
    pub(crate) async fn ask(
        &self,
        actor: &Actor,
        named: &str,
    ) -> Result<Result<Runbook, String>, Problem> {
        let queue = self.queue_of(actor);
        let _room = queue
            .room
            .try_acquire()
            .map_err(|_| Problem::TooManyChecks)?;
        // The semaphores are never closed, so acquiring can't fail.
        let _turn = queue.turn.acquire().await;
        let _shared = self.turns.acquire().await;
        let begun = Instant::now();
        let error = match self.fetcher.fetch(named).await {
            Ok(found) => return Ok(Ok(found)),
            Err(error) => error,
        };
        if actor.role() != Role::Ingest || !error.is_about_repository() {
            return Ok(Err(error.full_message()));
        }
        tokio::time::sleep_until(next_step(begun, Instant::now())).await;
        Ok(Err(ABSENT_OR_FORBIDDEN.to_owned()))
    }

    /// Returns the queue of a caller and drops queues that are no longer used.
    fn queue_of(&self, actor: &Actor) -> Arc<Queue> {
        let caller = format!("{:?} {}", actor.key_id(), actor.name());
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.retain(|_, queue| Arc::strong_count(queue) > 1);
        let queue = callers.entry(caller).or_insert_with(|| {
            Arc::new(Queue {
                turn: Semaphore::new(1),
                room: Semaphore::new(MOST_OF_ONE),
            })
        });
        Arc::clone(queue)
    }
}

const ABSENT_OR_FORBIDDEN: &str = "the runbook does not exist or may not be fetched";

fn next_step(begun: Instant, now: Instant) -> Instant {
    let steps = now.duration_since(begun).as_millis() / STEP.as_millis() + 1;
    begun + STEP * u32::try_from(steps).unwrap_or(u32::MAX)
}
