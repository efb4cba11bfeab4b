//! A script. Its first matching rule answers.

use std::path::Path;

use serde::Deserialize;

use super::rule::{Reply, Rule};
use crate::ChatRequest;

/// Largest script that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reason why a script can't be loaded.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// No script is set.
    #[error("no script is set")]
    Missing,
    /// Reading the file failed.
    #[error("failed to read `{path}`")]
    Read {
        path: String,
        #[source]
        source: std::io::Error,
    },
    /// The file is larger than 1 MiB.
    #[error("`{path}` is larger than 1 MiB")]
    TooLarge { path: String },
    /// Not YAML, or not a script; the source names line and column.
    #[error("script `{name}` is not valid")]
    Parse {
        name: String,
        #[source]
        source: Box<serde_saphyr::Error>,
    },
    /// A rule has neither text, tool calls nor an error.
    #[error("script `{name}`: rule {rule} answers with neither text, tool calls nor an error")]
    Nothing {
        name: String,
        /// Position of the rule, from 1.
        rule: usize,
    },
}

/// A parsed script. `docs/SCRIPTED_MODEL.md` describes the format.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    rules: Vec<Rule>,
}

impl Script {
    /// Parses a script.
    ///
    /// # Errors
    ///
    /// [`ScriptError::Parse`] and [`ScriptError::Nothing`].
    pub fn parse(name: impl Into<String>, yaml: &str) -> Result<Self, ScriptError> {
        let name = name.into();
        let document: Document =
            serde_saphyr::from_str(yaml).map_err(|source| ScriptError::Parse {
                name: name.clone(),
                source: Box::new(source),
            })?;
        for (index, Rule { reply, .. }) in document.rules.iter().enumerate() {
            if reply.text.trim().is_empty() && reply.tool_calls.is_empty() && reply.error.is_none()
            {
                return Err(ScriptError::Nothing {
                    name,
                    rule: index + 1,
                });
            }
        }
        Ok(Self {
            name,
            rules: document.rules,
        })
    }

    /// Reads and parses a file. The script is named after the file.
    ///
    /// # Errors
    ///
    /// [`ScriptError`].
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let shown = path.display().to_string();
        let read = |source| ScriptError::Read {
            path: shown.clone(),
            source,
        };
        if std::fs::metadata(path).map_err(read)?.len() > MAX_BYTES {
            return Err(ScriptError::TooLarge { path: shown });
        }
        let yaml = std::fs::read_to_string(path).map_err(read)?;
        let name = path
            .file_name()
            .map_or_else(|| shown.clone(), |n| n.to_string_lossy().into());
        Self::parse(name, &yaml)
    }

    /// Returns the name of the script.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the answer to a conversation. `None` if no rule applies. Iterations count from 1: the model's turns so
    /// far, plus this one.
    pub(super) fn reply(&self, request: &ChatRequest) -> Option<&Reply> {
        let iteration = request.assistant_turns() + 1;
        self.rules
            .iter()
            .find(|rule| rule.when.matches(request, iteration))
            .map(|rule| &rule.reply)
    }
}
