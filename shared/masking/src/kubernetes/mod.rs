//! Kubernetes Secrets: every value of `data` and `stringData`, whatever it looks like. ConfigMaps stay.

mod json;
mod yaml;

use crate::context::Context;
use crate::pattern::Pattern;

/// Claims the values of all Secrets in the text.
pub(crate) fn scan(context: &mut Context<'_>) {
    if context.set.has(Pattern::KubernetesSecret) {
        yaml::scan(context);
        json::scan(context);
    }
}

/// Whether `kind` is that of a Secret or of a list of them.
const fn is_kind(kind: &[u8]) -> bool {
    matches!(kind, b"Secret" | b"secret" | b"SecretList")
}

/// Whether `key` holds a Secret's values.
const fn is_payload(key: &[u8]) -> bool {
    matches!(key, b"data" | b"stringData")
}
