//! Which tool calls a person must approve, and what was decided.

use serde::Serialize;
use serde_json::Value;
use tarsy_model::EffectClass;

/// Which calls of a server need approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalRule {
    /// Those of destructive tools.
    Destructive,
    /// All.
    All,
    /// Those of these tools.
    Tools(Vec<String>),
}

impl ApprovalRule {
    /// Whether a call of the tool needs approval.
    pub(crate) fn covers(&self, tool: &str, effect: EffectClass) -> bool {
        match self {
            Self::Destructive => effect == EffectClass::Destructive,
            Self::All => true,
            Self::Tools(tools) => tools.iter().any(|listed| listed == tool),
        }
    }
}

/// A call that waits for approval, as it is shown to people. What is recorded of it is masked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallToApprove {
    /// Position among all interactions of the stage: names the call when the stage is resumed.
    pub sequence: i32,
    /// Server id.
    pub server: String,
    /// Tool name at the server.
    pub tool: String,
    /// Arguments.
    pub arguments: Value,
    /// What the tool does to the world.
    pub effect: EffectClass,
    /// What the model said before it.
    pub thought: Option<String>,
}

/// How the approval of a call was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallDecision {
    /// It is made, once.
    Approved,
    /// It is not made.
    Refused {
        /// By whom and why, for the model.
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
