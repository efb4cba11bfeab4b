//! Where in a cloud an LLM provider is, and what its calls are authorised with.

use std::path::PathBuf;

use serde::Serialize;

use crate::Secret;

/// Place of a model in a cloud, for the kinds that need one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CloudPlace {
    /// Azure: the deployment; default: the model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployment: Option<String>,
    /// Azure: version of the API, e.g. `2024-10-21`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Bedrock and Vertex: the region, e.g. `eu-central-1`. Default of Vertex: `global`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Vertex: the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Used if there is no key.
    #[serde(skip)]
    pub credentials: Option<CloudCredentials>,
}

/// What calls are authorised with in place of a key.
#[derive(Clone, Debug)]
pub enum CloudCredentials {
    /// Keys of AWS: calls are signed.
    Aws {
        /// `AWS_ACCESS_KEY_ID`.
        access_key_id: String,
        /// `AWS_SECRET_ACCESS_KEY`.
        secret_access_key: Secret,
        /// `AWS_SESSION_TOKEN`, of temporary keys.
        session_token: Option<Secret>,
    },
    /// Key file of a Google service account, which is exchanged for tokens.
    GoogleKeyFile(PathBuf),
    /// Metadata server of Google Cloud, as `host` or `host:port`: it gives tokens of the machine's or the pod's own account.
    GoogleMetadata(String),
}
