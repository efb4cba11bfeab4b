//! The reason why a session waits, as the API shows it.

use serde::Serialize;
use tarsy_config::AlertMasker;
use tarsy_store::history::Wait;
use utoipa::ToSchema;

use crate::sessions::masking::mask_text;

/// Why a session that hasn't ended doesn't go on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionWait {
    /// `queued`, `queue_paused`, `no_worker`, `retrying`, `snoozed`, `after_crash`, `worker_not_answering`, or of a
    /// stage that waits: `approval`, `signal` or `timer`.
    #[schema(example = "snoozed")]
    reason: &'static str,
    /// Stage that waits; none: the chain's first step.
    stage_name: Option<String>,
    /// Queue of its job; none: a stage that waits has no job.
    #[schema(example = "stage:default")]
    queue: Option<String>,
    /// Since when, Unix microseconds.
    since_us: i64,
    /// When it is tried again, or a stage's wait expires, Unix microseconds; none: when something else changes.
    next_try_us: Option<i64>,
    /// Tries so far.
    tries: i32,
    /// Tries that may fail; none: not limited.
    max_tries: Option<i32>,
    /// What the last try ended with.
    last_error: Option<String>,
    /// LLM provider that refused or failed.
    provider: Option<String>,
    /// Class of its error: `rate_limited`, `overloaded`, `server_error`, `connection`, ..
    #[schema(example = "rate_limited")]
    error_class: Option<String>,
    /// Worker that doesn't answer, `host:pid`.
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
