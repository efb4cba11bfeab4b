//! Waits for a condition, so that tests never sleep for a guessed time.

use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Result of a probe: `bool` or `Option<T>`.
pub trait Condition {
    /// Value that the wait returns.
    type Met;

    /// Returns the value, if the condition holds.
    fn met(self) -> Option<Self::Met>;
}

impl Condition for bool {
    type Met = ();

    fn met(self) -> Option<()> {
        self.then_some(())
    }
}

impl<T> Condition for Option<T> {
    type Met = T;

    fn met(self) -> Self {
        self
    }
}

/// Calls `probe` until it returns `true` or `Some`, and returns that value.
///
/// Pauses between two calls grow from 2 ms to 50 ms.
///
/// # Panics
///
/// When `timeout` has passed. The message has `what` and the caller's location.
#[track_caller]
pub fn until<C: Condition>(
    what: &str,
    timeout: Duration,
    probe: impl AsyncFnMut() -> C,
) -> impl Future<Output = C::Met> {
    // Not an `async fn`, so that the panic names the caller's line.
    let caller = std::panic::Location::caller();
    async move {
        match up_to(timeout, probe).await {
            Some(value) => value,
            None => panic!("timed out after {timeout:?} waiting for {what} (at {caller})"),
        }
    }
}

/// Waits like [`until`], but returns `None` after `timeout`.
pub async fn up_to<C: Condition>(
    timeout: Duration,
    mut probe: impl AsyncFnMut() -> C,
) -> Option<C::Met> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(value) = probe().await.met() {
            return Some(value);
        }
        if start.elapsed() >= timeout {
            return None;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn returns_the_value_once_it_is_there() {
        let mut calls = 0;
        let value = until("three questions", Duration::from_secs(5), async || {
            calls += 1;
            (calls == 3).then_some("here")
        })
        .await;
        assert_eq!(value, "here");
    }

    #[tokio::test]
    #[should_panic(expected = "waiting for a day that never comes")]
    async fn names_what_it_waited_for() {
        until(
            "a day that never comes",
            Duration::from_millis(5),
            async || false,
        )
        .await;
    }
}
