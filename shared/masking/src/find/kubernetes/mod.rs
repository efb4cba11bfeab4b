//! Kubernetes Secrets: claims every value of `data` and `stringData`, no matter what it looks like. ConfigMaps stay as
//! they are.

mod json;
mod words;
mod yaml;

use crate::bytes;
use crate::context::Context;
use crate::pattern::Pattern;

/// Claims the values of all Secrets in the text. Scans JSON only if some kind is `quoted`.
pub(crate) fn scan(context: &mut Context<'_>, quoted: bool) {
    if context.set.has(Pattern::KubernetesSecret) {
        yaml::scan(context);
        if quoted {
            json::scan(context);
        }
    }
}

/// Longest distance between the start of a `kind` key and its value, in bytes.
const KEY_BYTES: usize = 64;

/// Whether the anchor at `start` may be the kind of a Secret: the key is shortly before it, or starts with it.
pub(crate) fn is_kind_of_secret(text: &[u8], start: usize) -> bool {
    let head = text.get(start.saturating_sub(KEY_BYTES)..start + 4);
    bytes::contains(head.unwrap_or_default(), b"kind")
}
