//! Typed arguments, which limit the characters of a value.

use serde::Deserialize;
use serde_json::Value;

/// Longest value, in bytes, that a template may allow.
const LONGEST: usize = 4_096;

/// A typed argument of a command or a request, as defined in a configuration file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Type of its values.
    #[serde(rename = "type")]
    pub kind: ArgumentType,
    /// Description for the model.
    #[serde(default)]
    pub description: String,
    /// The only allowed values. Default: all values of the type.
    #[serde(default)]
    pub one_of: Vec<String>,
    /// Smallest integer. Default: 0.
    #[serde(default)]
    pub min: i64,
    /// Largest integer. Default: 1,000,000.
    #[serde(default = "million")]
    pub max: i64,
    /// Longest text, in bytes. Default: 128.
    #[serde(default = "short")]
    pub max_length: usize,
}

const fn million() -> i64 {
    1_000_000
}

const fn short() -> usize {
    128
}

/// Type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentType {
    /// ASCII letters, digits and `._:@+=,-`.
    Word,
    /// An absolute path of words, without `..`.
    Path,
    /// A decimal integer within `min` and `max`.
    Integer,
    /// Any characters except control characters.
    Text,
}

impl ArgumentType {
    /// Returns the type's name in the configuration file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Path => "path",
            Self::Integer => "integer",
            Self::Text => "text",
        }
    }

    /// Returns the type with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Word, Self::Path, Self::Integer, Self::Text];
        all.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether all characters of a value are allowed by the type. An empty value, or one that looks like an option, is
    /// never accepted.
    #[must_use]
    pub fn accepts(self, value: &str) -> bool {
        if value.is_empty() || value.len() > LONGEST {
            return false;
        }
        match self {
            Self::Word => !value.starts_with('-') && value.bytes().all(is_word),
            Self::Path => {
                value.starts_with('/')
                    && value.bytes().all(|byte| is_word(byte) || byte == b'/')
                    && value.split('/').all(|part| part != "..")
            }
            // Accept only the canonical form, without leading zeros or a plus sign.
            Self::Integer => value.parse::<i64>().is_ok_and(|n| n.to_string() == value),
            Self::Text => !value.starts_with('-') && !value.chars().any(is_control),
        }
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'.' | b'_' | b':' | b'@' | b'+' | b'=' | b',' | b'-')
}

/// Whether a character is a control character, or changes how a line is shown to the person who approves it.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl Argument {
    /// Returns the mistake in the definition, if there is one.
    #[must_use]
    pub fn mistake(&self) -> Option<String> {
        if self.max_length == 0 || self.max_length > LONGEST {
            return Some(format!("`max_length` is from 1 to {LONGEST}"));
        }
        if self.min > self.max {
            return Some("`min` is greater than `max`".to_owned());
        }
        let bad = self.one_of.iter().find(|value| !self.kind.accepts(value))?;
        Some(format!(
            "`{bad}` is no value of type `{}`",
            self.kind.name()
        ))
    }

    /// Returns the value as text.
    ///
    /// # Errors
    ///
    /// A description of the accepted values, if this value is not one of them.
    pub fn rendered(&self, value: &Value) -> Result<String, String> {
        let text = match (self.kind, value) {
            (ArgumentType::Integer, Value::Number(number)) => number.to_string(),
            (_, Value::String(text)) => text.clone(),
            _ => return Err(self.expected()),
        };
        let is_fine = self.kind.accepts(&text)
            && text.len() <= self.max_length
            && (self.kind != ArgumentType::Integer || self.is_in_range(&text))
            && (self.one_of.is_empty() || self.one_of.contains(&text));
        is_fine.then_some(text).ok_or_else(|| self.expected())
    }

    fn is_in_range(&self, text: &str) -> bool {
        text.parse()
            .is_ok_and(|n| (self.min..=self.max).contains(&n))
    }

    /// Describes the accepted values, for the sender of a value that is not accepted.
    #[must_use]
    pub fn expected(&self) -> String {
        if !self.one_of.is_empty() {
            return format!("one of {}", self.one_of.join(", "));
        }
        let value = match self.kind {
            ArgumentType::Integer => {
                return format!("an integer from {} to {}", self.min, self.max);
            }
            ArgumentType::Word => {
                "a word of letters, digits and ._:@+=,- that does not begin with -"
            }
            ArgumentType::Path => "an absolute path without .. or spaces",
            ArgumentType::Text => "a text without control characters that does not begin with -",
        };
        format!("{value}, at most {} bytes", self.max_length)
    }
}
