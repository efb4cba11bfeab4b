//! Which tool calls a person must approve, and what was decided.

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
