//! The states of a session and of a stage execution. `docs/STATES.md` draws them.

use serde::{Deserialize, Serialize};

/// Defines `ALL`, `WORDS`, `as_str`, `from_word` and `Display` of an enum whose values have words.
#[macro_export]
macro_rules! words {
    ($name:ident { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $name {
            /// Every value, in the order of the life cycle.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The words of all values, in the order of [`Self::ALL`].
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word used in JSON, in Postgres and on the screen.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Returns the value of a word, or `None` if it has none.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use crate::words;

/// Status of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "sqlx",
    derive(sqlx::Type),
    sqlx(type_name = "session_status", rename_all = "snake_case")
)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// Accepted and committed; no stage has begun.
    Pending,
    /// At least one stage has started.
    InProgress,
    /// Ended with an analysis.
    Completed,
    /// Ended without an analysis.
    Failed,
    /// Cancelled by a person.
    Cancelled,
}

words!(SessionStatus {
    Pending => "pending",
    InProgress => "in_progress",
    Completed => "completed",
    Failed => "failed",
    Cancelled => "cancelled",
});

impl SessionStatus {
    /// Whether the status is final. Only a replay can change it.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Outcome of an ended session, over all its stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "sqlx",
    derive(sqlx::Type),
    sqlx(type_name = "session_outcome", rename_all = "snake_case")
)]
#[serde(rename_all = "snake_case")]
pub enum SessionOutcome {
    /// Every stage completed.
    Completed,
    /// Some stages failed. The analysis is based on the others.
    Partial,
    /// No stage completed.
    Failed,
}

words!(SessionOutcome {
    Completed => "completed",
    Partial => "partial",
    Failed => "failed",
});

/// Rating of an answer by a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "sqlx",
    derive(sqlx::Type),
    sqlx(type_name = "answer_rating", rename_all = "snake_case")
)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRating {
    /// The answer is right.
    Right,
    /// The answer is partly right.
    PartlyRight,
    /// The answer is wrong.
    Wrong,
}

words!(AnswerRating {
    Right => "right",
    PartlyRight => "partly_right",
    Wrong => "wrong",
});

/// Result of checking a session's answer against its tool results. A program checks it, not a model.
///
/// See `docs/QUALITY.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionVerdict {
    /// The results contain everything that the root cause names.
    Supported,
    /// The results contain some of what the root cause names.
    PartlySupported,
    /// There are results, but none contains what the root cause names.
    Unsupported,
    /// No tool call succeeded although tools were offered.
    NotInvestigated,
    /// The answer itself states that no cause was found.
    Inconclusive,
    /// The answer states that nothing is wrong, and there are results.
    NoFault,
    /// There was nothing to check: no tools, no answer, or a session of an older version.
    NotChecked,
}

words!(SessionVerdict {
    Supported => "supported",
    PartlySupported => "partly_supported",
    Unsupported => "unsupported",
    NotInvestigated => "not_investigated",
    Inconclusive => "inconclusive",
    NoFault => "no_fault",
    NotChecked => "not_checked",
});

impl SessionVerdict {
    /// Whether the answer must not be presented as the result of an investigation.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Unsupported | Self::NotInvestigated)
    }
}

/// Status of one stage attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "sqlx",
    derive(sqlx::Type),
    sqlx(type_name = "stage_status", rename_all = "snake_case")
)]
#[serde(rename_all = "snake_case")]
pub enum StageStatus {
    /// Its row and its job exist, but no worker has taken it.
    Pending,
    /// A worker runs it, or crashed while running it and has not been replaced yet.
    Active,
    /// It waits for a person, a signal or a time, and holds no job, lease or slot.
    Waiting,
    /// Its agent concluded.
    Completed,
    /// Its agent could not conclude; the reason is in `error_message`.
    Failed,
    /// Its session was cancelled.
    Cancelled,
    /// It was not run: its condition was false, or everything that it needs was skipped.
    Skipped,
}

words!(StageStatus {
    Pending => "pending",
    Active => "active",
    Waiting => "waiting",
    Completed => "completed",
    Failed => "failed",
    Cancelled => "cancelled",
    Skipped => "skipped",
});

impl StageStatus {
    /// Whether this attempt has ended.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Skipped
        )
    }
}
