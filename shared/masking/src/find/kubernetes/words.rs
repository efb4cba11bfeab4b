//! Words of Secrets.

/// Whether `kind` is that of a Secret or of a list of them.
pub(super) const fn is_kind(kind: &[u8]) -> bool {
    matches!(kind, b"Secret" | b"secret" | b"SecretList")
}

/// Whether `key` holds a Secret's values.
pub(super) const fn is_payload(key: &[u8]) -> bool {
    matches!(key, b"data" | b"stringData")
}
