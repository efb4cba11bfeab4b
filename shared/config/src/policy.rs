//! Configuration of the policies of guardrails.

use serde::Serialize;
use tarsy_masking::MaskingConfig;
use tarsy_model::words;

use crate::fields::{Field, Fields, Flag, Required, Text, Texts, Word, choice, section};
use crate::masking::{self, CustomPatternFields, MaskingFields};

section! {
    /// A guardrail policy.
    struct PolicyFields("Policy", "policy") {
        /// Name of the policy in findings.
        name: Required<Text>,
        /// Action on text that matches.
        action: Required<Word<PolicyAction>>,
        /// Whether the policy applies. Default: true.
        enabled: Flag,
        /// Groups of patterns, e.g. `network`.
        pattern_groups: Texts,
        /// Individual patterns, e.g. `certificate`.
        patterns: Texts,
        /// Custom patterns.
        custom_patterns: Vec<CustomPatternFields>,
    }
}

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

words!(PolicyAction {
    Deny => "deny",
    Redact => "redact",
    Flag => "flag",
});
choice!(PolicyAction);

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
pub(crate) fn read(fields: &Fields<'_>, list: Field<Vec<PolicyFields>>) -> Option<Vec<Policy>> {
    let sections = fields.get(list)?;
    Some(sections.iter().filter_map(read_policy).collect())
}

fn read_policy(fields: &Fields<'_>) -> Option<Policy> {
    let keys = PolicyFields::FIELDS;
    let name = fields.require(keys.name, "it is what findings are listed under");
    let action = fields.require(
        keys.action,
        "it says what is done with what is found: `deny`, `redact` or `flag`",
    );
    let finds = MaskingFields {
        enabled: keys.enabled,
        pattern_groups: keys.pattern_groups,
        patterns: keys.patterns,
        custom_patterns: keys.custom_patterns,
    };
    let finds = masking::read(fields, finds);
    Some(Policy {
        name: name?.into_string(),
        action: action?,
        finds,
    })
}
