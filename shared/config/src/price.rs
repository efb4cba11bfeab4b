//! Token prices.

use serde::Serialize;

use crate::fields::{Fields, Number, Required, section};

section! {
    /// Prices in US dollars per million tokens.
    struct PriceFields("Price", "price of") {
        /// Prompt tokens.
        input_per_million: Required<Dollars>,
        /// Answer tokens, including reasoning.
        output_per_million: Required<Dollars>,
        /// Prompt tokens read from the provider's cache. Default: `input_per_million`.
        cached_input_per_million: Dollars,
        /// Prompt tokens written to the provider's cache. Default: `input_per_million`.
        cache_write_per_million: Dollars,
    }
}

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
        const WHY: &str = "US dollars for a million tokens; 0 for a self-hosted model";
        let keys = PriceFields::FIELDS;
        let input = fields.require(keys.input_per_million, WHY);
        let output = fields.require(keys.output_per_million, WHY);
        let cached = fields.get(keys.cached_input_per_million);
        let written = fields.get(keys.cache_write_per_million);
        let input_per_million = input?;
        Some(Self {
            input_per_million,
            output_per_million: output?,
            cached_input_per_million: cached.unwrap_or(input_per_million),
            cache_write_per_million: written.unwrap_or(input_per_million),
        })
    }
}
