//! Caches answers of read-only commands for a short time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::outcome::Outcome;

/// Most answers in the cache.
const MOST: usize = 256;

type Call = (String, Vec<String>);

/// Answers by host and argument vector.
#[derive(Debug)]
pub(crate) struct Cache {
    lifetime: Duration,
    answers: Mutex<HashMap<Call, (Instant, Outcome)>>,
}

impl Cache {
    pub(crate) fn new(lifetime: Duration) -> Self {
        Self {
            lifetime,
            answers: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, host: &str, argv: &[String]) -> Option<Outcome> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, outcome) = answers.get(&(host.to_owned(), argv.to_vec()))?;
        let is_fresh = at.elapsed() < self.lifetime;
        is_fresh.then(|| Outcome {
            cached: true,
            ..outcome.clone()
        })
    }

    pub(crate) fn put(&self, host: &str, argv: &[String], outcome: &Outcome) {
        if self.lifetime.is_zero() {
            return;
        }
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|_, (at, _)| at.elapsed() < self.lifetime);
        if answers.len() < MOST {
            answers.insert(
                (host.to_owned(), argv.to_vec()),
                (Instant::now(), outcome.clone()),
            );
        }
    }
}
