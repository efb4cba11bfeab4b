//! Bounds of a stage's tokens and cost.

use serde::Serialize;
use tarsy_config::{AgentLimits, Price};
use tarsy_model::IterationStrategy;

/// Characters per token, as in the agents' context budget.
const CHARS_PER_TOKEN: u64 = 4;

/// Size of a stage's work, in tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) strategy: IterationStrategy,
    /// Tokens of the first prompt.
    pub(crate) prompt_tokens: u64,
    /// Maximum number of tokens that earlier stages add to the prompt.
    pub(crate) earlier_tokens: u64,
    /// Maximum number of tokens of one answer.
    pub(crate) answer_tokens: u64,
    pub(crate) window_tokens: u64,
    pub(crate) limits: AgentLimits,
    /// Whether the agent has tools.
    pub(crate) has_tools: bool,
}

/// Input and output tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// Lower and upper bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Bounds<T> {
    pub(crate) least: T,
    pub(crate) most: T,
}

/// Returns the approximate number of tokens of a text.
pub(crate) const fn tokens_of(chars: usize) -> u64 {
    (chars as u64).div_ceil(CHARS_PER_TOKEN)
}

impl Workload {
    /// Returns the bounds of the tokens. The lower bound is one prompt without its answer. The upper bound is every
    /// iteration and tool call that the limits allow, each with the longest answer and observation, and a forced
    /// conclusion. Retries and fallbacks after failed calls are not included.
    pub(crate) fn tokens(&self) -> Bounds<Tokens> {
        let questions = self.questions();
        let most = (1..=questions).map(|question| {
            let before = question - 1;
            let held = self.prompt_tokens
                + self.earlier_tokens
                + before * self.answer_tokens
                + self.observations_before(question) * self.observation_tokens();
            held.min(self.window_tokens)
        });
        Bounds {
            least: Tokens {
                input: self.prompt_tokens.min(self.window_tokens),
                output: 0,
            },
            most: Tokens {
                input: most.sum(),
                output: questions * self.answer_tokens,
            },
        }
    }

    /// Returns the maximum number of tokens passed to later stages: the conclusion, or all collected data.
    pub(crate) fn result_tokens(&self) -> u64 {
        let collected = self.observations_before(self.questions() + 1) * self.observation_tokens();
        match self.strategy {
            IterationStrategy::ReactTools => collected,
            IterationStrategy::ReactToolsPartial => collected + self.answer_tokens,
            _ => self.answer_tokens,
        }
    }

    fn questions(&self) -> u64 {
        match self.strategy {
            IterationStrategy::ReactFinalAnalysis => 1,
            _ if !self.has_tools => 1 + u64::from(self.limits.max_iterations),
            // This strategy only collects data, so it is not asked for a conclusion at a limit.
            IterationStrategy::ReactTools => u64::from(self.limits.max_iterations),
            _ => 1 + u64::from(self.limits.max_iterations),
        }
    }

    fn observations_before(&self, question: u64) -> u64 {
        let calls = u64::from(self.limits.max_tool_calls);
        match self.strategy {
            _ if !self.has_tools => 0,
            IterationStrategy::ReactFinalAnalysis => 0,
            // All calls may be made together in the first answer.
            IterationStrategy::Regular => {
                if question > 1 {
                    calls
                } else {
                    0
                }
            }
            _ => (question - 1).min(calls),
        }
    }

    fn observation_tokens(&self) -> u64 {
        u64::from(self.limits.page_chars).div_ceil(CHARS_PER_TOKEN)
    }
}

/// Returns the US dollars for `tokens`. Cached prompts are priced like others.
#[expect(
    clippy::cast_precision_loss,
    reason = "2^53 tokens cost more than there is money"
)]
pub(crate) fn dollars(tokens: Tokens, price: &Price) -> f64 {
    (tokens.input as f64 * price.input_per_million
        + tokens.output as f64 * price.output_per_million)
        / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(strategy: IterationStrategy) -> Workload {
        Workload {
            strategy,
            prompt_tokens: 1_000,
            earlier_tokens: 0,
            answer_tokens: 500,
            window_tokens: 1_000_000,
            limits: AgentLimits {
                max_iterations: 3,
                max_tool_calls: 2,
                page_chars: 400,
                ..AgentLimits::default()
            },
            has_tools: true,
        }
    }

    #[test]
    fn the_upper_bound_is_every_iteration_with_the_whole_conversation_and_a_conclusion() {
        let tokens = workload(IterationStrategy::React).tokens();
        assert_eq!(
            tokens.least,
            Tokens {
                input: 1_000,
                output: 0
            }
        );
        // Prompts of 1,000 tokens. Each reply adds 500, and each of the two observations 100.
        assert_eq!(
            tokens.most,
            Tokens {
                input: 1_000 + 1_600 + 2_200 + 2_700,
                output: 4 * 500
            }
        );
        let tokens = workload(IterationStrategy::ReactTools).tokens();
        assert_eq!(
            tokens.most,
            Tokens {
                input: 1_000 + 1_600 + 2_200,
                output: 3 * 500
            }
        );
    }

    #[test]
    fn native_calls_may_come_all_at_once() {
        let tokens = workload(IterationStrategy::Regular).tokens();
        assert_eq!(tokens.most.input, 1_000 + 1_700 + 2_200 + 2_700);
    }

    #[test]
    fn a_final_analysis_is_one_question_over_what_earlier_stages_left() {
        let earlier = workload(IterationStrategy::ReactToolsPartial).result_tokens();
        assert_eq!(earlier, 2 * 100 + 500);
        let last = Workload {
            earlier_tokens: earlier,
            ..workload(IterationStrategy::ReactFinalAnalysis)
        };
        assert_eq!(
            last.tokens().most,
            Tokens {
                input: 1_700,
                output: 500
            }
        );
    }

    #[test]
    fn no_question_is_longer_than_the_window() {
        let small = Workload {
            window_tokens: 1_200,
            ..workload(IterationStrategy::React)
        };
        assert_eq!(small.tokens().most.input, 1_000 + 3 * 1_200);
    }

    #[test]
    fn prices_are_for_a_million() {
        let price = Price {
            input_per_million: 2.0,
            output_per_million: 10.0,
            cached_input_per_million: 0.5,
            cache_write_per_million: 2.5,
        };
        let cost = dollars(
            Tokens {
                input: 500_000,
                output: 10_000,
            },
            &price,
        );
        assert!((cost - 1.1).abs() < 1e-9, "{cost}");
    }
}
