//! What stands for a secret that is elsewhere.

use crate::bytes::{self, DASH, DOTTED, LOWER, PLUS, SLASH};
use crate::shape;

/// Points to where the secret is: a path, a URL, an ARN, a vault reference, an encrypted value.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"http://",
        b"https://",
        b"arn:",
        b"op://",
        b"vault:",
        b"ref+",
        b"file:",
        b"env:",
        b"secretref:",
        b"gcpsm://",
        b"awssm://",
        b"enc[",
        b"projects/",
        b"ssm:",
        b"keyvault",
        b"@microsoft.keyvault",
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"!vault",
        b"$ansible_vault",
        b"!secret",
        b"!ref",
        b"!sub",
        b"valuefrom",
        b"secretkeyref",
        b"data.",
        b"var.",
        b"local.",
        b"module.",
        b"system.getenv",
        b"sha256:",
        b"sha512-",
        b"sha1-",
        b"sha384-",
        b"sha256-",
        b"urn:",
        b"spiffe://",
    ];
    if STARTS.iter().any(|start| bytes::has_at(value, 0, start)) {
        return true;
    }
    let drive = bytes::at(value, 1) == b':' && matches!(bytes::at(value, 2), b'\\' | b'/');
    let rooted = value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/");
    // `#forgot-password` of a stylesheet.
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
