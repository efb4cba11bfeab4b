//! A recorded incident.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Error;

/// A recorded incident: the alert, what tools answered, and what an investigation should find.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Names it: letters, digits, `.`, `_` and `-`.
    pub id: String,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Licence of the data, as SPDX writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Groups of a report, e.g. `kubernetes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The alert's data.
    pub alert: Value,
    /// The alert's severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Tools that are offered. Default: those of the records, with the arguments that were recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// What the tools answered.
    pub records: Vec<Record>,
    /// What an investigation should find.
    pub truth: Truth,
}

/// A tool of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does.
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
    /// The tool.
    pub tool: String,
    /// Its arguments; the value `*` stands for any.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// What it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// How it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What an investigation should find.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// Nothing is wrong: an answer that names a cause is a false alarm.
    #[serde(default)]
    pub healthy: bool,
    /// The right cause in a person's words. It is not scored; `facts` are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What the answer must say.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// Texts that the answer must not contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<String>,
    /// Tools that an expert calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// What `tarsy eval diagnose` should find first. Other evaluations do not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Truth {
    /// Of a right cause that a person stated: an answer must say each name in it, or all of it if it has no name.
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

/// Where a failure comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Names of the object to mend; one of them is enough.
    pub objects: Vec<String>,
    /// Causes, as findings name them, e.g. `quota_exceeded`; one of them is enough.
    pub causes: Vec<String>,
}

/// A fact, in as many wordings as are right: one of them is enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fact(pub Vec<String>);

impl Case {
    /// A name for the model's eyes: the id may give the cause away. The same for the same id (FNV-1a).
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

    /// Reads the cases of these files, and of the files that end in `.json`, `.yaml` or `.yml` in these folders; by id.
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

/// The files, and those with cases in the folders, in the order of their names.
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
