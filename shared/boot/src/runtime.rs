//! The Tokio runtime of a process.

use std::num::NonZero;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Threads for DNS lookups and file reads.
const BLOCKING_THREADS: usize = 64;

/// Longer than a process lives.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A runtime whose lookups of names outlive a shortage of threads.
///
/// Where no thread can be made any more (a limit on processes, used up by an MCP server that
/// forks without end, say), tokio panics in whoever looks up a host's name, unless it has a thread
/// for this already: then the lookup waits for that one. So the first of these threads is made
/// while there is room, and none of them ever leaves.
///
/// # Errors
///
/// The system's, if there are no threads or descriptors for it.
pub fn runtime() -> std::io::Result<Runtime> {
    build(&mut Builder::new_multi_thread())
}

/// The same for a worker: with threads for half of the cores, unless `TOKIO_WORKER_THREADS` says
/// otherwise.
///
/// A worker waits for Postgres, models and tools; threads that it does not need wake one another.
/// On two cores one thread finished a chain a fifth sooner than two (docs/BENCHMARKS.md).
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
