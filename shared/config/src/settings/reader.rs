//! Reads environment variables, and collects problems and descriptions.

use std::time::Duration;

use super::{Environment, Variable};
use crate::problem::{Position, Problem, Problems};
use crate::{suggest, units};

/// Reads an [`Environment`]. Every variable that is read also becomes a row of the description, so that the two always
/// agree.
pub(crate) struct Reader<'e> {
    env: &'e Environment,
    problems: Vec<Problem>,
    variables: Vec<Variable>,
}

impl<'e> Reader<'e> {
    pub(crate) fn new(env: &'e Environment) -> Self {
        Self {
            env,
            problems: Vec::new(),
            variables: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> (Vec<Problem>, Vec<Variable>) {
        (self.problems, self.variables)
    }

    /// Reports a variable that is wrong. The message must not contain its value.
    pub(crate) fn problem(&mut self, message: String, hint: &str) {
        self.problems.push(Problem {
            file: "environment".to_owned(),
            at: Position::default(),
            message,
            hint: Some(hint.to_owned()),
            snippet: None,
        });
    }

    /// Reads a text, if it is set.
    pub(crate) fn text(
        &mut self,
        name: &'static str,
        default: &str,
        meaning: &'static str,
    ) -> Option<&'e str> {
        self.variables.push(Variable {
            name,
            default: default.to_owned(),
            meaning,
        });
        self.env.value(name)
    }

    fn parsed<T>(
        &mut self,
        (name, default, meaning): (&'static str, &str, &'static str),
        wanted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name, default, meaning)?;
        let parsed = parse(text);
        if parsed.is_none() {
            self.problem(
                format!("`{name}`: invalid value, expected {wanted}"),
                meaning,
            );
        }
        parsed
    }

    /// Reads any value that can be parsed from text.
    pub(crate) fn parse<T: std::str::FromStr>(
        &mut self,
        name: &'static str,
        default: &str,
        wanted: &str,
        meaning: &'static str,
    ) -> Option<T> {
        self.parsed((name, default, meaning), wanted, |text| text.parse().ok())
    }

    /// Reads a whole number within `least..=most`.
    pub(crate) fn integer(
        &mut self,
        name: &'static str,
        default: u64,
        range: (u64, u64),
        meaning: &'static str,
    ) -> u64 {
        let (least, most) = range;
        let wanted = format!("a whole number from {least} to {most}");
        self.parsed((name, &default.to_string(), meaning), &wanted, |text| {
            text.replace('_', "")
                .parse()
                .ok()
                .filter(|n| (least..=most).contains(n))
        })
        .unwrap_or(default)
    }

    /// Reads a duration within `least..=most`.
    pub(crate) fn duration(
        &mut self,
        name: &'static str,
        default: Duration,
        range: (Duration, Duration),
        meaning: &'static str,
    ) -> Duration {
        let (least, most) = range;
        let wanted = format!("a length of time from {least:?} to {most:?}, e.g. `10s` or `500ms`");
        self.parsed((name, &format!("{default:?}"), meaning), &wanted, |text| {
            units::duration(text).filter(|length| (least..=most).contains(length))
        })
        .unwrap_or(default)
    }

    pub(crate) fn switch(
        &mut self,
        name: &'static str,
        default: bool,
        meaning: &'static str,
    ) -> bool {
        self.parsed(
            (name, &default.to_string(), meaning),
            "`true` or `false`",
            |text| match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Some(true),
                "false" | "0" | "no" | "off" => Some(false),
                _ => None,
            },
        )
        .unwrap_or(default)
    }

    /// Reads one of a few words, in any case. The first is the default.
    pub(crate) fn choice(
        &mut self,
        name: &'static str,
        words: &[&'static str],
        meaning: &'static str,
    ) -> &'static str {
        let default = words.first().copied().unwrap_or_default();
        let Some(text) = self.text(name, default, meaning) else {
            return default;
        };
        let lower = text.to_ascii_lowercase();
        if let Some(word) = words.iter().find(|word| **word == lower) {
            return word;
        }
        self.problem(
            format!("`{name}`: invalid value"),
            &suggest::known(&lower, words),
        );
        default
    }
}

/// Returns the problems as an error, if there are any.
pub(crate) fn refuse(problems: Vec<Problem>) -> Result<(), Problems> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Problems::new(problems, Vec::new()))
    }
}
