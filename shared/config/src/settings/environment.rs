//! The environment of a process, as a value.

use std::collections::BTreeMap;
use std::fmt;

use super::secret_file::{SUFFIX, SecretFile};
use crate::problem::{Position, Problem, Problems};

/// Environment variables, read once in `main` and passed on. No other code reads the environment of the process, so a
/// test can supply any.
///
/// The value of `NAME` may be in a file whose path is in `NAME_FILE`. Problems with such a file are known once `NAME`
/// was read: [`Environment::problems`].
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    /// Files by the name of the variable whose value they contain.
    files: BTreeMap<String, SecretFile>,
}

impl Environment {
    /// Takes the variables of this process. Those that are not valid UTF-8 are left out.
    #[must_use]
    pub fn of_process() -> Self {
        let texts = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::new(texts.collect())
    }

    /// Creates an environment of exactly these variables.
    pub fn from_pairs<K: Into<String>, V: Into<String>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let pairs = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()));
        Self::new(pairs.collect())
    }

    fn new(variables: BTreeMap<String, String>) -> Self {
        let files = variables.iter().filter_map(|(name, path)| {
            let name = name.strip_suffix(SUFFIX)?;
            let path = path.trim();
            let is_given = !name.is_empty() && !path.is_empty();
            is_given.then(|| (name.to_owned(), SecretFile::new(path)))
        });
        Self {
            files: files.collect(),
            variables,
        }
    }

    /// Returns the same variables. Files are read again, because their content may have changed.
    #[must_use]
    pub fn reread(&self) -> Self {
        Self::new(self.variables.clone())
    }

    /// Returns a variable as it is set, even if it is empty, or else the content of its file.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let set = self.variables.get(name).map(String::as_str);
        // Read the file even if its content is not used, so that problems with it are reported.
        let content = self.files.get(name).map(SecretFile::content);
        match set {
            Some(value) if content.is_none() || !value.trim().is_empty() => Some(value),
            _ => content?,
        }
    }

    /// Returns the names of all variables, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str)
    }

    /// Returns a variable that is not blank. Blank variables count as not set, because compose files and CI systems
    /// pass unknown variables as empty ones.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.get(name)
            .map(str::trim)
            .filter(|value| !value.is_empty())
    }

    /// Whether `NAME_FILE` is set for the variable.
    #[must_use]
    pub fn has_file(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Returns the problems with the files of those variables that were read so far.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let used = self.files.iter().filter(|(_, file)| file.is_used());
        used.filter_map(|(name, file)| {
            let set = self.variables.get(name);
            let (message, hint) = match file.problem() {
                _ if set.is_some_and(|value| !value.trim().is_empty()) => (
                    format!("`{name}` and `{name}{SUFFIX}` are both set"),
                    "set one of them",
                ),
                Some(problem) => (
                    format!("`{name}{SUFFIX}`: {problem}"),
                    "name a file that this process can read and that holds the value alone",
                ),
                None => return None,
            };
            Some(Problem {
                file: "environment".to_owned(),
                at: Position::default(),
                message,
                hint: Some(hint.to_owned()),
                snippet: None,
            })
        })
        .collect()
    }

    /// Fails if one of the files of the variables that were read so far has a problem.
    ///
    /// # Errors
    ///
    /// The problems, as in [`Environment::problems`].
    pub fn check(&self) -> Result<(), Problems> {
        super::reader::refuse(self.problems())
    }
}

impl fmt::Debug for Environment {
    /// Shows only names, because values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}
