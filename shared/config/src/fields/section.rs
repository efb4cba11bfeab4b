//! Sections of the configuration file: mappings whose keys are known.
//!
//! `section!` declares each key of a section once, with the type of its value and a text for people. The reader of the
//! section, its JSON Schema and `docs/CONFIGURATION.md` use the declaration, so they can't differ.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Map;

use super::Fields;

/// A key of a section, with the type of its value.
pub(crate) struct Field<T> {
    name: &'static str,
    value: PhantomData<fn() -> T>,
}

/// A value that a field can have: how it is described and how it is read.
pub(crate) trait FieldValue: JsonSchema {
    /// Whether a section without the field is a mistake.
    const REQUIRED: bool = false;

    /// What a reader gets.
    type Read<'a>;

    /// Reads the value of `key`. Returns `None` if the key is missing or null, and after a problem was reported.
    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<Self::Read<'a>>;
}

/// A mapping whose keys are known.
pub(crate) trait Section: FieldValue {
    /// What messages call an entry of this kind, e.g. `agent`.
    const LABEL: &'static str;
    /// The keys, in the order of the documentation.
    const NAMES: &'static [&'static str];
}

impl<T> Field<T> {
    /// Creates a field from the identifier of its key. `r#type` is the key `type`.
    pub(crate) const fn new(identifier: &'static str) -> Self {
        let name = match identifier.as_bytes() {
            [b'r', b'#', name @ ..] => match str::from_utf8(name) {
                Ok(name) => name,
                Err(_) => identifier,
            },
            _ => identifier,
        };
        Self {
            name,
            value: PhantomData,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        self.name
    }
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

impl<T> AsRef<str> for Field<T> {
    fn as_ref(&self) -> &str {
        self.name
    }
}

impl<T> fmt::Display for Field<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The value of a field that must be set.
pub(crate) struct Required<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Required<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: FieldValue> FieldValue for Required<T> {
    const REQUIRED: bool = true;
    type Read<'a> = T::Read<'a>;

    fn read<'a>(fields: &Fields<'a>, key: &'static str) -> Option<T::Read<'a>> {
        T::read(fields, key)
    }
}

/// Builds the schema of a section.
pub(crate) struct SectionSchema<'g> {
    generator: &'g mut SchemaGenerator,
    properties: Map<String, serde_json::Value>,
    required: Vec<&'static str>,
}

impl<'g> SectionSchema<'g> {
    pub(crate) fn new(generator: &'g mut SchemaGenerator) -> Self {
        Self {
            generator,
            properties: Map::new(),
            required: Vec::new(),
        }
    }

    /// Adds a field. `lines` are those of its documentation.
    pub(crate) fn add<T: FieldValue>(&mut self, field: Field<T>, lines: &[&str]) {
        let mut schema = match T::REQUIRED {
            true => self.generator.subschema_for::<T>(),
            false => self.generator.subschema_for::<Option<T>>(),
        };
        schema.insert("description".to_owned(), described(lines).into());
        self.properties.insert(field.name.to_owned(), schema.into());
        if T::REQUIRED {
            self.required.push(field.name);
        }
    }

    /// Returns the schema. If `any_of` is not empty, one of these keys must be set.
    pub(crate) fn finish(self, lines: &[&str], any_of: &[&str]) -> Schema {
        let mut schema = json_schema!({
            "description": described(lines),
            "type": "object",
            "properties": self.properties,
            "additionalProperties": false,
        });
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.into());
        }
        if !any_of.is_empty() {
            let one = |key| serde_json::json!({"required": [key]});
            let alternatives: Vec<_> = any_of.iter().map(one).collect();
            schema.insert("anyOf".to_owned(), alternatives.into());
        }
        schema
    }
}

/// Joins the lines of a doc comment.
fn described(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ")
}

/// Declares a section: its type, the name of its schema, what messages call an entry (if it is one of several), and its
/// fields with their documentation. `any of a, b` says that one of these keys must be set.
///
/// The compiler warns about a field that no reader reads. Therefore the code below never reads one.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        struct $name:ident($schema_name:literal $(, $label:literal)?) $(any of $($any:ident),+)? {
            $($(#[doc = $doc:literal])+ $field:ident: $value:ty,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy)]
        pub(crate) struct $name {
            $($(#[doc = $doc])+ pub(crate) $field: $crate::fields::Field<$value>,)+
        }

        impl $name {
            pub(crate) const FIELDS: Self = Self {
                $($field: $crate::fields::Field::new(stringify!($field)),)+
            };
        }

        impl $crate::fields::Section for $name {
            const LABEL: &'static str = concat!($($label)?);
            const NAMES: &'static [&'static str] =
                &[$($crate::fields::Field::<$value>::new(stringify!($field)).name()),+];
        }

        impl $crate::fields::FieldValue for $name {
            type Read<'a> = $crate::fields::Fields<'a>;

            fn read<'a>(
                fields: &$crate::fields::Fields<'a>,
                key: &'static str,
            ) -> Option<$crate::fields::Fields<'a>> {
                fields.section::<Self>(key)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema_name.into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = $crate::fields::section::SectionSchema::new(generator);
                $(schema.add(
                    $crate::fields::Field::<$value>::new(stringify!($field)),
                    &[$($doc),+],
                );)+
                schema.finish(&[$($about),+], &[$($(stringify!($any)),+)?])
            }
        }
    };
}
pub(crate) use section;
