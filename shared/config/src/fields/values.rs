//! Fields with one value.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Fields, Text};
use crate::problem::Position;
use crate::yaml::Value;
use crate::{Resolved, suggest, units};

impl<'a> Fields<'a> {
    fn scalar(&self, key: &'static str) -> Option<(&'a str, Position)> {
        let node = self.take(key)?;
        match &node.value {
            Value::Scalar { text, .. } => Some((text, node.at)),
            _ => {
                self.problem(
                    key,
                    format!("`{key}` must be a single value, not {}", node.kind()),
                    "write one value",
                );
                None
            }
        }
    }

    fn parsed<T>(
        &self,
        key: &'static str,
        wanted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(key)?;
        let parsed = parse(text.value());
        if parsed.is_none() {
            self.problem(
                key,
                format!("`{key}`: invalid value `{}`", text.shown()),
                &format!("expected {wanted}"),
            );
        }
        parsed
    }

    /// Reads a text and fills in its templates.
    pub(crate) fn text(&self, key: &'static str) -> Option<Text> {
        let (text, at) = self.scalar(key)?;
        Some(self.resolve(text, at))
    }

    /// Like [`Fields::text`], but returns only the value.
    pub(crate) fn string(&self, key: &'static str) -> Option<String> {
        self.text(key).map(|text| text.value().to_owned())
    }

    /// Reads a text in which `$` has no special meaning, e.g. a regular expression.
    pub(crate) fn verbatim(&self, key: &'static str) -> Option<String> {
        self.scalar(key).map(|(text, _)| text.to_owned())
    }

    /// Reads `true` or `false`, or YAML 1.1's other words for them.
    pub(crate) fn bool(&self, key: &'static str) -> Option<bool> {
        self.parsed(key, "`true` or `false`", |text| {
            match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            }
        })
    }

    /// Reads a whole number within a range.
    pub(crate) fn integer<T: TryFrom<i64>>(
        &self,
        key: &'static str,
        range: RangeInclusive<i64>,
    ) -> Option<T> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        self.parsed(key, &wanted, |text| {
            let number = text.replace('_', "").parse().ok();
            number
                .filter(|n| range.contains(n))
                .and_then(|n| n.try_into().ok())
        })
    }

    /// Reads a number within a range.
    pub(crate) fn number(&self, key: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        self.parsed(key, &wanted, |text| {
            text.parse().ok().filter(|n| range.contains(n))
        })
    }

    /// Reads a duration, e.g. `90s`, `1h 30m`; a bare number means seconds.
    pub(crate) fn duration(&self, key: &'static str) -> Option<Duration> {
        self.parsed(
            key,
            "a length of time above 0, e.g. `500ms`, `90s`, `10m`, `1h 30m`, `7d`",
            |text| units::duration(text).filter(|length| !length.is_zero()),
        )
    }

    /// Reads one of a few words.
    pub(crate) fn choice(&self, key: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text(key)?;
        let found = words.iter().find(|word| **word == text.value()).copied();
        if found.is_none() {
            self.problem(
                key,
                format!("`{key}`: invalid value `{}`", text.shown()),
                &suggest::known(text.value(), words),
            );
        }
        found
    }

    /// Reads one of a few words, and returns what it means.
    pub(crate) fn meaning<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let found = self.choice(key, &known)?;
        words
            .iter()
            .find_map(|(word, meaning)| (*word == found).then_some(*meaning))
    }

    /// Reads an absolute URL with one of these schemes.
    pub(crate) fn url(&self, key: &'static str, schemes: &[&str]) -> Option<Text> {
        let text = self.text(key)?;
        // The template is not filled in yet, so there is nothing to check.
        if text.value().contains("${") {
            return Some(text);
        }
        let valid = url::Url::parse(text.value())
            .is_ok_and(|url| schemes.contains(&url.scheme()) && url.has_host());
        if !valid {
            self.problem(
                key,
                format!("`{key}`: invalid URL"),
                &format!("expected {}://host/...", schemes.join(":// or ")),
            );
        }
        valid.then_some(text)
    }

    pub(super) fn resolve(&self, text: &str, at: Position) -> Text {
        Text {
            resolved: Resolved::new(text, self.context.resolve(text, at)),
            at,
        }
    }
}
