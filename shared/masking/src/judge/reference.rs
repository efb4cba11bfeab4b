//! References to a secret that is stored elsewhere.

use std::sync::LazyLock;

use crate::bytes::{self, DASH, DOTTED, LOWER, PLUS, SLASH};
use crate::data;
use crate::shape;
use crate::word_set::Prefixes;

static STARTS: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(data::values("reference")));

/// Whether the value refers to the location of a secret: a path, a URL, an ARN, a vault reference, an encrypted value.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    if STARTS.length_at(value, 0).is_some() {
        return true;
    }
    let drive = bytes::at(value, 1) == b':' && matches!(bytes::at(value, 2), b'\\' | b'/');
    let rooted = value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/");
    // `#forgot-password` in a stylesheet.
    let selector = value.strip_prefix(b"#").is_some_and(|name| {
        name.len() >= 3 && bytes::all(name, LOWER | DASH) && name.contains(&b'-')
    });
    drive
        || selector
        || (rooted
            && bytes::all(value, DOTTED | SLASH | PLUS)
            && (shape::looks_like_path(value) || value.len() < 24))
        || (value.contains(&b'/') && value.contains(&b'.') && shape::looks_like_path(value))
}
