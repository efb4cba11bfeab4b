//! Problems of a configuration.

use std::fmt;

/// A position in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// Line, from 1; 0 if the problem has no line, e.g. for a file that can't be read.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A problem: position, message and hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// File as the operator named it, or `environment`.
    pub file: String,
    /// Where in the file.
    pub at: Position,
    /// The message. It contains no values from the environment.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
    /// The line as written, unless it may contain a secret.
    pub snippet: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.at.line > 0 {
            write!(f, ":{}:{}", self.at.line, self.at.column)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(snippet) = &self.snippet {
            let gutter = self.at.line.to_string();
            let padding = " ".repeat(gutter.len());
            let indent = " ".repeat(self.at.column.saturating_sub(1));
            write!(f, "\n  {gutter} | {snippet}\n  {padding} | {indent}^")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

/// All problems that prevent the start, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    problems: Vec<Problem>,
    missing_variables: Vec<String>,
}

impl Problems {
    /// Sorts problems by file and position, and removes duplicates.
    pub(crate) fn new(mut problems: Vec<Problem>, missing_variables: Vec<String>) -> Self {
        problems.sort_by(|a, b| (&a.file, a.at, &a.message).cmp(&(&b.file, b.at, &b.message)));
        problems.dedup();
        Self {
            problems,
            missing_variables,
        }
    }

    /// Iterates over the problems, by file and position.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter()
    }

    /// Returns the number of problems.
    #[must_use]
    pub fn len(&self) -> usize {
        self.problems.len()
    }

    /// Whether there are no problems. Never true for a value returned as an error.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns the names of environment variables that templates use but that are not set, sorted.
    #[must_use]
    pub fn missing_variables(&self) -> &[String] {
        &self.missing_variables
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{problem}")?;
        }
        if !self.missing_variables.is_empty() {
            writeln!(
                f,
                "missing environment variables: {}",
                self.missing_variables.join(", ")
            )?;
        }
        let plural = if self.problems.len() == 1 { "" } else { "s" };
        write!(f, "{} problem{plural}", self.problems.len())
    }
}

impl std::error::Error for Problems {}
