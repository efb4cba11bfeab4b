//! Restarts background tasks that panic.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;

use crate::backoff::Backoff;

/// Runs `work` until it ends by itself, and restarts it when it panics.
///
/// A panic in a job or request ends only its own task. A permanent loop would end with its first panic, while its
/// process looks healthy. Drivers do panic: sqlx panics at an incomplete row, which it gets if PgBouncer loses its
/// server connection in the middle of the row.
///
/// State that `work` keeps outside of itself survives. `name` identifies the task in the log.
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
