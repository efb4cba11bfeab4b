//! Checks of what the fleet calls: LLM providers, MCP servers, GitHub.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use futures::future::join_all;
use reqwest::StatusCode;
use tarsy_config::{Config, GitHubHost, ProviderConfig, ProviderKind};

use super::Check;
use crate::output::shortened;

const MODELS: &str = "models";
const TOOLS: &str = "tools";
const GITHUB: &str = "github";
/// What an Enterprise server without rate limits says of them, to whom it knows.
const NO_LIMITS: &str = "Rate limiting is not enabled";
/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest error text; servers print their help.
const LONGEST: usize = 400;

/// Asks each usable provider's endpoint for an HTTP answer. No model is called and no key is sent.
pub(crate) async fn providers(config: &Config) -> Vec<Check> {
    let Ok(client) = reqwest::Client::builder().timeout(PATIENCE).build() else {
        return vec![Check::failure(
            MODELS,
            "failed to set up TLS",
            "check the CA certificates",
        )];
    };
    let usable = config
        .providers
        .values()
        .filter(|provider| provider.available);
    join_all(usable.map(async |provider| provider_check(&client, provider).await)).await
}

async fn provider_check(client: &reqwest::Client, provider: &ProviderConfig) -> Check {
    let name = &provider.name;
    let Some(endpoint) = endpoint(provider) else {
        return Check::ok(MODELS, format!("`{name}` plays a script"));
    };
    match client.get(&endpoint).send().await {
        Ok(_) => Check::ok(
            MODELS,
            format!(
                "`{name}` is reachable (model {}); its key is not tried",
                provider.model
            ),
        ),
        Err(error) => Check::failure(
            MODELS,
            format!("`{name}` is unreachable: {}", chain(&error.without_url())),
            "check the address, DNS, the proxy and egress rules",
        ),
    }
}

fn endpoint(provider: &ProviderConfig) -> Option<String> {
    if let Some(url) = &provider.base_url {
        return Some(url.value().to_owned());
    }
    let host = match provider.kind {
        ProviderKind::OpenAi => "api.openai.com",
        ProviderKind::Gemini => "generativelanguage.googleapis.com",
        ProviderKind::Xai => "api.x.ai",
        ProviderKind::Anthropic => "api.anthropic.com",
        ProviderKind::Ollama => "localhost:11434",
        ProviderKind::Scripted => return None,
    };
    Some(format!("https://{host}/"))
}

/// Starts or connects each enabled MCP server that an agent uses and lists its tools.
pub(crate) async fn servers(config: &Config) -> Result<Vec<Check>> {
    let pool = tarsy_stage_worker::servers(config)?;
    let mut seen = BTreeSet::new();
    let mut checks = Vec::new();
    for agent in config.agents.values() {
        let view = pool.agent(&tarsy_stage_worker::access(config, agent))?;
        for survey in view.survey().await {
            if !seen.insert(survey.server.clone()) {
                continue;
            }
            checks.push(match survey.tools {
                Ok(tools) => Check::ok(
                    TOOLS,
                    format!("`{}` offers {} tools", survey.server, tools.len()),
                ),
                Err(error) => Check::failure(
                    TOOLS,
                    format!(
                        "`{}` is unusable: {}",
                        survey.server,
                        shortened(&error.to_string(), LONGEST)
                    ),
                    format!(
                        "run its command or open its URL by hand; `tarsy tools {}` shows more",
                        agent.name
                    ),
                ),
            });
        }
    }
    pool.close().await;
    Ok(checks)
}

/// Whether each configured GitHub accepts its token for runbooks.
pub(crate) async fn github(hosts: &[GitHubHost]) -> Vec<Check> {
    join_all(hosts.iter().map(token_of)).await
}

async fn token_of(github: &GitHubHost) -> Check {
    let (host, variable) = (&github.host, &github.token_env);
    let Some(token) = &github.token else {
        let finding = format!("no {variable}: only public runbooks of `{host}` can be fetched");
        return Check::ok(GITHUB, finding);
    };
    let asked = async {
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .user_agent("tarsy")
            .build()?;
        let limits = format!("{}/rate_limit", github.api_url);
        let answer = client
            .get(limits)
            .bearer_auth(token.expose())
            .send()
            .await?;
        let status = answer.status();
        // Enterprise servers answer 404 both without rate limits and where `api_url` leads nowhere; only the text differs.
        let is_unlimited =
            status == StatusCode::NOT_FOUND && answer.text().await?.contains(NO_LIMITS);
        Ok::<_, reqwest::Error>((status, is_unlimited))
    };
    let (status, is_unlimited) = match asked.await {
        Ok(answer) => answer,
        Err(error) => {
            return Check::warning(
                GITHUB,
                format!("`{host}` is unreachable: {}", chain(&error.without_url())),
                "its runbooks can't be fetched: check DNS, the proxy and egress rules",
            );
        }
    };
    match status {
        status if status.is_success() || is_unlimited => {
            Check::ok(GITHUB, format!("`{host}` accepts the token"))
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Check::failure(
            GITHUB,
            format!("`{host}` rejects the token: {status}"),
            format!("set {variable} to a token with read access to the runbooks' repositories"),
        ),
        StatusCode::NOT_FOUND => Check::failure(
            GITHUB,
            format!("`{host}` has no API at {}", github.api_url),
            "correct `api_url` in `runbooks.github_enterprise`",
        ),
        status => Check::warning(
            GITHUB,
            format!("`{host}` answers {status}"),
            "its runbooks can't be fetched until it recovers",
        ),
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
