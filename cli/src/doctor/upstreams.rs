//! Checks of MCP servers and GitHub, which the fleet calls.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use futures::future::join_all;
use reqwest::StatusCode;
use tarsy_config::{AgentConfig, Config, GitHubHost, preset as preset_of};
use tarsy_mcp::{Admission, ServerSurvey};

use super::Check;
use crate::output::shortened;

const TOOLS: &str = "tools";
const GITHUB: &str = "github";
/// Text of an Enterprise server without rate limits in response to a valid token.
const NO_LIMITS: &str = "Rate limiting is not enabled";
/// Longest wait for a response.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// Longest error text, because some servers print their help as an error.
const LONGEST: usize = 400;

/// Starts or connects each enabled MCP server that an agent uses and lists its tools.
pub(crate) async fn servers(config: &Config) -> Result<Vec<Check>> {
    let pool = tarsy_stage_worker::servers(config)?;
    let mut seen = BTreeSet::new();
    let mut checks = Vec::new();
    for agent in config.agents.values() {
        let view = pool.agent(&tarsy_stage_worker::access(config, agent))?;
        let surveys = view.survey().await;
        checks.extend(too_many_tools(config, agent, &surveys));
        for survey in surveys {
            if !seen.insert(survey.server.clone()) {
                continue;
            }
            let preset = config
                .server(&survey.server)
                .and_then(|server| server.preset);
            let preset = preset.and_then(preset_of);
            checks.push(match (&survey.tools, preset) {
                (Ok(_), Some(preset)) if !survey.missing.is_empty() => Check::warning(
                    TOOLS,
                    format!(
                        "`{}` lacks tools that agents are offered: {}",
                        survey.server,
                        shortened(&survey.missing.join(", "), LONGEST)
                    ),
                    format!(
                        "is it {} {}? `tarsy servers check {}` compares it with preset `{}`",
                        preset.package.name,
                        preset.package.version.as_deref().unwrap_or_default(),
                        survey.server,
                        preset.name
                    ),
                ),
                (Ok(tools), _) => Check::ok(
                    TOOLS,
                    format!("`{}` offers {} tools", survey.server, tools.len()),
                ),
                (Err(error), preset) => Check::failure(
                    TOOLS,
                    format!(
                        "`{}` is unusable: {}",
                        survey.server,
                        shortened(&why(&error.to_string(), survey.stderr.as_deref()), LONGEST)
                    ),
                    preset.map_or_else(
                        || format!("run its command or open its URL by hand; `tarsy tools {}` shows more", agent.name),
                        |preset| format!("{} `tarsy servers check {}` shows more", preset.missing, survey.server),
                    ),
                ),
            });
        }
    }
    pool.close().await;
    Ok(checks)
}

/// Returns the error with the last line that the server wrote to stderr.
fn why(error: &str, stderr: Option<&str>) -> String {
    match stderr.and_then(|stderr| stderr.lines().last()) {
        Some(line) => format!("{error}; stderr ends with: {line}"),
        None => error.to_owned(),
    }
}

/// Warns if an agent offers a model more tools than its vendor accepts. The excess tools are left out.
fn too_many_tools(config: &Config, agent: &AgentConfig, surveys: &[ServerSurvey]) -> Option<Check> {
    let tools = surveys
        .iter()
        .filter_map(|survey| survey.tools.as_ref().ok());
    let offered = tools
        .flatten()
        .filter(|tool| matches!(tool.admission, Admission::Allowed))
        .count();
    // With more tools than that, the model is only offered those that it has loaded.
    let loads = agent.limits.has_too_many(offered);
    let provider = config.native_providers_of(agent).into_iter();
    let provider = provider
        .filter(|provider| {
            let most = provider.kind.most_tools();
            most.is_some_and(|most| offered > most && !loads)
        })
        .min_by_key(|provider| provider.kind.most_tools())?;
    let most = provider.kind.most_tools()?;
    Some(Check::warning(
        TOOLS,
        format!(
            "agent `{}` offers {offered} tools; LLM provider `{}` takes {most}, so the rest is left out",
            agent.name, provider.name
        ),
        "name those it needs in the agent's `tools`",
    ))
}

/// Checks that each configured GitHub server accepts its token for runbooks.
pub(crate) async fn github(hosts: &[GitHubHost]) -> Vec<Check> {
    join_all(hosts.iter().map(token_of)).await
}

async fn token_of(github: &GitHubHost) -> Check {
    let (host, variable) = (&github.host, &github.token_env);
    let Some(token) = &github.token else {
        let finding = format!("no {variable}: only public runbooks of `{host}` can be fetched");
        return Check::ok(GITHUB, finding);
    };
    let request = async {
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
        // Enterprise servers respond with 404 both if they have no rate limits and if `api_url` is wrong. Only the text
        // differs.
        let is_unlimited =
            status == StatusCode::NOT_FOUND && answer.text().await?.contains(NO_LIMITS);
        Ok::<_, reqwest::Error>((status, is_unlimited))
    };
    let (status, is_unlimited) = match request.await {
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

/// Returns an error with its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
