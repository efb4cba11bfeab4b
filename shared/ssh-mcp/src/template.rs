//! Templates: a program with fixed and typed arguments. Also the vectors that a group accepts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use tarsy_mcp_server::{Argument, ArgumentType, Effect};

use crate::error::{Error, Refusal};

/// A command line as written in the file: `lsblk -o NAME`, or a list of arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Written {
    Line(String),
    List(Vec<String>),
}

/// One element of an argument vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Literal(String),
    /// In a template, the argument with this name. In a group, any value of the type with this name.
    Slot(String),
}

impl Written {
    /// Returns the vector. A line is split at spaces; quotes and shell syntax are not supported in it.
    pub(crate) fn parts(&self, place: &str) -> Result<Vec<Part>, Error> {
        let words: Vec<String> = match self {
            Self::Line(line) => {
                if let Some(odd) = line
                    .chars()
                    .find(|c| "'\"\\`$;&|<>()*?[]~!#\n\t".contains(*c))
                {
                    let reason = format!("`{odd}` in a line: write a list of arguments");
                    return Err(Error::invalid(place, reason));
                }
                line.split(' ')
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect()
            }
            Self::List(words) => words.clone(),
        };
        if let Some(odd) = words.iter().find(|word| word.chars().any(char::is_control)) {
            return Err(Error::invalid(
                place,
                format!("control characters in {odd:?}"),
            ));
        }
        let part = |word: String| match word
            .strip_prefix('{')
            .and_then(|word| word.strip_suffix('}'))
        {
            Some(name) => Part::Slot(name.to_owned()),
            None => Part::Literal(word),
        };
        let parts: Vec<Part> = words.into_iter().map(part).collect();
        match parts.first() {
            Some(Part::Literal(program)) if !program.is_empty() && !program.starts_with('-') => {
                Ok(parts)
            }
            _ => Err(Error::invalid(
                place,
                "the first word is the program; it can't be an argument",
            )),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) arguments: BTreeMap<String, Argument>,
    parts: Vec<Part>,
}

impl Template {
    pub(crate) fn new(
        place: &str,
        description: String,
        effect: Effect,
        command: &Written,
        arguments: BTreeMap<String, Argument>,
    ) -> Result<Self, Error> {
        let parts = command.parts(place)?;
        for (name, argument) in &arguments {
            if let Some(mistake) = argument.mistake() {
                return Err(Error::invalid(format!("{place}.arguments.{name}"), mistake));
            }
            if !parts.contains(&Part::Slot(name.clone())) {
                return Err(Error::invalid(
                    place,
                    format!("`{{{name}}}` is not in the command"),
                ));
            }
        }
        for part in &parts {
            if let Part::Slot(name) = part
                && !arguments.contains_key(name)
            {
                return Err(Error::invalid(
                    place,
                    format!("argument `{name}` has no type"),
                ));
            }
        }
        Ok(Self {
            description,
            effect,
            arguments,
            parts,
        })
    }

    /// Returns the vector for these values. Each value is exactly one element.
    pub(crate) fn argv(&self, values: &Map<String, Value>) -> Result<Vec<String>, Refusal> {
        if let Some(unknown) = values
            .keys()
            .find(|name| !self.arguments.contains_key(*name))
        {
            return Err(Refusal::Arguments(format!(
                "this command has no argument `{}`",
                unknown.escape_debug()
            )));
        }
        let one = |part: &Part| match part {
            Part::Literal(text) => Ok(text.clone()),
            Part::Slot(name) => {
                let argument = self.arguments.get(name);
                let rendered = argument.map(|argument| match values.get(name) {
                    Some(value) => argument.rendered(value),
                    None => Err(argument.expected()),
                });
                let rendered = rendered.unwrap_or_else(|| Err("nothing".to_owned()));
                rendered
                    .map_err(|expected| Refusal::Arguments(format!("`{name}` must be {expected}")))
            }
        };
        self.parts.iter().map(one).collect()
    }

    /// Whether a group's vector accepts every vector that this template can make.
    pub(crate) fn fits(&self, allowed: &[Part]) -> bool {
        self.parts.len() == allowed.len()
            && self
                .parts
                .iter()
                .zip(allowed)
                .all(|(ours, theirs)| match (ours, theirs) {
                    (Part::Literal(ours), Part::Literal(theirs)) => ours == theirs,
                    (Part::Slot(name), Part::Slot(kind)) => {
                        self.arguments.get(name).map(|argument| argument.kind)
                            == ArgumentType::named(kind)
                    }
                    _ => false,
                })
    }

    /// Returns the command in a form for people: `systemctl status {unit}`.
    pub(crate) fn shown(&self) -> String {
        let one = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Slot(name) => format!("{{{name}}}"),
        };
        self.parts.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// Returns the fixed elements of the vector.
    pub(crate) fn literals(&self) -> Vec<String> {
        let literal = |part: &Part| match part {
            Part::Literal(text) => Some(text.clone()),
            Part::Slot(_) => None,
        };
        self.parts.iter().filter_map(literal).collect()
    }
}

/// Whether a group accepts a vector, element by element.
pub(crate) fn is_allowed(allowed: &[Vec<Part>], argv: &[String]) -> bool {
    let fits = |one: &Vec<Part>| {
        one.len() == argv.len()
            && one.iter().zip(argv).all(|(part, given)| match part {
                Part::Literal(text) => text == given,
                Part::Slot(kind) => {
                    ArgumentType::named(kind).is_some_and(|kind| kind.accepts(given))
                }
            })
    };
    allowed.iter().any(fits)
}
