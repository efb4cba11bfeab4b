//! Texts with filled-in templates, which are displayed without values from the environment.

use std::fmt;

use serde::{Serialize, Serializer};

/// A text of the configuration file with its `${VAR}` templates filled in.
///
/// It is displayed as written, so that values from the environment stay hidden: `--token ${TOKEN}` prints as exactly
/// that.
#[derive(Clone, PartialEq, Eq)]
pub struct Resolved {
    shown: String,
    value: String,
}

impl Resolved {
    /// Creates a text that is displayed as `shown` and has the value `value`.
    pub fn new(shown: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            shown: shown.into(),
            value: value.into(),
        }
    }

    /// Returns the text with its templates filled in.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the text in the form that may be shown.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Hides the value unless it comes from the environment. A secret that was written into the file itself is
    /// displayed as `[secret]`.
    #[must_use]
    pub(crate) fn secret(self) -> Self {
        let shown = if self.shown == self.value {
            "[secret]".to_owned()
        } else {
            self.shown
        };
        Self { shown, ..self }
    }
}

impl From<&str> for Resolved {
    fn from(value: &str) -> Self {
        Self::new(value, value)
    }
}

impl fmt::Debug for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown)
    }
}

impl fmt::Display for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Serialize for Resolved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::Resolved;

    #[test]
    fn no_output_shows_a_secret() {
        let token = Resolved::new("Bearer ${TOKEN}", "Bearer hunter2");
        assert_eq!(
            format!("{token} {token:?}"),
            "Bearer ${TOKEN} \"Bearer ${TOKEN}\""
        );
        assert_eq!(token.clone().secret().shown(), "Bearer ${TOKEN}");
        let literal = Resolved::from("Bearer hunter2").secret();
        assert_eq!(serde_json::to_string(&literal).unwrap(), "\"[secret]\"");
        assert_eq!(literal.value(), "Bearer hunter2");
    }
}
