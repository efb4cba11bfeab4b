//! The forms in which a model replies.

use tarsy_model::{IterationStrategy, ReplyFormat};

use crate::decision_context::DecisionContext;

/// How a model replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplyForm {
    /// By the vendor's tool calling, and text for the conclusion.
    Native,
    /// By one JSON object for each step, which the provider enforces.
    Json,
    /// By sections of text.
    Text,
}

impl ReplyForm {
    /// The word in records and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Json => "json",
            Self::Text => "text",
        }
    }

    /// The form that a strategy has always had.
    pub(crate) const fn usual(strategy: IterationStrategy) -> Self {
        match strategy {
            IterationStrategy::Regular => Self::Native,
            _ => Self::Text,
        }
    }

    /// The form that a stage begins with.
    pub(crate) fn first(context: &DecisionContext<'_>) -> Self {
        let (strategy, profile) = (context.brief.strategy, context.profile);
        match profile.reply_format {
            // It takes no step.
            _ if strategy == IterationStrategy::ReactFinalAnalysis => Self::Text,
            ReplyFormat::Auto => Self::usual(strategy),
            ReplyFormat::Native => Self::Native,
            ReplyFormat::Json if profile.enforces_schemas => Self::Json,
            ReplyFormat::Json | ReplyFormat::Text => Self::Text,
        }
    }

    /// The form after this one has failed; `None`: there is no other.
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
