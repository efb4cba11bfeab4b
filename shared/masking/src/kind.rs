//! The name under which a masked secret is reported.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What a masked span was: the name of the built-in or custom pattern that matched, e.g. `github_token`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Kind(Cow<'static, str>);

/// How many spans of each kind were replaced.
pub type Kinds = BTreeMap<Kind, usize>;

impl Kind {
    pub(crate) const fn built_in(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    pub(crate) fn custom(name: &str) -> Self {
        Self(Cow::Owned(name.to_owned()))
    }

    /// The pattern's name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The replacement for this kind: `[MASKED_GITHUB_TOKEN]`.
    #[must_use]
    pub fn marker(&self) -> String {
        let name: String = self
            .0
            .chars()
            .map(|c| {
                if c == '-' {
                    '_'
                } else {
                    c.to_ascii_uppercase()
                }
            })
            .collect();
        format!("{MARKER_START}{name}]")
    }
}

/// How every built-in replacement starts; text behind it is never looked at again.
pub(crate) const MARKER_START: &str = "[MASKED_";

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
