//! The configuration file, as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tarsy_mcp_server::{Argument, Effect};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) apis: BTreeMap<String, Api>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Api {
    /// Address; paths of the tools are below it.
    pub(crate) url: String,
    /// Headers of each request.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, HeaderSource>,
    /// Whether the host may have an address that is not public.
    #[serde(default)]
    pub(crate) private: bool,
    /// Whether the address may be http.
    #[serde(default)]
    pub(crate) http: bool,
    #[serde(default = "ten")]
    pub(crate) timeout_seconds: u64,
    pub(crate) tools: BTreeMap<String, Tool>,
}

/// Value of a header.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum HeaderSource {
    /// In a variable, behind a prefix such as `Bearer `.
    Variable {
        env: String,
        #[serde(default)]
        prefix: String,
    },
    /// As it is written.
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    pub(crate) description: String,
    pub(crate) effect: Effect,
    #[serde(default)]
    pub(crate) method: Method,
    /// Path below the API's address; `{name}` stands for an argument.
    pub(crate) path: String,
    /// Parameters; one whose arguments are not given is left out.
    #[serde(default)]
    pub(crate) query: BTreeMap<String, String>,
    /// JSON; a string that is `{name}` stands for an argument.
    pub(crate) body: Option<Value>,
    #[serde(default)]
    pub(crate) arguments: BTreeMap<String, Argument>,
    /// What of the answer is kept, as a `JSONPath` (RFC 9535). Default: all.
    pub(crate) keep: Option<String>,
    #[serde(default = "page")]
    pub(crate) max_bytes: usize,
}

/// Method of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Method {
    #[default]
    Get,
    Post,
    Put,
}

const fn ten() -> u64 {
    10
}

const fn page() -> usize {
    20_000
}
