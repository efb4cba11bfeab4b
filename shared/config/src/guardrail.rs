//! Guardrails: policies that are applied to the input and output of models.

use std::sync::Arc;

use serde_json::Value;
use tarsy_chain::{Guarded, Policies, RedactionFlag};
use tarsy_masking::{DEFAULT_GROUP, Masker, MaskingConfig};

use crate::{Config, Policy, PolicyAction};

/// The policies of a configuration, compiled.
///
/// If a policy can't be compiled, every text is denied. That can't happen with a configuration that was loaded.
#[derive(Clone, Debug)]
pub struct Guardrails {
    policies: Option<Vec<(String, PolicyAction, Masker)>>,
    drafts: Option<Arc<Masker>>,
}

impl Guardrails {
    /// Compiles the policies of a configuration.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        let compiled = config.guardrails.iter().map(|policy| {
            let masker = Masker::new(&policy.finds).ok()?;
            Some((policy.name.clone(), policy.action, masker))
        });
        Self {
            policies: compiled.collect(),
            drafts: masker_of_drafts(&config.guardrails).map(Arc::new),
        }
    }

    /// Returns the masker for a text that is shown before it is complete. `None`: no part of it may be shown, because a
    /// policy could deny the complete text.
    #[must_use]
    pub fn masker_of_drafts(&self) -> Option<Arc<Masker>> {
        self.drafts.clone()
    }
}

/// Builds one masker that finds everything that the redacting policies find.
fn masker_of_drafts(policies: &[Policy]) -> Option<Masker> {
    if policies
        .iter()
        .any(|policy| policy.action == PolicyAction::Deny)
    {
        return None;
    }
    let redacting = policies
        .iter()
        .filter(|policy| policy.action == PolicyAction::Redact);
    let mut all = MaskingConfig {
        enabled: false,
        ..MaskingConfig::default()
    };
    for finds in redacting
        .map(|policy| &policy.finds)
        .filter(|finds| finds.enabled)
    {
        all.enabled = true;
        if finds.pattern_groups.is_empty()
            && finds.patterns.is_empty()
            && finds.custom_patterns.is_empty()
        {
            all.pattern_groups.push(DEFAULT_GROUP.to_owned());
        }
        all.pattern_groups.extend_from_slice(&finds.pattern_groups);
        all.patterns.extend_from_slice(&finds.patterns);
        all.custom_patterns
            .extend_from_slice(&finds.custom_patterns);
    }
    Masker::new(&all).ok()
}

impl Policies for Guardrails {
    fn check(&self, value: &Value) -> Guarded {
        let denied = |flags| Guarded { value: None, flags };
        let Some(policies) = &self.policies else {
            return denied(Vec::new());
        };
        let (mut kept, mut flags, mut is_denied) = (value.clone(), Vec::new(), false);
        for (name, action, masker) in policies {
            // Search the original value: an earlier policy may have replaced the match in `kept`.
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
