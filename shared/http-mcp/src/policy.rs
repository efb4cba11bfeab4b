//! The checked configuration.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::endpoint::Endpoint;
use crate::error::Error;
use crate::file::File;
use crate::target::Target;

/// The requests that the configuration allows, by tool name (`api_tool`).
#[derive(Debug)]
pub struct Policy {
    pub(crate) endpoints: BTreeMap<String, Endpoint>,
}

impl Policy {
    /// Reads a configuration file; `variable` looks up an environment variable.
    ///
    /// # Errors
    ///
    /// Returns the first mistake and where it is.
    pub fn read(path: &Path, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let what = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&what, &text, variable),
            Err(source) => Err(Error::File { what, source }),
        }
    }

    /// Parses a configuration from a text, like [`Policy::read`]. `what` names the text in error messages.
    ///
    /// # Errors
    ///
    /// Returns the first mistake and where it is.
    pub fn parse(
        what: &str,
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let file = serde_saphyr::from_str::<File>(text);
        let file = file.map_err(|error| Error::invalid(what, error.to_string()))?;
        let mut endpoints = BTreeMap::new();
        for (name, api) in file.apis {
            let place = format!("apis.{name}");
            let target = Arc::new(Target::from_api(&place, &name, &api, &variable)?);
            for (tool, written) in api.tools {
                let place = format!("{place}.tools.{tool}");
                let tool = format!("{name}_{tool}");
                let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
                if tool.len() > 64 || !tool.bytes().all(fits) {
                    let reason = "names have letters, digits, `_` and `-`; with the name of the API at most 64";
                    return Err(Error::invalid(&place, reason));
                }
                let endpoint = Endpoint::new(&place, Arc::clone(&target), written)?;
                if endpoints.insert(tool.clone(), endpoint).is_some() {
                    let reason = format!("another tool has the name `{tool}`");
                    return Err(Error::invalid(&place, reason));
                }
            }
        }
        Ok(Self { endpoints })
    }
}
