//! Restarts background tasks that panic.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;

use crate::backoff::Backoff;

/// Do `work` until it ends by itself; when it panics, begin it anew.
///
/// Jobs and requests have tasks of their own, where a panic ends one of them. A loop that keeps
/// something up would be gone with its first panic, while its process looks well. Drivers do
/// panic: sqlx does when a row is torn, as PgBouncer leaves one behind whose server is cut off.
///
/// What `work` keeps outside of itself survives; `name` says in the log what it was.
pub async fn supervise(name: &'static str, mut work: impl AsyncFnMut()) {
    let mut panics = 0;
    while AssertUnwindSafe(work()).catch_unwind().await.is_err() {
        tracing::error!(work = name, panics, "task panicked; restarting it");
        tokio::time::sleep(Backoff::CONNECTION.delay(panics)).await;
        panics = panics.saturating_add(1).min(16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_panics_is_begun_anew_until_it_ends() {
        let mut begun = 0;
        supervise("counting", async || {
            begun += 1;
            tokio::task::yield_now().await;
            assert_eq!(begun, 3, "not yet");
        })
        .await;
        assert_eq!(begun, 3);
    }
}
