//! Credentials, which never appear in output.

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, Serializer};

/// An API key, a token or another credential.
///
/// `Debug` and `Serialize` show a placeholder. [`Secret::expose`] returns the value. Dropping a secret overwrites its
/// memory.
#[derive(Clone, Default)]
pub struct Secret(SecretString);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into().into())
    }

    /// The value. Pass it only to the client that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether the value is empty or only white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.expose().trim().is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn no_output_shows_a_secret() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret:?}"), "[secret]");
        assert_eq!(
            serde_json::to_string(&Some(&secret)).ok().as_deref(),
            Some("\"[secret]\"")
        );
        assert_eq!(secret.clone().expose(), "hunter2");
        assert!(Secret::new(" \n").is_blank() && !secret.is_blank());
    }
}
