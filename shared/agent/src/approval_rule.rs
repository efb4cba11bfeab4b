//! Rules for which tool calls a person must approve, and the decisions about them.

use serde::Serialize;
use serde_json::Value;
use tarsy_model::EffectClass;

/// Rule for which calls of a server need approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalRule {
    /// Calls of destructive tools.
    Destructive,
    /// All calls.
    All,
    /// Calls of these tools.
    Tools(Vec<String>),
}

impl ApprovalRule {
    /// Returns whether a call of the tool needs approval.
    pub(crate) fn covers(&self, tool: &str, effect: EffectClass) -> bool {
        match self {
            Self::Destructive => effect == EffectClass::Destructive,
            Self::All => true,
            Self::Tools(tools) => tools.iter().any(|listed| listed == tool),
        }
    }
}

/// A call that waits for approval, as it is shown to people. Its record is masked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallToApprove {
    /// Position among all interactions of the stage. It identifies the call when the stage is resumed.
    pub sequence: i32,
    /// Server id.
    pub server: String,
    /// Tool name at the server.
    pub tool: String,
    /// Arguments.
    pub arguments: Value,
    /// Effect of the tool on the outside world.
    pub effect: EffectClass,
    /// The model's text with the call, or else its reasoning.
    pub thought: Option<String>,
}

/// Decision about a call that needed approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallDecision {
    /// The call is made, once.
    Approved,
    /// The call is not made.
    Refused {
        /// Who refused it and why, as text for the model.
        why: String,
    },
}

#[cfg(test)]
mod tests {
    use super::ApprovalRule::{All, Destructive, Tools};
    use tarsy_model::EffectClass::{self, ReadOnly};

    #[test]
    fn a_rule_covers_by_effect_or_by_name() {
        assert!(Destructive.covers("restart", EffectClass::Destructive));
        assert!(!Destructive.covers("list", ReadOnly));
        assert!(All.covers("list", ReadOnly));
        let named = Tools(vec!["list".into()]);
        assert!(named.covers("list", ReadOnly));
        assert!(!named.covers("lists", EffectClass::Destructive));
    }
}
