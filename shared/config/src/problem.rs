//! Problems of a configuration.

use std::fmt;

/// A place in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// Line, from 1; 0 where a problem has no line, e.g. a file that can't be read.
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
    /// The message, without values from the environment.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
    /// The line as written, unless it may hold a secret.
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
    /// Sorts and deduplicates problems by file and position.
    pub(crate) fn new(mut problems: Vec<Problem>, missing_variables: Vec<String>) -> Self {
        problems.sort_by(|a, b| (&a.file, a.at, &a.message).cmp(&(&b.file, b.at, &b.message)));
        problems.dedup();
        Self {
            problems,
            missing_variables,
        }
    }

    /// Each problem, by file and position.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter()
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.problems.len()
    }

    /// Whether there is none; never true for a value returned as an error.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Names of environment variables that templates ask for and nobody set, sorted.
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
