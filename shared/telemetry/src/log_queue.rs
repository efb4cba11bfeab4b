//! Writes log lines in a thread of their own, so that a reader of stderr that hangs stops nothing else.

use std::sync::OnceLock;

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// Most lines that wait for the reader; more are dropped, and counted.
const LONGEST_QUEUE: usize = 4_096;

/// Lines that this process has dropped.
static DROPPED: OnceLock<ErrorCounter> = OnceLock::new();

/// Starts the thread. The guard has it write what waits, for a second at most, when it is dropped.
pub(crate) fn start() -> (NonBlocking, WorkerGuard) {
    let (queue, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(LONGEST_QUEUE)
        .thread_name("tarsy-log")
        .finish(std::io::stderr());
    // Only a second subscriber, which is refused, finds it set.
    let _ = DROPPED.set(queue.error_counter());
    (queue, guard)
}

/// Log lines that this process has dropped because their reader did not keep up.
#[must_use]
pub fn dropped_log_lines() -> u64 {
    DROPPED
        .get()
        .map_or(0, |dropped| dropped.dropped_lines() as u64)
}
