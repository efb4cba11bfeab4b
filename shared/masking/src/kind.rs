//! Names under which masked secrets are reported.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bytes::{self, DIGIT, UNDERSCORE, UPPER};

/// Replacement for a text that could not be masked.
pub const WITHHELD: &str =
    "[MASKED_WITHHELD: this text could not be masked safely and was withheld]";

/// Kind of a masked secret: the name of the built-in or custom pattern that matched, e.g. `github_token`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Kind(Cow<'static, str>);

/// Number of replaced spans by kind.
pub type Kinds = BTreeMap<Kind, usize>;

impl Kind {
    pub(crate) const fn built_in(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    pub(crate) fn custom(name: &str) -> Self {
        Self(Cow::Owned(name.to_owned()))
    }

    /// Returns the pattern's name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the replacement for this kind: `[MASKED_GITHUB_TOKEN]`.
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

/// Start of every built-in replacement.
pub(crate) const MARKER_START: &str = "[MASKED_";

/// Longest name in a replacement, in bytes.
const NAME_BYTES: usize = 64;

/// Returns the end of the replacement at `start`; `None` if the text only starts like one.
pub(crate) fn marker_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    if rest.starts_with(WITHHELD.as_bytes()) {
        return Some(start + WITHHELD.len());
    }
    let name = rest.strip_prefix(MARKER_START.as_bytes())?;
    let length = bytes::run(name, 0, UPPER | DIGIT | UNDERSCORE, NAME_BYTES);
    let closed = length > 0 && bytes::at(name, length) == b']';
    closed.then_some(start + MARKER_START.len() + length + 1)
}

/// Whether `text` consists of exactly one replacement.
pub(crate) fn is_marker(text: &[u8]) -> bool {
    marker_end(text, 0) == Some(text.len())
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
