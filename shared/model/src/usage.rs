//! Token usage and cost of model calls.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens of one or more model calls, as the provider counted them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Prompt tokens.
    pub input_tokens: i64,
    /// Answer tokens, reasoning included.
    pub output_tokens: i64,
    /// Prompt tokens that the provider read from its cache; part of `input_tokens`.
    #[serde(default)]
    pub cached_tokens: i64,
    /// Prompt tokens that the provider wrote to its cache; part of `input_tokens`.
    #[serde(default)]
    pub cache_write_tokens: i64,
    /// Reasoning tokens; part of `output_tokens`.
    #[serde(default)]
    pub reasoning_tokens: i64,
}

impl TokenUsage {
    /// Prompt plus answer.
    #[must_use]
    pub const fn total(&self) -> i64 {
        self.input_tokens + self.output_tokens
    }
}

impl AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cached_tokens += other.cached_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
    }
}

/// Completeness of a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostCompleteness {
    /// Every call had usage and a price.
    Complete,
    /// Some calls had no usage or no price; the sum is a lower bound.
    Partial,
    /// No call had both usage and a price.
    #[default]
    None,
}

/// An estimated cost in US dollars, from the prices in the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Estimated dollars; a lower bound unless `completeness` is `complete`.
    pub usd: f64,
    /// Whether all of the cost is known.
    pub completeness: CostCompleteness,
}
