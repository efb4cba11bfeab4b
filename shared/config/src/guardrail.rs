//! Guardrails: policies over what a model is told and what it says.

use serde_json::Value;
use tarsy_chain::{Guarded, Policies, RedactionFlag};
use tarsy_masking::Masker;

use crate::{Config, PolicyAction};

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
