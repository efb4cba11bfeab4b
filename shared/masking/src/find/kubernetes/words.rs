//! Words that identify Secrets and their values.

/// Whether `kind` is that of a Secret or of a list of Secrets.
pub(super) const fn is_kind(kind: &[u8]) -> bool {
    matches!(kind, b"Secret" | b"secret" | b"SecretList")
}

/// Whether `key` contains a Secret's values.
pub(super) const fn is_payload(key: &[u8]) -> bool {
    matches!(key, b"data" | b"stringData")
}
