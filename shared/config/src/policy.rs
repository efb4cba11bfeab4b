//! Configuration of the policies of guardrails.

use serde::Serialize;
use tarsy_masking::MaskingConfig;

use crate::fields::Fields;
use crate::masking;

/// Action of a policy on a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyAction {
    /// The text is not used at all.
    Deny,
    /// Matches are replaced.
    Redact,
    /// The text is used as it is, and the matches are recorded.
    Flag,
}

impl PolicyAction {
    /// The words of all actions in the configuration.
    pub(crate) const WORDS: [&str; 3] = ["deny", "redact", "flag"];

    /// Returns the word in the configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Redact => "redact",
            Self::Flag => "flag",
        }
    }
}

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Policy {
    /// Name of the policy in findings.
    pub name: String,
    /// What it does.
    pub action: PolicyAction,
    /// What it matches: groups, patterns and expressions of masking.
    #[serde(flatten)]
    pub finds: MaskingConfig,
}

/// Returns the policies that apply if none are configured: secrets and addresses of machines are redacted.
pub(crate) fn usual() -> Vec<Policy> {
    let redact = |name: &str, group: &str| Policy {
        name: name.to_owned(),
        action: PolicyAction::Redact,
        finds: MaskingConfig {
            pattern_groups: vec![group.to_owned()],
            ..MaskingConfig::default()
        },
    };
    vec![redact("secrets", "security"), redact("network", "network")]
}

/// Reads the list `guardrails`. Returns `None` if it is missing.
pub(crate) fn read(fields: &Fields<'_>) -> Option<Vec<Policy>> {
    let sections = fields.list_of_sections("guardrails", "policy");
    let policies = sections.iter().filter_map(read_policy).collect();
    fields.has("guardrails").then_some(policies)
}

fn read_policy(fields: &Fields<'_>) -> Option<Policy> {
    let name = fields.required("name", "it is what findings are listed under");
    let action = match fields.choice("action", &PolicyAction::WORDS) {
        Some("deny") => Some(PolicyAction::Deny),
        Some("redact") => Some(PolicyAction::Redact),
        Some(_) => Some(PolicyAction::Flag),
        None if fields.has("action") => None,
        None => {
            fields.problem_here(
                "`action` is missing".to_owned(),
                "it says what is done with what is found: `deny`, `redact` or `flag`",
            );
            None
        }
    };
    let finds = masking::read(fields);
    Some(Policy {
        name: name?,
        action: action?,
        finds,
    })
}
