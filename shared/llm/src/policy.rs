//! Retry policy: decides between retry, fallback, snooze and failure. Pure: time and random numbers are arguments.

use std::time::Duration;

use tarsy_model::Shortage;

use crate::{CallError, ErrorClass};

/// Retry policy of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Longest total wait of one question between attempts, for all models together. Default 10 s. A longer wait
    /// becomes a fallback or a snooze, which frees the worker's slot.
    pub max_wait: Duration,
    /// Upper bound of the first wait. It doubles with each attempt. Default 500 ms.
    pub base_wait: Duration,
    /// Most attempts at one model. Default 4.
    pub max_attempts: u32,
    /// Length of a snooze for a rate limit or overload if the provider names no wait. Default 30 s.
    pub default_snooze: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_wait: Duration::from_secs(10),
            base_wait: Duration::from_millis(500),
            max_attempts: 4,
            default_snooze: Duration::from_secs(30),
        }
    }
}

/// State of a question after a failed call.
#[derive(Clone, Copy, Debug)]
pub struct CallState {
    /// Calls of this model for this question, including the failed one; starts at 1.
    pub attempts: u32,
    /// Time spent waiting between attempts so far, all models together.
    pub waited: Duration,
    /// Time until the caller stops waiting; `None`: no deadline.
    pub remaining: Option<Duration>,
    /// Whether another model is left.
    pub has_fallback: bool,
    /// Whether the question asked for an answer that follows a schema.
    pub has_schema: bool,
}

/// The decision after a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Ask the same model again after this wait.
    Retry(Duration),
    /// Ask the next model.
    FallBack,
    /// Stop asking. [`verdict`] decides how the question ends.
    Stop,
}

/// The end of a question that no model answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ask again after this time, when a rate limit or overload is over.
    Snooze(Duration),
    /// No model could be reached from this machine. Another machine may reach one.
    Unreachable,
    /// This machine lacks a resource that a connection needs.
    Shortage(Shortage),
    /// A model failed or could not be reached, and did not state for how long. It may be back soon.
    Outage,
    /// Asking again would not help.
    Fail,
}

/// Shortest time in which a model can answer. With less time left, an attempt would only replace the failure by a
/// timeout.
const LEAST_TIME: Duration = Duration::from_millis(250);

/// Returns the most attempts at one model for failures of this class.
const fn max_attempts(class: ErrorClass, policy: &RetryPolicy) -> u32 {
    match class {
        ErrorClass::RateLimited
        | ErrorClass::Overloaded
        | ErrorClass::ServerError
        | ErrorClass::Connection => policy.max_attempts,
        // A second sample may be better. Two such failures in a row are a pattern.
        ErrorClass::Empty | ErrorClass::Malformed => 2,
        // A call that timed out has used up much of the stage's time. The other failures do not change on a retry.
        ErrorClass::Timeout
        | ErrorClass::Auth
        | ErrorClass::ContextLength
        | ErrorClass::Refused
        | ErrorClass::InvalidRequest
        | ErrorClass::NotConfigured => 1,
    }
}

/// Decides after a failed call. `jitter` is a random number in `[0, 1)`.
///
/// The wait is random between zero and a bound that doubles with each attempt (full jitter). The wait that the provider
/// asks for is added. A wait that exceeds the time of the policy or the caller is not started.
#[must_use]
pub fn decide(policy: &RetryPolicy, state: &CallState, error: &CallError, jitter: f64) -> Decision {
    let otherwise = if state.has_fallback {
        Decision::FallBack
    } else {
        Decision::Stop
    };
    if state.remaining.is_some_and(|remaining| remaining.is_zero()) {
        return Decision::Stop;
    }
    // The caller asks again without the schema, in another form.
    if state.has_schema && error.class == ErrorClass::InvalidRequest {
        return Decision::Stop;
    }
    if state.attempts >= max_attempts(error.class, policy) {
        return otherwise;
    }
    let doublings = state.attempts.saturating_sub(1).min(16);
    let bound = policy
        .base_wait
        .saturating_mul(1 << doublings)
        .min(policy.max_wait);
    let wait = error.retry_after.unwrap_or_default() + bound.mul_f64(jitter.clamp(0.0, 1.0));
    let too_long = state.waited + wait > policy.max_wait
        || state
            .remaining
            .is_some_and(|remaining| wait + LEAST_TIME >= remaining);
    if too_long {
        otherwise
    } else {
        Decision::Retry(wait)
    }
}

/// Decides how a question ends after every model failed. `failures` holds the last error of each model.
///
/// * [`Verdict::Snooze`] if a model is rate limited or overloaded, until the first of these is available again.
/// * [`Verdict::Shortage`] or [`Verdict::Unreachable`] if every model failed with [`ErrorClass::Connection`]. Such
///   errors give no information about the models.
/// * [`Verdict::Outage`] if only some failed with [`ErrorClass::Connection`], or any with [`ErrorClass::ServerError`].
/// * [`Verdict::Fail`] otherwise.
///
/// A random addition of up to a tenth keeps snoozed stages from returning all at once.
#[must_use]
pub fn verdict(policy: &RetryPolicy, failures: &[CallError], jitter: f64) -> Verdict {
    let snooze = failures
        .iter()
        .filter(|error| {
            matches!(
                error.class,
                ErrorClass::RateLimited | ErrorClass::Overloaded
            )
        })
        .map(|error| error.retry_after.unwrap_or(policy.default_snooze))
        .min();
    if let Some(wait) = snooze {
        return Verdict::Snooze(wait + wait.mul_f64(jitter.clamp(0.0, 1.0) / 10.0));
    }
    let unconnected = |error: &CallError| error.class == ErrorClass::Connection;
    if failures.is_empty() || !failures.iter().all(unconnected) {
        let out = |error: &CallError| error.class == ErrorClass::ServerError || unconnected(error);
        return match failures.iter().any(out) {
            true => Verdict::Outage,
            false => Verdict::Fail,
        };
    }
    let shortage = failures.iter().find_map(|error| Shortage::find(error));
    shortage.map_or(Verdict::Unreachable, Verdict::Shortage)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        max_wait: Duration::from_secs(10),
        base_wait: Duration::from_millis(500),
        max_attempts: 4,
        default_snooze: Duration::from_secs(30),
    };

    fn state(attempts: u32, waited_s: u64, has_fallback: bool) -> CallState {
        CallState {
            has_schema: false,
            attempts,
            waited: Duration::from_secs(waited_s),
            remaining: None,
            has_fallback,
        }
    }

    fn error(class: ErrorClass, retry_after_s: Option<u64>) -> CallError {
        CallError::new(class, "").with_retry_after(retry_after_s.map(Duration::from_secs))
    }

    #[test]
    fn short_waits_are_waited_and_long_ones_are_not() {
        use ErrorClass::{Overloaded, RateLimited};
        let ms = Duration::from_millis;
        let cases = [
            (
                state(1, 0, false),
                error(Overloaded, None),
                Decision::Retry(ms(250)),
            ),
            (
                state(3, 0, false),
                error(Overloaded, None),
                Decision::Retry(ms(1000)),
            ),
            (state(4, 0, false), error(Overloaded, None), Decision::Stop),
            (
                state(1, 0, true),
                error(RateLimited, Some(5)),
                Decision::Retry(ms(5250)),
            ),
            (
                state(2, 6, true),
                error(RateLimited, Some(5)),
                Decision::FallBack,
            ),
            (
                state(1, 0, true),
                error(RateLimited, Some(60)),
                Decision::FallBack,
            ),
            (
                state(1, 0, false),
                error(RateLimited, Some(60)),
                Decision::Stop,
            ),
        ];
        for (state, error, expected) in cases {
            assert_eq!(
                decide(&POLICY, &state, &error, 0.5),
                expected,
                "{state:?} {error}"
            );
        }
    }

    #[test]
    fn every_class_ends_somewhere() {
        for &class in ErrorClass::ALL {
            for has_fallback in [false, true] {
                let end = if has_fallback {
                    Decision::FallBack
                } else {
                    Decision::Stop
                };
                assert_eq!(
                    decide(
                        &POLICY,
                        &state(4, 0, has_fallback),
                        &error(class, None),
                        0.9
                    ),
                    end
                );
            }
        }
    }

    #[test]
    fn empty_and_malformed_are_tried_twice_and_hopeless_classes_once() {
        for &class in ErrorClass::ALL {
            let first = decide(&POLICY, &state(1, 0, false), &error(class, None), 0.0);
            let second = decide(&POLICY, &state(2, 0, false), &error(class, None), 0.0);
            let tries = match (first, second) {
                (Decision::Stop, _) => 1,
                (_, Decision::Stop) => 2,
                _ => 3,
            };
            let expected = match class {
                ErrorClass::Empty | ErrorClass::Malformed => 2,
                ErrorClass::RateLimited
                | ErrorClass::Overloaded
                | ErrorClass::ServerError
                | ErrorClass::Connection => 3,
                _ => 1,
            };
            assert_eq!(tries, expected, "{class}");
        }
    }

    #[test]
    fn no_wait_reaches_past_the_callers_deadline() {
        let mut at = state(1, 0, false);
        at.remaining = Some(Duration::from_secs(2));
        assert_eq!(
            decide(&POLICY, &at, &error(ErrorClass::RateLimited, Some(3)), 0.0),
            Decision::Stop
        );
        let rate_limited = error(ErrorClass::RateLimited, Some(1));
        at.remaining = Some(Duration::from_millis(1_200));
        assert_eq!(decide(&POLICY, &at, &rate_limited, 0.0), Decision::Stop);
        at.remaining = Some(Duration::from_millis(1_300));
        assert_eq!(
            decide(&POLICY, &at, &rate_limited, 0.0),
            Decision::Retry(Duration::from_secs(1))
        );
        at.has_fallback = true;
        at.remaining = Some(Duration::ZERO);
        assert_eq!(
            decide(&POLICY, &at, &error(ErrorClass::Timeout, None), 0.0),
            Decision::Stop,
            "nobody waits for a fallback's answer"
        );
    }

    #[test]
    fn a_question_is_snoozed_until_the_first_model_is_back() {
        use ErrorClass::{Auth, Overloaded, RateLimited};
        let s = Duration::from_secs;
        let end = |errors: &[CallError]| verdict(&POLICY, errors, 0.0);
        assert_eq!(
            end(&[
                error(RateLimited, Some(60)),
                error(Auth, None),
                error(RateLimited, Some(90))
            ]),
            Verdict::Snooze(s(60))
        );
        assert_eq!(end(&[error(Overloaded, None)]), Verdict::Snooze(s(30)));
        assert_eq!(end(&[error(Auth, None)]), Verdict::Fail);
        assert_eq!(
            verdict(&POLICY, &[error(RateLimited, Some(60))], 1.0),
            Verdict::Snooze(s(66))
        );
    }

    #[test]
    fn models_that_no_connection_reaches_are_not_judged() {
        use ErrorClass::Connection;
        let end = |errors: &[CallError]| verdict(&POLICY, errors, 0.0);
        let out_of_files = || CallError {
            source: Some(Box::new(std::io::Error::from_raw_os_error(24))),
            ..error(Connection, None)
        };
        assert_eq!(
            end(&[error(Connection, None), error(Connection, None)]),
            Verdict::Unreachable
        );
        assert_eq!(
            end(&[error(Connection, None), out_of_files()]),
            Verdict::Shortage(Shortage::ProcessFiles)
        );
        assert_eq!(end(&[]), Verdict::Fail);
    }

    #[test]
    fn a_model_that_fails_is_an_outage_and_no_limit() {
        use ErrorClass::{Auth, Connection, RateLimited, ServerError};
        let end = |classes: &[ErrorClass]| {
            let errors: Vec<_> = classes.iter().map(|class| error(*class, None)).collect();
            verdict(&POLICY, &errors, 0.0)
        };
        assert_eq!(end(&[ServerError]), Verdict::Outage);
        assert_eq!(end(&[Auth, ServerError]), Verdict::Outage);
        assert_eq!(end(&[Connection, Auth]), Verdict::Outage);
        let limited = Verdict::Snooze(POLICY.default_snooze);
        assert_eq!(end(&[ServerError, RateLimited]), limited);
    }
}
