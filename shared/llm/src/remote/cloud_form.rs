//! Adapts requests in the dialect of a model's maker to the form that a cloud expects.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;
use url::Url;

use crate::{ProviderKind, ProviderSettings};

/// Default version of Azure's API: the last generally available one that is named by a date.
/// <https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle>
const AZURE_API_VERSION: &str = "2024-10-21";
/// Version of Anthropic's Messages API on Vertex. <https://docs.claude.com/en/api/claude-on-vertex-ai>
const VERTEX_ANTHROPIC_VERSION: &str = "vertex-2023-10-16";

/// Form of the requests to a provider.
#[derive(Debug)]
pub(super) enum CloudForm {
    /// The form of the dialect, unchanged.
    Plain,
    /// Azure: the API version is in the query.
    Azure {
        /// Value of the query parameter `api-version`.
        api_version: String,
    },
    /// Claude on Vertex: the model is in the path, the API version in the body.
    VertexClaude {
        /// Name of the model in the path.
        model: String,
    },
}

impl CloudForm {
    pub(super) fn new(settings: &ProviderSettings) -> Self {
        match (settings.kind, settings.kind.dialect(&settings.model)) {
            (ProviderKind::AzureOpenAi, _) if !settings.is_azure_v1() => {
                let version = settings.cloud.api_version.as_deref();
                Self::Azure {
                    api_version: version.unwrap_or(AZURE_API_VERSION).to_owned(),
                }
            }
            (ProviderKind::Vertex, ProviderKind::Anthropic) => Self::VertexClaude {
                model: settings.model.trim().to_owned(),
            },
            _ => Self::Plain,
        }
    }

    /// Returns URL and body in the form that the cloud expects. `None` if they are not those of a question.
    pub(super) fn adapted(&self, mut url: Url, body: Bytes) -> Option<(Url, Bytes)> {
        match self {
            Self::Plain => Some((url, body)),
            Self::Azure { api_version } => {
                url.query_pairs_mut()
                    .append_pair("api-version", api_version);
                Some((url, body))
            }
            Self::VertexClaude { model } => {
                let base = url.path().strip_suffix("messages")?.to_owned();
                url.set_path(&format!("{base}{model}:rawPredict"));
                let mut members: BTreeMap<&str, &RawValue> = serde_json::from_slice(&body).ok()?;
                members.remove("model");
                let version = Value::from(VERTEX_ANTHROPIC_VERSION).to_string();
                let version = RawValue::from_string(version).ok()?;
                members.insert("anthropic_version", &version);
                Some((url, serde_json::to_vec(&members).ok()?.into()))
            }
        }
    }
}
