//! Policies of guardrails, as they are configured.

use serde::Serialize;
use tarsy_masking::MaskingConfig;

use crate::fields::Fields;
use crate::masking;

/// What a policy does with what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyAction {
    /// The text is not used at all.
    Deny,
    /// What matches is replaced.
    Redact,
    /// It is used as it is, and what matched is noted.
    Flag,
}

impl PolicyAction {
    /// Every action as it is written.
    pub(crate) const WORDS: [&str; 3] = ["deny", "redact", "flag"];

    /// As it is written.
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
    /// Its name in findings.
    pub name: String,
    /// What it does.
    pub action: PolicyAction,
    /// What it finds: groups, patterns and expressions of masking.
    #[serde(flatten)]
    pub finds: MaskingConfig,
}

/// Policies of a fleet that configures none: secrets and addresses of machines are redacted.
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

/// Read the list `guardrails`; `None` without one.
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
