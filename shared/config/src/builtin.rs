//! Definitions that exist without a configuration file.

use tarsy_model::ProviderKind;

use crate::provider::ProviderConfig;
use crate::settings::Environment;
use crate::{Resolved, template};

/// Server, agent and chain of the Kubernetes investigation.
pub(crate) const YAML: &str = include_str!("builtin.yaml");

/// Providers that need nothing but a key, in the order in which one is chosen when none is
/// named. Models and windows are the vendors' general ones of November 2026 (ai.google.dev,
/// developers.openai.com, docs.x.ai, platform.claude.com); vendors retire models, and an entry of the same
/// name in `llm_providers` changes them.
pub(crate) fn providers(env: &Environment) -> Vec<ProviderConfig> {
    let plain = |name: &str, kind, model: &str, window| ProviderConfig {
        context_window: window,
        ..ProviderConfig::plain(name, kind, model)
    };
    let ollama_model = template::resolve("${OLLAMA_MODEL}", env).unwrap_or_default();
    let ollama = ProviderConfig {
        base_url: env
            .value("OLLAMA_BASE_URL")
            .map(|url| Resolved::new("${OLLAMA_BASE_URL}", url)),
        ..plain("ollama", ProviderKind::Ollama, &ollama_model, None)
    };
    vec![
        plain(
            "gemini",
            ProviderKind::Gemini,
            "gemini-3.8-flash",
            Some(1_048_576),
        ),
        plain(
            "openai",
            ProviderKind::OpenAi,
            "gpt-5.6-sol",
            Some(1_050_000),
        ),
        plain("xai", ProviderKind::Xai, "grok-4.6", Some(500_000)),
        plain(
            "anthropic",
            ProviderKind::Anthropic,
            "claude-sonnet-5-5",
            Some(1_000_000),
        ),
        ollama,
    ]
}
