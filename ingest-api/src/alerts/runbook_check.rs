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
/// What a caller who only sends alerts is answered in multiples of, when there is no runbook: how
/// long it took would tell why.
const STEP: Duration = Duration::from_secs(1);

/// Fetches runbooks as chain workers do, and stores nothing.
pub(crate) struct RunbookCheck {
    fetcher: RunbookFetcher,
    turns: Semaphore,
    callers: Mutex<HashMap<String, Arc<Queue>>>,
}

/// Checks of one caller: one at a time, for fairness.
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
    /// A check of what this configuration lets be asked.
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

    /// Fetches a runbook; the inner error says why it failed.
    ///
    /// Whoever may only send alerts hears of a repository that may not be asked what they hear
    /// of one where nothing is.
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
        // Never closed: without a turn nobody would be kept out.
        let _turn = queue.turn.acquire().await;
        let _shared = self.turns.acquire().await;
        let begun = Instant::now();
        let error = match self.fetcher.fetch(named).await {
            Ok(found) => return Ok(Ok(found)),
            Err(error) => error,
        };
        if actor.role() != Role::Ingest || !error.tells_of_a_repository() {
            return Ok(Err(error.full_message()));
        }
        tokio::time::sleep_until(next_step(begun, Instant::now())).await;
        Ok(Err(NOTHING_FOR_YOU.to_owned()))
    }

    /// The queue of a caller; empty ones are dropped.
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

const NOTHING_FOR_YOU: &str = "the runbook does not exist or may not be fetched";

fn next_step(begun: Instant, now: Instant) -> Instant {
    let steps = now.duration_since(begun).as_millis() / STEP.as_millis() + 1;
    begun + STEP * u32::try_from(steps).unwrap_or(u32::MAX)
}
