//! Definitions that exist without a configuration file.

use std::borrow::Cow;

use tarsy_model::ProviderKind;

use crate::provider::ProviderConfig;
use crate::settings::Environment;
use crate::{Resolved, template};

/// Server, agent and chain of the Kubernetes investigation.
const YAML: &str = include_str!("builtin.yaml");

/// Arguments of the Kubernetes server that name a kubeconfig.
const KUBECONFIG_ARGUMENTS: &str = "        - \"--kubeconfig\"\n        - \"${KUBECONFIG}\"\n";

/// The server's command where npm fetches it.
const BY_NPM: &str = "      command: npx\n      args:\n        - \"-y\"\n        - \"kubernetes-mcp-server@0.0.66\"\n";

/// The server's program, which images and the Debian package install.
const PROGRAM: &str = "kubernetes-mcp-server";

/// The built-in definitions. The Kubernetes server is the installed program, if `PATH` has it; npm fetches it otherwise. In a pod without `KUBECONFIG` the Kubernetes server uses the pod's service account:
/// it does so by itself if no kubeconfig is named.
pub(crate) fn yaml(env: &Environment) -> Cow<'static, str> {
    let in_cluster = env.value("KUBERNETES_SERVICE_HOST").is_some();
    let mut yaml = Cow::Borrowed(YAML);
    if in_cluster && env.value("KUBECONFIG").is_none() {
        yaml = Cow::Owned(yaml.replace(KUBECONFIG_ARGUMENTS, ""));
    }
    if is_installed(env) {
        let installed = format!("      command: {PROGRAM}\n      args:\n");
        yaml = Cow::Owned(yaml.replace(BY_NPM, &installed));
    }
    yaml
}

/// Whether `PATH` has the server's program.
fn is_installed(env: &Environment) -> bool {
    let path = env.value("PATH").unwrap_or_default();
    std::env::split_paths(path).any(|folder| folder.join(PROGRAM).is_file())
}

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
