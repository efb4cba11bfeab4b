//! The forms in which a model replies.

use tarsy_model::{IterationStrategy, ReplyFormat};

use crate::decision_context::DecisionContext;

/// Form in which a model replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplyForm {
    /// The vendor's tool calling, and text for the conclusion.
    Native,
    /// One JSON object for each step, which the provider enforces.
    Json,
    /// Sections of text.
    Text,
}

impl ReplyForm {
    /// Returns the name of the form in records and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Json => "json",
            Self::Text => "text",
        }
    }

    /// Returns the default form of a strategy.
    pub(crate) const fn usual(strategy: IterationStrategy) -> Self {
        match strategy {
            IterationStrategy::Regular => Self::Native,
            _ => Self::Text,
        }
    }

    /// Returns the form that a stage begins with.
    pub(crate) fn first(context: &DecisionContext<'_>) -> Self {
        let (strategy, profile) = (context.brief.strategy, context.profile);
        match profile.reply_format {
            // A final analysis has no steps.
            _ if strategy == IterationStrategy::ReactFinalAnalysis => Self::Text,
            ReplyFormat::Auto => Self::usual(strategy),
            ReplyFormat::Native => Self::Native,
            ReplyFormat::Json if profile.enforces_schemas => Self::Json,
            ReplyFormat::Json | ReplyFormat::Text => Self::Text,
        }
    }

    /// Returns the form to try after this one has failed; `None` if there is no other.
    pub(crate) fn next(self, tried: &[Self], context: &DecisionContext<'_>) -> Option<Self> {
        let profile = context.profile;
        match self {
            Self::Native if profile.enforces_schemas => Some(Self::Json),
            Self::Native | Self::Json => Some(Self::Text),
            Self::Text => {
                let may = profile.enforces_schemas && profile.reply_format == ReplyFormat::Auto;
                (may && !tried.contains(&Self::Json)).then_some(Self::Json)
            }
        }
    }
}
