//! Observes an answer while the provider sends it.

use std::sync::Arc;

use tarsy_model::AnswerPart;

/// Receives an answer in pieces. The pieces are for display only; the reply at the end counts.
pub trait AnswerObserver: Send + Sync {
    /// Called before a model is asked. Pieces of an earlier attempt are void.
    fn attempt(&self);
    /// Called with the next piece of a part. The text is unmasked and cut where the provider cut it.
    fn piece(&self, part: AnswerPart, text: &str);
}

/// The observer of one request. Without an observer, the provider is asked for the whole answer at once.
#[derive(Clone, Default)]
pub struct AnswerStream(Option<Arc<dyn AnswerObserver>>);

impl AnswerStream {
    /// Creates a stream that passes its pieces to `observer`.
    #[must_use]
    pub fn to(observer: Arc<dyn AnswerObserver>) -> Self {
        Self(Some(observer))
    }

    /// Whether there is an observer.
    #[must_use]
    pub const fn is_observed(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn attempt(&self) {
        if let Some(observer) = &self.0 {
            observer.attempt();
        }
    }

    pub(crate) fn piece(&self, part: AnswerPart, text: &str) {
        if let Some(observer) = &self.0
            && !text.is_empty()
        {
            observer.piece(part, text);
        }
    }
}

impl std::fmt::Debug for AnswerStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AnswerStream")
            .field(&self.is_observed())
            .finish()
    }
}
