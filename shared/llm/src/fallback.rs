//! Calls an ordered list of models until one answers.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use tarsy_metrics::llm::Tokens;

use crate::policy::{CallState, Decision, RetryPolicy, Verdict, decide, verdict};
use crate::{
    AttemptRecord, CallError, ChatModel, ChatReply, ChatRequest, ModelOptions, ReplyFormat,
    estimate,
};

/// A preferred model and its fallbacks, in order.
#[derive(Clone, Debug)]
pub struct ModelWithFallbacks {
    preferred: Arc<dyn ChatModel>,
    fallbacks: Vec<Arc<dyn ChatModel>>,
    policy: RetryPolicy,
    options: ModelOptions,
}

/// An answer and the attempts that led to it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The model's reply.
    pub reply: ChatReply,
    /// Configured provider that answered.
    pub provider: String,
    /// Whether a fallback answered, not the preferred model.
    pub fell_back: bool,
    /// All calls made. The last one returned the answer.
    pub attempts: Vec<AttemptRecord>,
    /// Estimated cost of the answer in US dollars; `None`: usage or price is unknown.
    pub cost_usd: Option<f64>,
    /// Date of the price catalogue used for the cost; `None`: the operator set the price, or the cost is unknown.
    pub price_as_of: Option<&'static str>,
    /// Wall time of the question, including waits.
    pub duration: Duration,
}

/// Error: no model answered.
#[derive(Debug, thiserror::Error)]
#[error("no model answered: {}", self.reason())]
pub struct NoAnswer {
    /// Whether asking again later can help.
    pub verdict: Verdict,
    /// The last error. Its message is part of the reason.
    pub error: CallError,
    /// All calls made.
    pub attempts: Vec<AttemptRecord>,
    /// Wall time of the question, including waits.
    pub duration: Duration,
}

impl NoAnswer {
    /// Returns the last failure of each model, e.g. `gemini: rate_limited: quota exceeded; openai: auth: invalid key`.
    #[must_use]
    pub fn reason(&self) -> String {
        let mut parts = Vec::new();
        for (index, attempt) in self.attempts.iter().enumerate() {
            let is_last = self.attempts.get(index + 1).is_none_or(|next| {
                (&next.provider, &next.model) != (&attempt.provider, &attempt.model)
            });
            if let (true, Some(class)) = (is_last, attempt.class) {
                parts.push(format!(
                    "{}: {class}: {}",
                    attempt.provider, attempt.message
                ));
            }
        }
        parts.join("; ")
    }
}

impl ModelWithFallbacks {
    /// Creates a list that asks `preferred` first and then each of `fallbacks` in order.
    #[must_use]
    pub fn new(
        preferred: Arc<dyn ChatModel>,
        fallbacks: Vec<Arc<dyn ChatModel>>,
        policy: RetryPolicy,
    ) -> Self {
        Self {
            preferred,
            fallbacks,
            policy,
            options: ModelOptions::default(),
        }
    }

    /// Sets the options of a stage for all questions.
    #[must_use]
    pub fn with_options(self, options: ModelOptions) -> Self {
        Self { options, ..self }
    }

    /// Returns the sampling temperature for questions that set none; `None`: the model's own.
    #[must_use]
    pub fn temperature(&self) -> Option<f64> {
        self.options.temperature.or(self.preferred.temperature())
    }

    /// Returns the question with the stage's options wherever the question sets none.
    #[must_use]
    pub fn with_options_of_stage(&self, mut request: ChatRequest) -> ChatRequest {
        let options = &self.options;
        request.temperature = request.temperature.or(options.temperature);
        request.reasoning_effort = request.reasoning_effort.or(options.reasoning_effort);
        request.thinking = request.thinking.or(options.thinking);
        request
    }

    /// Returns the model that is asked first. It is recorded as the intent's provider and model.
    #[must_use]
    pub fn preferred(&self) -> &dyn ChatModel {
        &*self.preferred
    }

    /// Returns the smallest known context window of all models, in tokens; `None`: no window is known.
    #[must_use]
    pub fn context_window(&self) -> Option<u32> {
        self.models()
            .filter_map(|model| model.context_window())
            .min()
    }

    /// Returns the reply format of the preferred model.
    #[must_use]
    pub fn reply_format(&self) -> ReplyFormat {
        self.preferred.reply_format()
    }

    /// Whether the preferred model can enforce a schema. A fallback that can't gets the same prompt.
    #[must_use]
    pub fn enforces_schemas(&self) -> bool {
        self.preferred.enforces_schemas()
    }

    fn models(&self) -> impl Iterator<Item = &Arc<dyn ChatModel>> {
        std::iter::once(&self.preferred).chain(&self.fallbacks)
    }

    /// Asks until a model answers or the policy gives up. Dropping the future aborts the call.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`], whose verdict states whether to snooze or to fail.
    pub async fn ask(&self, request: &ChatRequest) -> Result<Answer, Box<NoAnswer>> {
        let started = Instant::now();
        if let Some(change) = request.form_change {
            let (provider, model) = (self.preferred.provider(), self.preferred.model_name());
            tarsy_metrics::llm::reply_form_changed(provider, model, change.from, change.to);
        }
        let mut attempts = Vec::new();
        let mut failures: Vec<CallError> = Vec::new();
        let mut waited = Duration::ZERO;
        'models: for (position, model) in self.models().enumerate() {
            let has_fallback = position < self.fallbacks.len();
            let mut wait = Duration::ZERO;
            for attempt in 1.. {
                request.stream.attempt();
                let begun = Instant::now();
                let outcome = model.chat(request).await;
                let duration = begun.elapsed();
                count(&**model, &outcome, duration);
                let duration_ms = millis(duration);
                let error = match outcome {
                    Ok(reply) => {
                        attempts.push(record(&**model, None, duration_ms, wait));
                        let price = model.price();
                        let cost_usd = estimate(reply.usage.as_ref(), price.as_ref());
                        return Ok(Answer {
                            cost_usd,
                            price_as_of: cost_usd.and(price).and_then(|price| price.as_of),
                            reply,
                            provider: model.provider().to_owned(),
                            fell_back: position > 0,
                            attempts,
                            duration: started.elapsed(),
                        });
                    }
                    Err(error) => error,
                };
                attempts.push(record(&**model, Some(&error), duration_ms, wait));
                let state = CallState {
                    has_schema: request.response_schema.is_some(),
                    attempts: attempt,
                    waited,
                    remaining: request
                        .deadline
                        .map(|deadline| deadline.saturating_duration_since(Instant::now())),
                    has_fallback,
                };
                let decision = decide(&self.policy, &state, &error, rand::random());
                tracing::warn!(
                    llm.provider = model.provider(),
                    llm.model = model.model_name(),
                    llm.error = ?error,
                    llm.attempt = attempt,
                    ?decision,
                    "model call failed"
                );
                if let Decision::Retry(next_wait) = decision {
                    let class = error.class.as_str();
                    tarsy_metrics::llm::retried(model.provider(), model.model_name(), class);
                    tokio::time::sleep(next_wait).await;
                    waited += next_wait;
                    wait = next_wait;
                    continue;
                }
                failures.push(error);
                match decision {
                    Decision::Stop => break 'models,
                    _ => break,
                }
            }
        }
        let verdict = verdict(&self.policy, &failures, rand::random());
        let error = failures.pop().unwrap_or_else(|| {
            CallError::new(crate::ErrorClass::NotConfigured, "there is no model to ask")
        });
        Err(Box::new(NoAnswer {
            verdict,
            error,
            attempts,
            duration: started.elapsed(),
        }))
    }
}

/// Counts a call in the metrics.
fn count(model: &dyn ChatModel, outcome: &Result<ChatReply, CallError>, duration: Duration) {
    let (provider, name) = (model.provider(), model.model_name());
    let result = match outcome {
        Ok(_) => "ok",
        Err(error) => error.class.as_str(),
    };
    tarsy_metrics::llm::called(provider, name, result, duration.as_secs_f64());
    if let Ok(ChatReply {
        usage: Some(usage), ..
    }) = outcome
    {
        let cost = estimate(Some(usage), model.price().as_ref());
        let tokens = Tokens {
            input: usage.input_tokens,
            cached: usage.cached_tokens,
            output: usage.output_tokens,
        };
        tarsy_metrics::llm::used(provider, name, tokens, cost);
    }
}

fn record(
    model: &dyn ChatModel,
    error: Option<&CallError>,
    duration_ms: u64,
    waited: Duration,
) -> AttemptRecord {
    AttemptRecord {
        provider: model.provider().to_owned(),
        model: model.model_name().to_owned(),
        class: error.map(|error| error.class),
        message: error.map(|error| error.message.clone()).unwrap_or_default(),
        duration_ms,
        retry_after_ms: error.and_then(|error| error.retry_after).map(millis),
        waited_ms: millis(waited),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
