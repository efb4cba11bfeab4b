//! Writes log lines in a separate thread, so that a blocked reader of stderr blocks nothing else.

use std::sync::OnceLock;

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// Maximum number of lines that wait for the reader. Further lines are dropped and counted.
const LONGEST_QUEUE: usize = 4_096;

/// Counter of the lines that this process dropped.
static DROPPED: OnceLock<ErrorCounter> = OnceLock::new();

/// Starts the thread. When the guard is dropped, the waiting lines are written, for at most one second.
pub(crate) fn start() -> (NonBlocking, WorkerGuard) {
    let (queue, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(LONGEST_QUEUE)
        .thread_name("tarsy-log")
        .finish(std::io::stderr());
    // It is already set only if a second subscriber is created, which is then rejected.
    let _ = DROPPED.set(queue.error_counter());
    (queue, guard)
}

/// Returns the number of log lines that this process dropped because their reader was too slow.
#[must_use]
pub fn dropped_log_lines() -> u64 {
    DROPPED
        .get()
        .map_or(0, |dropped| dropped.dropped_lines() as u64)
}
