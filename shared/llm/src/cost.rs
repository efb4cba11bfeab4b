//! Estimated costs.

use tarsy_model::{Cost, CostCompleteness, TokenUsage};

/// Price of a model's tokens, in US dollars per million.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Price of prompt tokens.
    pub input_per_million: f64,
    /// Price of answer tokens, including reasoning.
    pub output_per_million: f64,
    /// Price of prompt tokens read from the provider's cache; default: `input_per_million`.
    pub cached_input_per_million: Option<f64>,
    /// Price of prompt tokens written to the provider's cache; default: `input_per_million`.
    pub cache_write_per_million: Option<f64>,
    /// Longest prompt, in tokens, to which the price applies; `None`: any. A call with a longer prompt has unknown
    /// cost.
    pub up_to_input_tokens: Option<i64>,
    /// Date of the price catalogue; `None`: the operator set the price.
    pub as_of: Option<&'static str>,
}

/// Estimates the cost of one call in US dollars. `None` if usage or price is unknown.
#[must_use]
pub fn estimate(usage: Option<&TokenUsage>, price: Option<&Price>) -> Option<f64> {
    let (usage, price) = (usage?, price?);
    if price
        .up_to_input_tokens
        .is_some_and(|most| usage.input_tokens > most)
    {
        return None;
    }
    let cached = usage.cached_tokens.clamp(0, usage.input_tokens.max(0));
    let uncached = usage.input_tokens.max(0) - cached;
    let written = usage.cache_write_tokens.clamp(0, uncached);
    let fresh = uncached - written;
    let cached_price = price
        .cached_input_per_million
        .unwrap_or(price.input_per_million);
    let write_price = price
        .cache_write_per_million
        .unwrap_or(price.input_per_million);
    Some(
        (tokens(fresh) * price.input_per_million
            + tokens(cached) * cached_price
            + tokens(written) * write_price
            + tokens(usage.output_tokens.max(0)) * price.output_per_million)
            / 1e6,
    )
}

#[expect(
    clippy::cast_precision_loss,
    reason = "2^53 tokens cost more than there is money"
)]
const fn tokens(count: i64) -> f64 {
    count as f64
}

/// Sums the costs of several calls and reports whether all of them are known.
#[must_use]
pub fn total(costs: impl IntoIterator<Item = Option<f64>>) -> Cost {
    let (mut usd, mut known, mut unknown) = (0.0, false, false);
    for cost in costs {
        match cost {
            Some(cost) => {
                usd += cost;
                known = true;
            }
            None => unknown = true,
        }
    }
    let completeness = match (known, unknown) {
        (true, false) => CostCompleteness::Complete,
        (true, true) => CostCompleteness::Partial,
        (false, _) => CostCompleteness::None,
    };
    Cost { usd, completeness }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        input_per_million: 2.0,
        output_per_million: 10.0,
        cached_input_per_million: Some(0.5),
        cache_write_per_million: Some(2.5),
        up_to_input_tokens: None,
        as_of: None,
    };

    fn usage(input_tokens: i64, output_tokens: i64, cached_tokens: i64) -> TokenUsage {
        TokenUsage {
            input_tokens,
            output_tokens,
            cached_tokens,
            cache_write_tokens: 0,
            reasoning_tokens: 0,
        }
    }

    #[test]
    fn cached_tokens_are_part_of_the_prompt() {
        let cost = estimate(Some(&usage(1_000_000, 100_000, 400_000)), Some(&PRICE)).unwrap();
        assert!((cost - (1.2 + 0.2 + 1.0)).abs() < 1e-9, "{cost}");
        // A provider that counts more cached than prompt tokens must not give a negative cost.
        let cost = estimate(Some(&usage(10, 0, 40)), Some(&PRICE)).unwrap();
        assert!((cost - 0.000_005).abs() < 1e-12, "{cost}");
    }

    #[test]
    fn tokens_written_to_the_cache_have_their_own_price() {
        let written = TokenUsage {
            cache_write_tokens: 200_000,
            ..usage(1_000_000, 0, 400_000)
        };
        let cost = estimate(Some(&written), Some(&PRICE)).unwrap();
        assert!((cost - (0.8 + 0.2 + 0.5)).abs() < 1e-9, "{cost}");
    }

    #[test]
    fn unknown_usage_or_price_is_unknown_cost() {
        assert_eq!(estimate(None, Some(&PRICE)), None);
        assert_eq!(estimate(Some(&usage(1, 1, 0)), None), None);
        let short = Price {
            up_to_input_tokens: Some(100),
            ..PRICE
        };
        assert!(estimate(Some(&usage(100, 1, 0)), Some(&short)).is_some());
        assert_eq!(estimate(Some(&usage(101, 1, 0)), Some(&short)), None);
    }

    #[test]
    fn a_sum_states_how_much_of_it_is_known() {
        use CostCompleteness::{Complete, None as Unknown, Partial};
        assert_eq!(
            total([Some(1.0), Some(0.5)]),
            Cost {
                usd: 1.5,
                completeness: Complete
            }
        );
        assert_eq!(
            total([Some(1.0), None]),
            Cost {
                usd: 1.0,
                completeness: Partial
            }
        );
        assert_eq!(
            total([None]),
            Cost {
                usd: 0.0,
                completeness: Unknown
            }
        );
        assert_eq!(
            total([]),
            Cost {
                usd: 0.0,
                completeness: Unknown
            }
        );
    }
}
