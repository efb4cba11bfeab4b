//! Checks of LLM providers: address, certificate, key and model.

use futures::future::join_all;
use reqwest::{Certificate, Client, RequestBuilder, StatusCode};
use serde_json::Value;
use tarsy_config::{Config, ProviderConfig, ProviderKind};

use super::Check;
use super::upstreams::{PATIENCE, chain};

const MODELS: &str = "models";
/// Version of Azure's API in requests for the list of models.
const AZURE_API_VERSION: &str = "2024-10-21";
/// Version of Anthropic's API, which requests must name (docs.anthropic.com/en/api/versioning).
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Requests the list of models from each usable provider, with its key. No model is called.
pub(crate) async fn providers(config: &Config) -> Vec<Check> {
    let usable = config
        .providers
        .values()
        .filter(|provider| provider.available && provider.kind != ProviderKind::Scripted);
    let scripted = config
        .providers
        .values()
        .filter(|provider| provider.available && provider.kind == ProviderKind::Scripted)
        .map(|provider| Check::ok(MODELS, format!("`{}` plays a script", provider.name)));
    let mut checks = join_all(usable.map(check)).await;
    checks.extend(scripted);
    checks
}

async fn check(provider: &ProviderConfig) -> Check {
    let name = &provider.name;
    let client = match client(provider) {
        Ok(client) => client,
        Err(finding) => {
            return Check::failure(
                MODELS,
                format!("`{name}`: {finding}"),
                "correct `tls.ca_file` of the provider",
            );
        }
    };
    let answered = async {
        let answer = list(&client, provider).send().await?;
        let status = answer.status();
        Ok::<_, reqwest::Error>((status, answer.text().await?))
    };
    match answered.await {
        Ok((status, body)) => judge(provider, status, &body),
        Err(error) => Check::failure(
            MODELS,
            format!("`{name}` is unreachable: {}", chain(&error.without_url())),
            "check the address, DNS, certificates, the proxy and egress rules",
        ),
    }
}

/// Creates a client that trusts the same certificates as the provider's own client.
fn client(provider: &ProviderConfig) -> Result<Client, String> {
    let mut builder = Client::builder()
        .timeout(PATIENCE)
        .redirect(reqwest::redirect::Policy::none())
        .tls_danger_accept_invalid_certs(!provider.tls.verify);
    let base = provider.base_url.as_ref();
    if base.is_some_and(|url| tarsy_egress::is_loopback(url.value())) {
        builder = builder.no_proxy();
    }
    if let Some(path) = &provider.tls.ca_file {
        let unusable = |error: &dyn std::error::Error| {
            format!(
                "the certificates of {} can't be used: {}",
                path.display(),
                chain(error)
            )
        };
        let pem = std::fs::read(path).map_err(|error| unusable(&error))?;
        let roots = Certificate::from_pem_bundle(&pem).map_err(|error| unusable(&error))?;
        builder = builder.tls_certs_merge(roots);
    }
    builder
        .build()
        .map_err(|error| format!("failed to set up TLS: {}", chain(&error)))
}

/// Returns the request for a provider's list of models. Bedrock and Vertex have no such list, so the request only
/// checks that they can be reached.
fn list(client: &Client, provider: &ProviderConfig) -> RequestBuilder {
    let region = provider.cloud.region.as_deref().unwrap_or("global");
    let default = match provider.kind {
        ProviderKind::Bedrock => format!("https://bedrock-runtime.{region}.amazonaws.com"),
        ProviderKind::Vertex if region == "global" => {
            "https://aiplatform.googleapis.com".to_owned()
        }
        ProviderKind::Vertex => format!("https://{region}-aiplatform.googleapis.com"),
        kind => kind.public_url().unwrap_or_default().to_owned(),
    };
    let base = provider.base_url.as_ref();
    let base = base.map_or(default.as_str(), |url| url.value());
    let base = base.trim_end_matches('/');
    let key = provider.api_key.as_ref().map(|key| key.expose());
    match (provider.kind, key) {
        (ProviderKind::Ollama, _) => {
            client.get(format!("{}/api/tags", base.trim_end_matches("/v1")))
        }
        (ProviderKind::Bedrock | ProviderKind::Vertex, _) => client.get(base),
        (ProviderKind::AzureOpenAi, Some(key)) => {
            let url = match base.strip_suffix("/openai/v1") {
                Some(_) => format!("{base}/models"),
                None => {
                    let version = provider.cloud.api_version.as_deref();
                    let version = version.unwrap_or(AZURE_API_VERSION);
                    format!("{base}/openai/models?api-version={version}")
                }
            };
            client.get(url).header("api-key", key)
        }
        (ProviderKind::Gemini, Some(key)) => client
            .get(format!("{base}/models"))
            .header("x-goog-api-key", key),
        (ProviderKind::Anthropic, Some(key)) => client
            .get(format!("{base}/models"))
            .header("x-api-key", key)
            .header("anthropic-version", ANTHROPIC_VERSION),
        (_, Some(key)) => client.get(format!("{base}/models")).bearer_auth(key),
        (_, None) => client.get(format!("{base}/models")),
    }
}

/// Judges key and model by the response. Without a list of models, neither can be checked.
fn judge(provider: &ProviderConfig, status: StatusCode, body: &str) -> Check {
    let name = &provider.name;
    if matches!(provider.kind, ProviderKind::Bedrock | ProviderKind::Vertex) {
        return Check::ok(
            MODELS,
            format!("`{name}` is reachable; its credentials are not tried"),
        );
    }
    let variable = provider.api_key_env.as_deref().unwrap_or("its key");
    // Gemini responds with 400 to an unknown key.
    let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
        || status == StatusCode::BAD_REQUEST && body.to_lowercase().contains("api key");
    if is_refused {
        return Check::failure(
            MODELS,
            format!("`{name}` refuses the key: {status}"),
            format!("set {variable} to a key that is valid for this provider"),
        );
    }
    if !status.is_success() {
        return Check::ok(
            MODELS,
            format!(
                "`{name}` is reachable; it answers {status} to a question for its models, so its key is not tried"
            ),
        );
    }
    // Azure lists models but not deployments.
    let is_listed = match provider.kind {
        ProviderKind::AzureOpenAi => None,
        _ => lists_model(body, &provider.model),
    };
    let accepts = match provider.api_key {
        Some(_) => "accepts the key",
        None => "answers without a key",
    };
    match is_listed {
        Some(false) => Check::warning(
            MODELS,
            format!(
                "`{name}` {accepts}, and does not list model `{}`",
                provider.model
            ),
            "correct `model`, or pull it where the provider serves models of its own",
        ),
        Some(true) => Check::ok(
            MODELS,
            format!("`{name}` {accepts} and has model `{}`", provider.model),
        ),
        None => Check::ok(MODELS, format!("`{name}` {accepts}")),
    }
}

/// Whether a list of models contains a model; `None`: the body is not a list, or the list has more pages.
fn lists_model(body: &str, model: &str) -> Option<bool> {
    let list: Value = serde_json::from_str(body).ok()?;
    let models = list.get("data").or(list.get("models"))?.as_array()?;
    let named = |entry: &Value| {
        let name = entry
            .get("id")
            .or(entry.get("name"))
            .and_then(Value::as_str);
        let name = name.map(|name| name.trim_start_matches("models/"));
        name.is_some_and(|name| name == model || name.strip_suffix(":latest") == Some(model))
    };
    if models.iter().any(named) {
        return Some(true);
    }
    let has_more = list.get("has_more").and_then(Value::as_bool) == Some(true)
        || list.get("nextPageToken").is_some();
    (!has_more).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_models_are_read_as_each_provider_writes_them() {
        for body in [
            r#"{"data": [{"id": "other"}, {"id": "m-1"}]}"#,
            r#"{"models": [{"name": "models/m-1"}]}"#,
            r#"{"models": [{"name": "m-1:latest"}]}"#,
        ] {
            assert_eq!(lists_model(body, "m-1"), Some(true), "{body}");
            assert_eq!(lists_model(body, "m-2"), Some(false), "{body}");
        }
        assert_eq!(
            lists_model(r#"{"data": [], "has_more": true}"#, "m-1"),
            None
        );
        assert_eq!(lists_model("<html>", "m-1"), None);
    }
}
