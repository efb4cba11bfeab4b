//! Kubernetes Secrets: every value of `data` and `stringData`, whatever it looks like. ConfigMaps stay.

mod json;
mod words;
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
