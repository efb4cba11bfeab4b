//! Schemas of single values. The loader reads the file's scalars as texts, so each type also accepts a quoted value and
//! a `${VAR}` template.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// A pattern that a text with a template matches.
const TEMPLATE: &str = r"\$\{";

/// Implements [`JsonSchema`] for a type whose schema is inlined where it is used.
macro_rules! inline {
    ([$($generics:tt)*] $type:ty, $name:literal, $schema:expr) => {
        impl<$($generics)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// Any scalar, read as a text.
pub(super) struct Text;
inline!([] Text, "Text", json_schema!({"type": ["string", "number", "boolean"]}));

/// Any value.
pub(super) struct Anything;
inline!([] Anything, "Anything", json_schema!(true));

/// A list of texts with at least one entry.
pub(super) type Texts = List<Text>;

/// A list with at least one entry.
pub(super) struct List<T>(PhantomData<T>);
impl<T: JsonSchema> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "List".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({"type": "array", "minItems": 1, "items": items})
    }
}

/// Entries by name. An entry without a body is `null`.
pub(super) type Entries<T> = BTreeMap<String, Option<T>>;

/// `true` or `false`, and YAML 1.1's other words for them.
pub(super) struct Flag;
inline!([] Flag, "Flag", json_schema!({
    "type": ["boolean", "string"],
    "pattern": one_of(["true", "false", "yes", "no", "on", "off"].map(any_case)),
}));

/// A whole number within a range; `_` may group its digits.
pub(crate) struct Whole<const MIN: i64, const MAX: i64>;
impl<const MIN: i64, const MAX: i64> Whole<MIN, MAX> {
    /// The same range, for the reader of the key.
    pub(crate) const RANGE: RangeInclusive<i64> = MIN..=MAX;
}
inline!([const MIN: i64, const MAX: i64] Whole<MIN, MAX>, "Whole", json_schema!({
    "type": ["integer", "string"],
    "minimum": MIN,
    "maximum": MAX,
    "pattern": one_of([r"\+?[0-9_]+".to_owned()]),
}));

/// A number within a range.
pub(crate) struct Number<const MIN: i64, const MAX: i64>;
impl<const MIN: i64, const MAX: i64> Number<MIN, MAX> {
    /// The same range, for the reader of the key.
    pub(crate) const RANGE: RangeInclusive<f64> = MIN as f64..=MAX as f64;
}
inline!([const MIN: i64, const MAX: i64] Number<MIN, MAX>, "Number", json_schema!({
    "type": ["number", "string"],
    "minimum": MIN,
    "maximum": MAX,
    "pattern": one_of([r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?".to_owned()]),
}));

/// A length of time, e.g. `90s`, `1h 30m`; a number means seconds.
pub(super) struct Length;
inline!([] Length, "Length", json_schema!({
    "type": ["string", "number"],
    "exclusiveMinimum": 0,
    "pattern": format!(r"^\s*[0-9.+]|{TEMPLATE}"),
    "examples": ["500ms", "90s", "10m", "1h 30m", "7d"],
}));

/// The name of an environment variable, not its value. YAML reads some names as booleans.
pub(super) struct Variable;
inline!([] Variable, "Variable", json_schema!({
    "type": ["string", "boolean"],
    "pattern": one_of(["[A-Za-z_][A-Za-z0-9_]*".to_owned()]),
}));

/// One of a few words.
pub(super) struct Word<W>(PhantomData<W>);

/// The words that a [`Word`] can be.
pub(super) trait Words {
    const WORDS: &'static [&'static str];
    /// Whether case, and `_` in place of `-`, are ignored.
    const LOOSE: bool = false;
}

inline!([W: Words] Word<W>, "Word", {
    let loose = W::LOOSE.then(|| W::WORDS.iter().map(|word| any_case(word)));
    let pattern = one_of(loose.into_iter().flatten());
    json_schema!({
        "anyOf": [{"enum": W::WORDS}, {"type": "string", "pattern": pattern}],
    })
});

/// The words of a table of words and their meanings.
pub(super) const fn words_of<T: Copy, const N: usize>(
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

/// Declares a set of words.
macro_rules! words {
    ($name:ident, $words:expr) => {
        pub(super) struct $name;
        impl $crate::schema::scalars::Words for $name {
            const WORDS: &'static [&'static str] = &$words;
        }
    };
}
pub(super) use words;

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
