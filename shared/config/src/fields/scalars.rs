//! Values that are one text in the file. The loader reads every scalar as a text, so each type also accepts a quoted
//! value and a `${VAR}` template.

use std::marker::PhantomData;
use std::time::Duration;

use schemars::{JsonSchema, json_schema};

use super::{FieldValue, Fields, Text};
use crate::problem::Position;
use crate::yaml::Value;
use crate::{Resolved, suggest, units};

/// A pattern that a text with a template matches.
const TEMPLATE: &str = r"\$\{";

/// A value that is one text in the file.
pub(crate) trait Scalar: JsonSchema {
    /// What a reader gets.
    type Read;

    /// Parses the text as written at a position. Returns `None` after a problem was reported.
    fn parse(fields: &Fields<'_>, key: &str, written: &str, at: Position) -> Option<Self::Read>;
}

impl<S: Scalar> FieldValue for S {
    type Read<'a> = S::Read;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<S::Read> {
        let node = fields.node(key)?;
        match &node.value {
            Value::Scalar { text, .. } => S::parse(fields, key, text, node.at),
            _ => {
                fields.problem(
                    key,
                    format!("`{key}` must be a single value, not {}", node.kind()),
                    "write one value",
                );
                None
            }
        }
    }
}

/// Implements [`JsonSchema`] for a type whose schema is inlined where it is used.
macro_rules! inlined {
    ([$($generics:tt)*] $type:ty, $name:literal, |$generator:ident| $schema:expr) => {
        impl<$($generics)*> schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema($generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
    ([$($generics:tt)*] $type:ty, $name:literal, $schema:expr) => {
        $crate::fields::scalars::inlined!([$($generics)*] $type, $name, |_generator| $schema);
    };
}
pub(crate) use inlined;

impl Fields<'_> {
    fn resolve(&self, written: &str, at: Position) -> Text {
        Text {
            resolved: Resolved::new(written, self.context.resolve(written, at)),
            at,
        }
    }

    /// Parses a text, or reports that its value is invalid.
    fn parsed<T>(
        &self,
        key: &str,
        (written, at): (&str, Position),
        wanted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.resolve(written, at);
        let parsed = parse(text.value());
        if parsed.is_none() {
            let message = format!("`{key}`: invalid value `{}`", text.shown());
            let hint = format!("expected {wanted}");
            self.context.report(at, message, Some(hint));
        }
        parsed
    }
}

inlined!([] Text, "Text", json_schema!({"type": ["string", "number", "boolean"]}));

impl Scalar for Text {
    type Read = Self;

    fn parse(fields: &Fields<'_>, _: &str, written: &str, at: Position) -> Option<Self> {
        Some(fields.resolve(written, at))
    }
}

/// A text in which `$` has no special meaning, e.g. a regular expression.
pub(crate) struct Verbatim;
inlined!([] Verbatim, "Verbatim", json_schema!({"type": ["string", "number", "boolean"]}));

impl Scalar for Verbatim {
    type Read = String;

    fn parse(_: &Fields<'_>, _: &str, written: &str, _: Position) -> Option<String> {
        Some(written.to_owned())
    }
}

/// `true` or `false`, and YAML 1.1's other words for them.
pub(crate) struct Flag;
inlined!([] Flag, "Flag", json_schema!({
    "type": ["boolean", "string"],
    "pattern": one_of(["true", "false", "yes", "no", "on", "off"].map(any_case)),
    "examples": [true, false],
}));

impl Scalar for Flag {
    type Read = bool;

    fn parse(fields: &Fields<'_>, key: &str, written: &str, at: Position) -> Option<bool> {
        fields.parsed(key, (written, at), "`true` or `false`", |text| {
            match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            }
        })
    }
}

/// A whole number within a range; `_` may group its digits.
pub(crate) struct Whole<const MIN: i64, const MAX: i64, T>(PhantomData<T>);
inlined!([const MIN: i64, const MAX: i64, T] Whole<MIN, MAX, T>, "Whole", json_schema!({
    "type": ["integer", "string"],
    "minimum": MIN,
    "maximum": MAX,
    "pattern": one_of([r"\+?[0-9_]+".to_owned()]),
}));

impl<const MIN: i64, const MAX: i64, T: TryFrom<i64>> Scalar for Whole<MIN, MAX, T> {
    type Read = T;

    fn parse(fields: &Fields<'_>, key: &str, written: &str, at: Position) -> Option<T> {
        let wanted = format!("a whole number from {MIN} to {MAX}");
        fields.parsed(key, (written, at), &wanted, |text| {
            let number: Option<i64> = text.replace('_', "").parse().ok();
            number
                .filter(|n| (MIN..=MAX).contains(n))
                .and_then(|n| n.try_into().ok())
        })
    }
}

/// A number within a range.
pub(crate) struct Number<const MIN: i64, const MAX: i64>;
inlined!([const MIN: i64, const MAX: i64] Number<MIN, MAX>, "Number", json_schema!({
    "type": ["number", "string"],
    "minimum": MIN,
    "maximum": MAX,
    "pattern": one_of([r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?".to_owned()]),
}));

impl<const MIN: i64, const MAX: i64> Scalar for Number<MIN, MAX> {
    type Read = f64;

    fn parse(fields: &Fields<'_>, key: &str, written: &str, at: Position) -> Option<f64> {
        let range = MIN as f64..=MAX as f64;
        let wanted = format!("a number from {MIN} to {MAX}");
        fields.parsed(key, (written, at), &wanted, |text| {
            text.parse().ok().filter(|n| range.contains(n))
        })
    }
}

/// A length of time, e.g. `90s`, `1h 30m`; a number means seconds.
pub(crate) struct Length;
inlined!([] Length, "Length", json_schema!({
    "type": ["string", "number"],
    "exclusiveMinimum": 0,
    "pattern": format!(r"^\s*[0-9.+]|{TEMPLATE}"),
    "examples": ["500ms", "90s", "10m", "1h 30m", "7d"],
}));

impl Scalar for Length {
    type Read = Duration;

    fn parse(fields: &Fields<'_>, key: &str, written: &str, at: Position) -> Option<Duration> {
        let wanted = "a length of time above 0, e.g. `500ms`, `90s`, `10m`, `1h 30m`, `7d`";
        fields.parsed(key, (written, at), wanted, |text| {
            units::duration(text).filter(|length| !length.is_zero())
        })
    }
}

/// The name of an environment variable, not its value. YAML reads some names as booleans.
pub(crate) struct Variable;
inlined!([] Variable, "Variable", json_schema!({
    "type": ["string", "boolean"],
    "pattern": one_of(["[A-Za-z_][A-Za-z0-9_]*".to_owned()]),
    "examples": ["MY_VARIABLE"],
}));

impl Scalar for Variable {
    type Read = String;

    /// The message does not repeat the text, because it could be a secret pasted in place of the name.
    fn parse(fields: &Fields<'_>, _: &str, written: &str, at: Position) -> Option<String> {
        let name = fields.resolve(written, at).into_string();
        let valid = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !valid {
            let hint = "write the variable's name, e.g. `OPENAI_API_KEY`, not its value".to_owned();
            let message = "invalid name of an environment variable".to_owned();
            fields.context.report(at, message, Some(hint));
        }
        valid.then_some(name)
    }
}

/// One of a few words.
pub(crate) struct Word<W>(PhantomData<W>);

/// The words that a [`Word`] can be.
pub(crate) trait Choice {
    /// What a word stands for.
    type Meaning;
    const WORDS: &'static [&'static str];
    /// Whether case, and `_` in place of `-`, are ignored.
    const LOOSE: bool = false;
    /// What the word names, for messages; `None`: messages name the key.
    const KIND: Option<&'static str> = None;

    fn meaning(text: &str) -> Option<Self::Meaning>;
}

inlined!([W: Choice] Word<W>, "Word", {
    let loose = W::LOOSE.then(|| W::WORDS.iter().map(|word| any_case(word)));
    let pattern = one_of(loose.into_iter().flatten());
    json_schema!({
        "anyOf": [{"enum": W::WORDS}, {"type": "string", "pattern": pattern}],
    })
});

impl<W: Choice> Scalar for Word<W> {
    type Read = W::Meaning;

    fn parse(fields: &Fields<'_>, key: &str, written: &str, at: Position) -> Option<W::Meaning> {
        let text = fields.resolve(written, at);
        let meaning = W::meaning(text.value());
        if meaning.is_none() {
            let message = match W::KIND {
                Some(kind) => format!("unknown {kind} `{}`", text.shown()),
                None => format!("`{key}`: invalid value `{}`", text.shown()),
            };
            let hint = suggest::known(text.value(), W::WORDS);
            fields.context.report(at, message, Some(hint));
        }
        meaning
    }
}

/// Returns the words of a table of words and their meanings.
pub(crate) const fn words_of<T: Copy, const N: usize>(
    table: &[(&'static str, T); N],
) -> [&'static str; N] {
    let mut words = [""; N];
    let mut index = 0;
    while index < N {
        words[index] = table[index].0;
        index += 1;
    }
    words
}

/// Returns what a word means by a table.
pub(crate) fn meaning_of<T: Copy>(table: &[(&str, T)], text: &str) -> Option<T> {
    let found = table.iter().find(|(word, _)| *word == text);
    found.map(|(_, meaning)| *meaning)
}

/// Declares what words a value can be. They stand in a table with their meanings, in a list of words that mean
/// themselves, or belong to a type that reads its own words.
macro_rules! choice {
    ($name:ty) => {
        $crate::fields::scalars::choice!($name: Self = *<$name>::WORDS, <$name>::from_word);
    };
    ($name:ty: $meaning:ty = $table:expr) => {
        $crate::fields::scalars::choice!(
            $name: $meaning = $crate::fields::scalars::words_of(&$table),
            |text| $crate::fields::scalars::meaning_of(&$table, text)
        );
    };
    ($name:ty: $meaning:ty = $words:expr, $read:expr) => {
        impl $crate::fields::scalars::Choice for $name {
            type Meaning = $meaning;
            const WORDS: &'static [&'static str] = &$words;

            fn meaning(text: &str) -> Option<$meaning> {
                ($read)(text)
            }
        }
    };
    (struct $name:ident = $words:expr) => {
        pub(crate) struct $name;
        impl $crate::fields::scalars::Choice for $name {
            type Meaning = &'static str;
            const WORDS: &'static [&'static str] = &$words;

            fn meaning(text: &str) -> Option<&'static str> {
                Self::WORDS.iter().find(|word| **word == text).copied()
            }
        }
    };
}
pub(crate) use choice;

/// A pattern for one of `patterns`, or for a text with a template.
fn one_of(patterns: impl IntoIterator<Item = String>) -> String {
    let patterns: Vec<String> = patterns.into_iter().collect();
    if patterns.is_empty() {
        TEMPLATE.to_owned()
    } else {
        format!("^({})$|{TEMPLATE}", patterns.join("|"))
    }
}

/// A pattern for `word` in any case, with `_` or `-`.
fn any_case(word: &str) -> String {
    let letter = |c: char| match c {
        '-' => "[-_]".to_owned(),
        c => format!("[{c}{}]", c.to_ascii_uppercase()),
    };
    word.chars().map(letter).collect()
}
