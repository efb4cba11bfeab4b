//! Guardrails: policies over what a model is told and what it says.

use serde::Serialize;
use serde_json::Value;
use tarsy_chain::{Guarded, Policies, RedactionFlag};
use tarsy_masking::{Masker, MaskingConfig};

use crate::fields::Fields;
use crate::{Config, masking};

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

/// Read the list `guardrails`.
pub(crate) fn read(fields: &Fields<'_>) -> Vec<Policy> {
    let sections = fields.list_of_sections("guardrails", "policy");
    sections.iter().filter_map(read_policy).collect()
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

/// The policies of a configuration, compiled.
///
/// If one can't be used, it denies everything. A configuration that was loaded has none such.
#[derive(Clone, Debug)]
pub struct Guardrails(Option<Vec<(String, PolicyAction, Masker)>>);

impl Guardrails {
    /// The policies of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let compiled = config.guardrails.iter().map(|policy| {
            let masker = Masker::new(&policy.finds).ok()?;
            Some((policy.name.clone(), policy.action, masker))
        });
        Self(compiled.collect())
    }
}

impl Policies for Guardrails {
    fn check(&self, value: &Value) -> Guarded {
        let denied = |flags| Guarded { value: None, flags };
        let Some(policies) = &self.0 else {
            return denied(Vec::new());
        };
        let (mut kept, mut flags, mut is_denied) = (value.clone(), Vec::new(), false);
        for (name, action, masker) in policies {
            // What matches is looked for in what came: a policy before may have replaced it.
            let (_, kinds) = masker.mask_json(value);
            flags.extend(kinds.iter().map(|(kind, count)| RedactionFlag {
                policy: name.clone(),
                action: action.as_str().to_owned(),
                kind: kind.as_str().to_owned(),
                count: *count,
            }));
            match action {
                PolicyAction::Redact => kept = masker.mask_json(&kept).0,
                PolicyAction::Deny => is_denied |= !kinds.is_empty(),
                PolicyAction::Flag => {}
            }
        }
        match is_denied {
            true => denied(flags),
            false => Guarded {
                value: Some(kept),
                flags,
            },
        }
    }
}
