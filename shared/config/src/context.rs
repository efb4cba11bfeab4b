//! The context of section readers: environment, references and problems.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::problem::{Position, Problem, Problems};
use crate::references::References;
use crate::settings::Environment;
use crate::template;

/// The position of a name and its owner.
#[derive(Clone, Debug)]
pub(crate) struct NamePosition {
    /// The source: a file, or a variable.
    pub(crate) file: String,
    pub(crate) at: Position,
    pub(crate) built_in: bool,
    /// E.g. ``chain `kubernetes-agent-chain` ``.
    pub(crate) owner: String,
    /// The name as it was written, where that is not the name itself: what a template
    /// stands for is not shown.
    pub(crate) written: Option<String>,
}

impl NamePosition {
    /// A name given here, as it may be shown.
    pub(crate) fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.written.as_deref().unwrap_or(name)
    }
}

/// What a `${VAR}` without a value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables {
    /// A problem: the process needs every value.
    Required,
    /// The template stays as written. For processes that route alerts and start no tool
    /// server, so that they need not be given its secrets.
    Optional,
}

/// One source being read.
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

    /// The same for the built-in definitions.
    pub(crate) fn built_in(self) -> Self {
        Self {
            built_in: true,
            ..self
        }
    }

    /// Report a problem at a position of this source.
    pub(crate) fn report(&self, at: Position, message: String, hint: Option<String>) {
        self.problems.borrow_mut().push(Problem {
            file: self.file.to_owned(),
            at,
            message,
            hint,
            snippet: self.snippet(at),
        });
    }

    /// Report a problem of a name; its place may be in another source, of which no position is shown.
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

    /// Fill in the templates of a text; what is missing is remembered, once per name.
    pub(crate) fn resolve(&self, text: &str, at: Position) -> String {
        template::resolve(text, self.env).unwrap_or_else(|names| {
            if self.variables == Variables::Required {
                let mut missing = self.missing.borrow_mut();
                // What is wrong with a file is said once.
                for name in names.into_iter().filter(|name| !self.env.has_file(name)) {
                    missing.entry(name).or_insert(at);
                }
            }
            text.to_owned()
        })
    }

    /// Take over problems found elsewhere.
    pub(crate) fn extend(&self, problems: Vec<Problem>) {
        self.problems.borrow_mut().extend(problems);
    }

    /// Everything reported so far, missing variables included.
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

    /// Nothing, if nothing was reported.
    pub(crate) fn finish(self) -> Result<(), Problems> {
        let problems = self.problems();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// The line of a position, unless a secret may be written on it.
    fn snippet(&self, at: Position) -> Option<String> {
        const TELLING: [&str; 7] = [
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
            TELLING.iter().any(|word| lower.contains(word)) || line.contains("://");
        (!may_hold_secret && line.chars().count() <= 160).then(|| line.to_owned())
    }
}
