//! Metrics of model calls.

use std::sync::LazyLock;

use prometheus::{CounterVec, IntCounterVec, Result};

use crate::exemplar::DurationHistogram;
use crate::factory::{LazyMetrics, MetricFactory};

/// Buckets of calls, in seconds.
const SECONDS: [f64; 11] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0];

/// The metrics, created on first use.
pub(crate) static METRICS: LazyMetrics<LlmMetrics> =
    LazyLock::new(|| LlmMetrics::new(&MetricFactory::shared()));

/// Metrics of model calls.
pub(crate) struct LlmMetrics {
    calls: IntCounterVec,
    seconds: DurationHistogram,
    retries: IntCounterVec,
    tokens: IntCounterVec,
    cached_tokens: IntCounterVec,
    cost: CounterVec,
    form_changes: IntCounterVec,
}

impl LlmMetrics {
    pub(crate) fn new(make: &MetricFactory) -> Result<Self> {
        Ok(Self {
            calls: make.counters(
                "tarsy_llm_calls_total",
                "Model calls of this process, by result: ok, or the class of the error.",
                &["provider", "model", "result"],
            )?,
            seconds: make.durations(
                "tarsy_llm_call_duration_seconds",
                "Time of a model call, failed ones included.",
                &["provider", "model"],
                &SECONDS,
            )?,
            retries: make.counters(
                "tarsy_llm_retries_total",
                "Model calls that this process made again after an error, by the class of the error.",
                &["provider", "model", "error"],
            )?,
            tokens: make.counters(
                "tarsy_llm_tokens_total",
                "Tokens of model calls, where the provider counts them, by direction: input, output.",
                &["provider", "model", "direction"],
            )?,
            cached_tokens: make.counters(
                "tarsy_llm_cached_tokens_total",
                "Input tokens that the provider read from its cache; they count as input, too.",
                &["provider", "model"],
            )?,
            cost: make.sums(
                "tarsy_llm_cost_usd_total",
                "Estimated cost of model calls, where the price is known.",
                &["provider", "model"],
            )?,
            form_changes: make.counters(
                "tarsy_llm_reply_form_changes_total",
                "Changes of the form in which a model replies, after replies that could not be read: native, json, text.",
                &["provider", "model", "from", "to"],
            )?,
        })
    }
}

/// Creates the series of a model, so that they start at 0. A rate misses the first event of a counter that starts at 1.
pub fn serve(provider: &str, model: &str, results: impl IntoIterator<Item = &'static str>) {
    if let Ok(metrics) = &*METRICS {
        for result in results {
            let calls = &metrics.calls;
            calls.with_label_values(&[provider, model, result]);
            if result != "ok" {
                let retries = &metrics.retries;
                retries.with_label_values(&[provider, model, result]);
            }
        }
    }
}

/// Counts a call; `result` is `ok` or the class of the error.
pub fn called(provider: &str, model: &str, result: &'static str, seconds: f64) {
    if let Ok(metrics) = &*METRICS {
        let llm = metrics;
        llm.calls
            .with_label_values(&[provider, model, result])
            .inc();
        llm.seconds.observe(&[provider, model], seconds);
    }
}

/// Counts a call that is repeated after an error of this class.
pub fn retried(provider: &str, model: &str, class: &'static str) {
    if let Ok(metrics) = &*METRICS {
        let retries = &metrics.retries;
        retries.with_label_values(&[provider, model, class]).inc();
    }
}

/// Counts a change of the format in which a model replies.
pub fn reply_form_changed(provider: &str, model: &str, from: &'static str, to: &'static str) {
    if let Ok(metrics) = &*METRICS {
        let changes = &metrics.form_changes;
        changes
            .with_label_values(&[provider, model, from, to])
            .inc();
    }
}

/// Tokens of a model call, as the provider counts them.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    /// Tokens of the prompt.
    pub input: i64,
    /// Tokens of the prompt that were read from the provider's cache.
    pub cached: i64,
    /// Tokens of the answer.
    pub output: i64,
}

/// Counts the tokens and the cost of an answer.
pub fn used(provider: &str, model: &str, tokens: Tokens, cost_usd: Option<f64>) {
    let Ok(metrics) = &*METRICS else { return };
    let llm = metrics;
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    for (direction, number) in [("input", tokens.input), ("output", tokens.output)] {
        let counter = llm.tokens.with_label_values(&[provider, model, direction]);
        counter.inc_by(count(number));
    }
    let cached = llm.cached_tokens.with_label_values(&[provider, model]);
    cached.inc_by(count(tokens.cached));
    if let Some(cost) = cost_usd
        && cost > 0.0
    {
        llm.cost.with_label_values(&[provider, model]).inc_by(cost);
    }
}
