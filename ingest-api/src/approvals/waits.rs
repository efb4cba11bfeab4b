//! The reason why a session waits, as the API shows it.

use serde::Serialize;
use tarsy_config::AlertMasker;
use tarsy_store::history::Wait;
use utoipa::ToSchema;

use crate::sessions::masking::mask_text;

/// Why a session that has not ended does not continue.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionWait {
    /// `queued`, `queue_paused`, `no_worker`, `retrying`, `snoozed`, `after_crash` or `worker_not_answering`. For a
    /// stage that waits: `approval`, `signal` or `timer`.
    #[schema(example = "snoozed")]
    reason: &'static str,
    /// Stage that waits; null if the first step of the chain waits.
    stage_name: Option<String>,
    /// Queue of its job; null if a stage waits, because it then has no job.
    #[schema(example = "stage:default")]
    queue: Option<String>,
    /// Start of the wait, in Unix microseconds.
    since_us: i64,
    /// Time of the next try, or of the expiry of a stage's wait, in Unix microseconds; null if it depends on
    /// something else.
    next_try_us: Option<i64>,
    /// Tries so far.
    tries: i32,
    /// Maximum number of failed tries; null if there is no limit.
    max_tries: Option<i32>,
    /// Error of the last try.
    last_error: Option<String>,
    /// LLM provider that refused or failed.
    provider: Option<String>,
    /// Class of the provider's error: `rate_limited`, `overloaded`, `server_error`, `connection`, ..
    #[schema(example = "rate_limited")]
    error_class: Option<String>,
    /// Worker that does not answer, as `host:pid`.
    worker: Option<String>,
}

impl SessionWait {
    /// Converts a wait and masks secrets of the alert in it.
    pub(crate) fn masked(masker: &AlertMasker, wait: Wait) -> Self {
        Self {
            reason: wait.reason.as_str(),
            stage_name: wait.stage_name,
            queue: wait.queue,
            since_us: wait.since_us,
            next_try_us: wait.next_try_us,
            tries: wait.tries,
            max_tries: wait.max_tries,
            last_error: mask_text(masker, wait.last_error),
            provider: wait.provider,
            error_class: wait.error_class,
            worker: wait.worker,
        }
    }
}
