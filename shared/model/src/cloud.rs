//! Location of an LLM provider in a cloud, and the credentials for its calls.

use std::path::PathBuf;

use serde::Serialize;

use crate::Secret;

/// Location of a model in a cloud, for the provider kinds that need one.
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
    /// Used if the provider has no key.
    #[serde(skip)]
    pub credentials: Option<CloudCredentials>,
}

/// Credentials that authorise calls in place of a key.
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
    /// Host of Google Cloud's metadata server, as `host` or `host:port`. It issues tokens for the account of the
    /// machine or pod.
    GoogleMetadata(String),
}
