//! Templates for prompts and arguments of stages, filled with the alert and the outputs of earlier stages.
//!
//! ```text
//! How severe is {{ alert.type }} in {{ alert.data.namespace }}?
//! {% for host in stages.triage.data.hosts %}- {{ host }}
//! {% endfor %}
//! ```
//!
//! The expressions are those of conditions (see [`Condition`](crate::Condition)), with additional filters that produce
//! text: `tojson`, `map`, `items`, `lines`, `reverse`, `round`. Statements are `if` and `for`. Lists and mappings are
//! rendered as JSON. A missing value is an error.

mod arguments;
mod syntax;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::LazyLock;

use minijinja::value::ValueKind;
use minijinja::{Environment, ErrorKind};

use crate::condition::{ConditionError, Facts, environment};

pub use arguments::Arguments;

/// Maximum length of a template. Each of its tags is at most [`MAX_CONDITION_BYTES`](crate::MAX_CONDITION_BYTES).
pub const MAX_TEMPLATE_BYTES: usize = 16_000;

/// Maximum length of the rendered text, in bytes.
const MAX_RENDERED: usize = 512 * 1024;

/// A parsed template that reads only allowed names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    source: String,
    stages: BTreeSet<String>,
}

/// Error of a template.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Longer than [`MAX_TEMPLATE_BYTES`].
    #[error("it is longer than {MAX_TEMPLATE_BYTES} bytes")]
    TooLong,
    /// A tag is longer than a condition may be.
    #[error("the tag in line {0} is longer than {max} bytes", max = crate::MAX_CONDITION_BYTES)]
    TagTooLong(usize),
    /// Too many statements.
    #[error("it has more than {max} statements", max = syntax::MAX_STATEMENTS)]
    TooManyStatements,
    /// A statement other than `if` and `for`.
    #[error("templates support only the statements `if` and `for`")]
    Statement,
    /// Invalid expression.
    #[error("{0}")]
    Expression(ConditionError),
    /// Syntax error, with its line.
    #[error("{message} (line {line} of the template)")]
    Syntax { message: String, line: usize },
    /// It reads a missing value.
    #[error("it reads a value that does not exist{0}")]
    Undefined(String),
    /// Rendering error.
    #[error("{0}")]
    Rendering(String),
}

impl From<ConditionError> for TemplateError {
    fn from(error: ConditionError) -> Self {
        Self::Expression(error)
    }
}

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = environment();
    environment.set_syntax(syntax::config());
    environment.set_formatter(|out, _, value| {
        if let Some(text) = value.as_str() {
            return out.write_str(text).map_err(minijinja::Error::from);
        }
        let json = match value.kind() {
            ValueKind::Map | ValueKind::Seq | ValueKind::Iterable => {
                serde_json::to_string_pretty(value)
            }
            _ => serde_json::to_string(value),
        };
        let json = json.map_err(|error| {
            minijinja::Error::new(ErrorKind::BadSerialization, error.to_string())
        })?;
        out.write_str(&json).map_err(minijinja::Error::from)
    });
    environment
});

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    ///
    /// [`TemplateError`], except the kinds that only rendering can cause.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        let stages = syntax::stages_read_by(source)?;
        Ok(Self {
            source: source.to_owned(),
            stages,
        })
    }

    /// Returns the names of the stages that it reads.
    pub fn stages(&self) -> impl Iterator<Item = &String> {
        self.stages.iter()
    }

    /// Renders the template.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] if it reads a missing value, takes too many steps or produces too much text.
    pub fn render(&self, facts: &Facts) -> Result<String, TemplateError> {
        let template = ENVIRONMENT
            .template_from_str(&self.source)
            .map_err(failed)?;
        let mut text = Bounded(Vec::new());
        template
            .render_captured_to(facts.context(), &mut text)
            .map_err(failed)?;
        String::from_utf8(text.0).map_err(|error| TemplateError::Rendering(error.to_string()))
    }
}

fn failed(error: minijinja::Error) -> TemplateError {
    let place = || {
        error
            .line()
            .map_or_else(String::new, |line| format!(" (line {line})"))
    };
    match error.kind() {
        ErrorKind::UndefinedError => TemplateError::Undefined(place()),
        ErrorKind::WriteFailure => {
            TemplateError::Rendering(format!("it gives more than {MAX_RENDERED} bytes of text"))
        }
        ErrorKind::OutOfFuel => TemplateError::Rendering("it takes too many steps".to_owned()),
        _ => {
            let detail = error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned);
            TemplateError::Rendering(format!("{detail}{}", place()))
        }
    }
}

/// A writer with a maximum length.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_RENDERED {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
