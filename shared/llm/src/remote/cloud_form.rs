//! What a cloud changes of a request in the dialect of the model's maker.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;
use url::Url;

use crate::{ProviderKind, ProviderSettings};

/// Version of Azure's API where none is configured, the last one with a date that is generally available.
/// <https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle>
const AZURE_API_VERSION: &str = "2024-10-21";
/// Version of Anthropic's messages on Vertex. <https://docs.claude.com/en/api/claude-on-vertex-ai>
const VERTEX_ANTHROPIC_VERSION: &str = "vertex-2023-10-16";

/// Form of requests to a provider.
#[derive(Debug)]
pub(super) enum CloudForm {
    /// That of the dialect.
    Plain,
    /// Azure: a version in the query.
    Azure {
        /// `api-version`.
        api_version: String,
    },
    /// Claude on Vertex: the model is in the path, the version in the body.
    VertexClaude {
        /// Name of the model.
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

    /// URL and body as the cloud takes them. `None`: the body is not that of a question.
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
