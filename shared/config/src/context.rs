//! Context of the readers of sections: environment, references and collected problems.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::problem::{Position, Problem, Problems};
use crate::references::References;
use crate::settings::Environment;
use crate::template;

/// The position of a name, and the entry that contains it.
#[derive(Clone, Debug)]
pub(crate) struct NamePosition {
    /// The source: a file, or a variable.
    pub(crate) file: String,
    pub(crate) at: Position,
    pub(crate) built_in: bool,
    /// E.g. ``chain `kubernetes-agent-chain` ``.
    pub(crate) owner: String,
    /// The name as written, if it differs from the name itself. Messages show this, so that they don't show the value
    /// of a template.
    pub(crate) written: Option<String>,
}

impl NamePosition {
    /// Returns how messages may show the name `name`, which is given at this position.
    pub(crate) fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.written.as_deref().unwrap_or(name)
    }
}

/// How a `${VAR}` without a value is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables {
    /// It is a problem, because the process needs every value.
    Required,
    /// The template stays as written. For processes that route alerts and start no tool server, so they don't need the
    /// secrets of tool servers.
    Optional,
}

/// One source while it is read.
pub(crate) struct Context<'a> {
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
    pub(crate) built_in: bool,
    pub(crate) env: &'a Environment,
    pub(crate) variables: Variables,
    pub(crate) references: &'a References,
    problems: RefCell<Vec<Problem>>,
    missing: RefCell<BTreeMap<String, Position>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        file: &'a str,
        source: &'a str,
        env: &'a Environment,
        variables: Variables,
        references: &'a References,
    ) -> Self {
        Self {
            file,
            source,
            built_in: false,
            env,
            variables,
            references,
            problems: RefCell::default(),
            missing: RefCell::default(),
        }
    }

    /// Marks this source as the built-in definitions.
    pub(crate) fn built_in(self) -> Self {
        Self {
            built_in: true,
            ..self
        }
    }

    /// Reports a problem at a position of this source.
    pub(crate) fn report(&self, at: Position, message: String, hint: Option<String>) {
        self.problems.borrow_mut().push(Problem {
            file: self.file.to_owned(),
            at,
            message,
            hint,
            snippet: self.snippet(at),
        });
    }

    /// Reports a problem with a name. If the name is in another source, the problem has no position.
    pub(crate) fn report_name(&self, place: &NamePosition, message: String, hint: Option<String>) {
        if place.file == self.file {
            return self.report(place.at, message, hint);
        }
        self.problems.borrow_mut().push(Problem {
            file: place.file.clone(),
            at: Position::default(),
            message,
            hint,
            snippet: None,
        });
    }

    /// Fills in the templates of a text. Missing variables are recorded, once per name.
    pub(crate) fn resolve(&self, text: &str, at: Position) -> String {
        template::resolve(text, self.env).unwrap_or_else(|names| {
            if self.variables == Variables::Required {
                let mut missing = self.missing.borrow_mut();
                // `Environment::problems` reports unreadable files already.
                for name in names.into_iter().filter(|name| !self.env.has_file(name)) {
                    missing.entry(name).or_insert(at);
                }
            }
            text.to_owned()
        })
    }

    /// Adds problems found elsewhere.
    pub(crate) fn extend(&self, problems: Vec<Problem>) {
        self.problems.borrow_mut().extend(problems);
    }

    /// Returns everything reported so far, including missing variables.
    pub(crate) fn problems(&self) -> Problems {
        let missing = self.missing.take();
        for (name, at) in &missing {
            self.report(
                *at,
                format!("environment variable `{name}` is not set"),
                Some(format!(
                    "set it, or write `$${{{name}}}` for the text itself"
                )),
            );
        }
        Problems::new(self.problems.take(), missing.into_keys().collect())
    }

    /// Returns the reported problems as an error, if there are any.
    pub(crate) fn finish(self) -> Result<(), Problems> {
        let problems = self.problems();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// Returns the line at a position, unless it may contain a secret.
    fn snippet(&self, at: Position) -> Option<String> {
        const SECRET_WORDS: [&str; 7] = [
            "token",
            "secret",
            "passw",
            "authorization",
            "cookie",
            "credential",
            "key",
        ];
        let line = self.source.lines().nth(at.line.checked_sub(1)?)?.trim_end();
        let lower = line.to_ascii_lowercase();
        let may_hold_secret =
            SECRET_WORDS.iter().any(|word| lower.contains(word)) || line.contains("://");
        (!may_hold_secret && line.chars().count() <= 160).then(|| line.to_owned())
    }
}
