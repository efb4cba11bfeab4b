//! Queue names: one for chains, one for each pool of stage workers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The queue that chain workers claim from.
#[must_use]
pub const fn chain_queue() -> &'static str {
    "chain"
}

/// Prefix of the queues of pools.
const QUEUES: &str = "stage:";

/// A named group of stage workers; a stage names the pool that may run it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pool(String);

impl Pool {
    /// The pool's name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `text` is a valid pool name: `[a-z0-9][a-z0-9_-]{0,62}`.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        let tail = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        text.len() <= 63
            && text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && text.chars().all(tail)
    }

    /// Whether it is a template, which is resolved to a name when an alert is accepted.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.0.contains("{{")
    }

    /// Returns the pool whose workers claim from this queue.
    #[must_use]
    pub fn of_queue(queue: &str) -> Self {
        Self(queue.strip_prefix(QUEUES).unwrap_or(queue).to_owned())
    }

    /// Returns the name of the pool whose stage workers claim from this queue; `None` for other queues.
    #[must_use]
    pub fn of_stage_queue(queue: &str) -> Option<String> {
        queue.strip_prefix(QUEUES).map(str::to_owned)
    }

    /// Returns the queue that its workers claim from: `stage:<pool>`.
    #[must_use]
    pub fn queue(&self) -> String {
        format!("{QUEUES}{}", self.0)
    }
}

impl Default for Pool {
    /// The pool `default`, for stages that name none.
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl From<&str> for Pool {
    fn from(name: &str) -> Self {
        Self(name.trim().to_owned())
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
