//! Token prices.

use serde::Serialize;

use crate::fields::Fields;
use crate::schema::scalars::Number;

/// US dollars for a million tokens, as the operator copied them from the provider's price list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Price {
    /// Prompt tokens.
    pub input_per_million: f64,
    /// Answer tokens, reasoning included.
    pub output_per_million: f64,
    /// Prompt tokens read from the provider's cache. Default: `input_per_million`.
    pub cached_input_per_million: f64,
    /// Prompt tokens written to the provider's cache. Default: `input_per_million`.
    pub cache_write_per_million: f64,
}

/// Upper bound that catches typos. It is above any current price.
pub(crate) type Dollars = Number<0, 100_000>;

impl Price {
    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let dollars = |key| fields.number(key, Dollars::RANGE);
        let (input, output, cached, written) = (
            dollars("input_per_million"),
            dollars("output_per_million"),
            dollars("cached_input_per_million"),
            dollars("cache_write_per_million"),
        );
        fields.finish();
        for key in ["input_per_million", "output_per_million"] {
            if !fields.has(key) {
                fields.problem_here(
                    format!("`{key}` is missing"),
                    "US dollars for a million tokens; 0 for a self-hosted model",
                );
            }
        }
        let input_per_million = input?;
        Some(Self {
            input_per_million,
            output_per_million: output?,
            cached_input_per_million: cached.unwrap_or(input_per_million),
            cache_write_per_million: written.unwrap_or(input_per_million),
        })
    }
}
