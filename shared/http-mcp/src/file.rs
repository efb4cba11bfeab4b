//! Schema of the configuration file.

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
    /// Base address. Paths of the tools are relative to it.
    pub(crate) url: String,
    /// Headers that are sent with each request.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, HeaderSource>,
    /// Whether the host may resolve to an address that is not public.
    #[serde(default)]
    pub(crate) private: bool,
    /// Whether plain HTTP is allowed.
    #[serde(default)]
    pub(crate) http: bool,
    /// Default: 10.
    pub(crate) timeout_seconds: Option<u64>,
    pub(crate) tools: BTreeMap<String, Tool>,
}

/// Source of a header's value.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum HeaderSource {
    /// An environment variable, with a prefix before its value such as `Bearer `.
    Variable {
        env: String,
        #[serde(default)]
        prefix: String,
    },
    /// A literal text.
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    pub(crate) description: String,
    pub(crate) effect: Effect,
    #[serde(default)]
    pub(crate) method: Method,
    /// Path relative to the API's address. `{name}` stands for an argument.
    pub(crate) path: String,
    /// Query parameters. A parameter with an argument that is not given is left out.
    #[serde(default)]
    pub(crate) query: BTreeMap<String, String>,
    /// JSON body. A string that consists only of `{name}` stands for an argument.
    pub(crate) body: Option<Value>,
    #[serde(default)]
    pub(crate) arguments: BTreeMap<String, Argument>,
    /// `JSONPath` (RFC 9535) that selects the part of the answer to keep. Default: everything.
    pub(crate) keep: Option<String>,
    /// Maximum size of the answer that the model sees. Default: 20,000.
    pub(crate) max_bytes: Option<usize>,
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
