//! The Tokio runtime of a process.

use std::num::NonZero;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Maximum number of threads for DNS lookups and file reads.
const BLOCKING_THREADS: usize = 64;

/// Longer than any process runs.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Builds a runtime in which DNS lookups still work when no more threads can be created.
///
/// The limit on processes may be used up, e.g. by an MCP server that forks endlessly. Then no thread can be created,
/// and tokio panics in a DNS lookup if it has no blocking thread yet. If it has one, the lookup waits for that thread.
/// So the first blocking thread is started here, while that is possible, and blocking threads never exit.
///
/// # Errors
///
/// The system's error, if no threads or file descriptors are available.
pub fn runtime() -> std::io::Result<Runtime> {
    build(&mut Builder::new_multi_thread())
}

/// Builds the runtime of a worker, with threads for half of the cores unless `TOKIO_WORKER_THREADS` is set.
///
/// A worker waits for Postgres, models and tools, and threads that it does not need wake one another. On two cores, one
/// thread finished a chain a fifth sooner than two (docs/BENCHMARKS.md).
///
/// # Errors
///
/// As for [`runtime`].
pub fn worker_runtime() -> std::io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    if std::env::var_os("TOKIO_WORKER_THREADS").is_none() {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        builder.worker_threads(cores.div_ceil(2));
    }
    build(&mut builder)
}

fn build(builder: &mut Builder) -> std::io::Result<Runtime> {
    let runtime = builder
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(FOR_EVER)
        .build()?;
    runtime.spawn_blocking(|| ());
    Ok(runtime)
}
