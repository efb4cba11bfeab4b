//! Counts of this process, for its metrics: one atomic addition each, no statement.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::worker::Outcome;

/// Labels of [`ENDED`].
const OUTCOMES: [&str; 6] = [
    "done",
    "retry",
    "snooze",
    "cancelled",
    "undecodable",
    "released",
];

static ENDED: [AtomicU64; OUTCOMES.len()] = [const { AtomicU64::new(0) }; OUTCOMES.len()];
static LOST: AtomicU64 = AtomicU64::new(0);

/// Counts a claim that ended so.
pub(crate) fn ended(outcome: &Outcome) {
    let at = match outcome {
        Outcome::Done | Outcome::Finished | Outcome::ContinueWith(_) => 0,
        Outcome::Retry(_) => 1,
        Outcome::Snooze(_) => 2,
        Outcome::Cancel(_) => 3,
        Outcome::DeadLetter(_) => 4,
        Outcome::Release | Outcome::PassOn(_) => 5,
    };
    if let Some(count) = ENDED.get(at) {
        count.fetch_add(1, Relaxed);
    }
}

/// Counts a claim that was taken away before it ended.
pub(crate) fn lost() {
    LOST.fetch_add(1, Relaxed);
}

/// Claims of this process that ended, by outcome.
#[must_use]
pub fn ended_claims() -> Vec<(&'static str, u64)> {
    let counts = ENDED.iter().map(|count| count.load(Relaxed));
    OUTCOMES.into_iter().zip(counts).collect()
}

/// Claims of this process that others took over before they ended.
#[must_use]
pub fn lost_claims() -> u64 {
    LOST.load(Relaxed)
}
