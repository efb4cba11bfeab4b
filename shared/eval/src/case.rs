//! Cases: recorded incidents, read from files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Error;

/// A recorded incident: the alert, the recorded answers of tools, and the findings that an investigation should have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Id of the case: letters, digits, `.`, `_` and `-`.
    pub id: String,
    /// Origin of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Licence of the data, as an SPDX identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Groups in a report, e.g. `kubernetes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The alert's data.
    pub alert: Value,
    /// The alert's severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Tools that are offered. Default: the tools of the records, with the arguments that were recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Recorded calls and their answers.
    pub records: Vec<Record>,
    /// Expected findings of an investigation.
    pub truth: Truth,
}

/// A tool of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolDefinition {
    /// Name of the tool.
    pub name: String,
    /// Description of the tool.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments.
    #[serde(default)]
    pub input_schema: Map<String, Value>,
}

/// A call and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Name of the tool.
    pub tool: String,
    /// Arguments of the call. The value `*` stands for any.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Result, if the call succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Error, if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Expected findings of an investigation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// Whether nothing is wrong. If so, an answer that names a cause is a false alarm.
    #[serde(default)]
    pub healthy: bool,
    /// The right cause in a person's words. It is not scored; `facts` are scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Facts that the answer must state.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// Texts that the answer must not contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<String>,
    /// Tools that an expert calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Failure that `tarsy eval diagnose` should find first. Other evaluations do not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Truth {
    /// Creates a truth from a right cause that a person stated. An answer must contain each name in it, or all of it
    /// if it has no name.
    #[must_use]
    pub fn from_cause(cause: &str) -> Self {
        let mut facts: Vec<Fact> = tarsy_verdict::names(cause)
            .into_iter()
            .map(|name| Fact(vec![name]))
            .collect();
        if facts.is_empty() {
            facts.push(Fact(vec![cause.to_owned()]));
        }
        Self {
            cause: Some(cause.to_owned()),
            facts,
            ..Self::default()
        }
    }
}

/// Origin of a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Names of the object to fix; one of them is enough.
    pub objects: Vec<String>,
    /// Causes, by the names that findings use, e.g. `quota_exceeded`; one of them is enough.
    pub causes: Vec<String>,
}

/// A fact, in all its correct wordings; one of them is enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fact(pub Vec<String>);

impl Case {
    /// Returns a name to show to the model, because the id may reveal the cause. The same id always gives the same
    /// name (FNV-1a).
    #[must_use]
    pub fn alias(&self) -> String {
        let hash = self.id.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        format!("{hash:08x}")
    }

    /// Reads a case from YAML or JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Case`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(io(path))?;
        let case: Self = match path.extension().is_some_and(|end| end == "json") {
            true => serde_json::from_str(&text).map_err(|error| Error::case(path, error))?,
            false => serde_saphyr::from_str(&text).map_err(|error| Error::case(path, error))?,
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if case.id.is_empty() || case.id.len() > 80 || !case.id.chars().all(is_name) {
            let id = case.id;
            return Err(Error::case(
                path,
                format!("`id`: `{id}` is not 1 to 80 letters, digits, `.`, `_` and `-`"),
            ));
        }
        Ok(case)
    }

    /// Reads the cases in these files, and in the files that end in `.json`, `.yaml` or `.yml` in these folders. They
    /// are sorted by id.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Case`], [`Error::Twice`].
    pub fn read_all(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Self)>, Error> {
        let mut cases = BTreeMap::new();
        for path in files(paths)? {
            let case = Self::read(&path)?;
            if let Some((first, twin)) = cases.insert(case.id.clone(), (path.clone(), case)) {
                return Err(Error::Twice {
                    id: twin.id,
                    first,
                    second: path,
                });
            }
        }
        Ok(cases.into_values().collect())
    }
}

/// Returns the given files, and the case files in the given folders, in the order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(io(path))? {
            let entry = entry.map_err(io(path))?.path();
            let is_case = entry
                .extension()
                .is_some_and(|end| end == "json" || end == "yaml" || end == "yml");
            if entry.is_dir() || is_case {
                inside.push(entry);
            }
        }
        inside.sort();
        found.extend(files(&inside)?);
    }
    Ok(found)
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> Error {
    move |source| Error::Io {
        path: path.to_owned(),
        source,
    }
}
