//! LLM providers that stages use although they can't be asked.

use tarsy_chain::{ChainDefinition, StageDefinition};

use super::finding;
use crate::{Config, Problem, ProviderConfig};

pub(super) fn findings(config: &Config) -> Vec<Problem> {
    let mut findings = Vec::new();
    let mut report = |message: String, hint: String| {
        findings.push(finding(&config.source, message, hint));
    };
    if !config.providers.values().any(|provider| provider.available) {
        report(
            "no LLM provider is usable: every stage fails".to_owned(),
            "set GEMINI_API_KEY, OPENAI_API_KEY, XAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_BASE_URL"
                .to_owned(),
        );
    } else {
        for (stage, provider) in unserved(config) {
            report(
                format!(
                    "{stage} asks LLM provider `{}`, which is not usable, nor is a fallback of it",
                    provider.name
                ),
                provider.how_to_enable(),
            );
        }
    }
    let summarizer = config.summary_provider.as_deref();
    if let Some(provider) = summarizer.and_then(|name| config.provider(name))
        && !provider.available
    {
        report(
            format!(
                "`summary_provider` names LLM provider `{}`, which is not usable: long tool results are not summarised",
                provider.name
            ),
            provider.how_to_enable(),
        );
    }
    for provider in config.providers.values() {
        if provider.available && provider.model.trim().is_empty() {
            let hint = match provider.name.as_str() {
                "ollama" => "set OLLAMA_MODEL",
                _ => "set its `model`",
            };
            report(
                format!("LLM provider `{}` has no model", provider.name),
                hint.to_owned(),
            );
        }
        if let Some(circle) = circle_from(config, provider) {
            report(
                format!("LLM providers fall back to each other: {}", circle.join(" -> ")),
                "fallbacks are tried once each, in the order of the first provider's list; remove the way back".to_owned(),
            );
        }
    }
    findings
}

/// Reports stages that verify claims with the same provider that made them.
pub(crate) fn own_verifiers(config: &Config) -> Vec<Problem> {
    let mut found = Vec::new();
    for chain in config.chains.values() {
        for stage in &chain.stages {
            let verified = stage
                .kind
                .as_agent()
                .and_then(|kind| kind.verifies.as_ref());
            let verified = chain
                .stages
                .iter()
                .find(|other| Some(&other.name) == verified);
            let Some(provider) = named(config, chain, stage) else {
                continue;
            };
            if verified.and_then(|verified| named(config, chain, verified)) == Some(provider) {
                found.push(finding(
                    &config.source,
                    format!(
                        "stage `{}` of chain `{}` verifies with LLM provider `{provider}`, which made the claims",
                        stage.name, chain.chain_id
                    ),
                    "set another `llm_provider`: a model rarely refutes itself".to_owned(),
                ));
            }
        }
    }
    found
}

/// Returns the name of the provider that a stage asks first.
fn named<'c>(
    config: &'c Config,
    chain: &'c ChainDefinition,
    stage: &'c StageDefinition,
) -> Option<&'c str> {
    let agent = stage.agent().and_then(|agent| config.agent(agent));
    let named = stage.kind.llm_provider();
    named
        .or(agent.and_then(|agent| agent.llm_provider.as_deref()))
        .or(chain.llm_provider.as_deref())
        .or(config.default_llm_provider.as_deref())
}

/// Returns the stages whose provider can't be asked, with that provider.
fn unserved(config: &Config) -> Vec<(String, &ProviderConfig)> {
    let mut found = Vec::new();
    for chain in config.chains.values() {
        for stage in &chain.stages {
            if !stage.kind.asks_model() || !config.provider_for(stage, chain).is_empty() {
                continue;
            }
            let named = named(config, chain, stage);
            if let Some(provider) = named.and_then(|name| config.provider(name)) {
                found.push((
                    format!("stage `{}` of chain `{}`", stage.name, chain.chain_id),
                    provider,
                ));
            }
        }
    }
    found
}

/// Returns the cycle of fallbacks that begins and ends at `first`. It is found only from its alphabetically first
/// member, so each cycle is reported once.
fn circle_from<'c>(config: &'c Config, first: &'c ProviderConfig) -> Option<Vec<&'c str>> {
    let mut path = vec![first.name.as_str()];
    walk(config, first, &first.name, &mut path).then_some(path)
}

fn walk<'c>(
    config: &'c Config,
    at: &'c ProviderConfig,
    first: &str,
    path: &mut Vec<&'c str>,
) -> bool {
    // Providers may share a list that contains all of them. That is no cycle.
    let named = at.fallbacks.iter().filter(|_| !at.names_lists);
    for name in named {
        if name == first {
            path.push(name);
            return true;
        }
        // Follow only names after the first one: so each cycle is found from one member only.
        if name.as_str() <= first || path.contains(&name.as_str()) {
            continue;
        }
        let Some(next) = config.provider(name) else {
            continue;
        };
        path.push(name);
        if walk(config, next, first, path) {
            return true;
        }
        path.pop();
    }
    false
}
