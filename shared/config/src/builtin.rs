//! Definitions that exist without a configuration file.

use std::borrow::Cow;
use std::path::Path;

use tarsy_model::ProviderKind;

use crate::provider::ProviderConfig;
use crate::settings::Environment;
use crate::{Resolved, template};

/// Server, agent and chain of the Kubernetes investigation.
const YAML: &str = include_str!("builtin.yaml");

/// Arguments of the Kubernetes server that name a kubeconfig.
const KUBECONFIG_ARGUMENTS: &str = "        - \"--kubeconfig\"\n        - \"${KUBECONFIG}\"\n";

/// The server's command that fetches it with npm.
const BY_NPM: &str = "      command: npx\n      args:\n        - \"-y\"\n        - \"kubernetes-mcp-server@0.0.66\"\n";

/// The agent that diagnoses by rules, and the stage before the analysis that runs it.
const DIAGNOSIS_AGENT: &str = "agents:
  KubernetesDiagnosis:
    description: Recognises known failures of Kubernetes, without a model.
    code: diagnose
    mcp_servers: [kubernetes-server]
";
const DIAGNOSIS_STAGE: &str = "    stages:
      - name: diagnose
        agent: KubernetesDiagnosis
";

/// Name of the server's program, which the images and the Debian package install.
const PROGRAM: &str = "kubernetes-mcp-server";

/// Returns the built-in definitions. The Kubernetes server is the installed program if it is in `PATH`; otherwise npm
/// fetches it. In a pod without `KUBECONFIG` no kubeconfig is named, so that the server uses the pod's service account.
pub(crate) fn yaml(env: &Environment) -> Cow<'static, str> {
    let in_cluster = env.value("KUBERNETES_SERVICE_HOST").is_some();
    let mut yaml = Cow::Borrowed(YAML);
    if in_cluster && env.value("KUBECONFIG").is_none() {
        yaml = Cow::Owned(yaml.replace(KUBECONFIG_ARGUMENTS, ""));
    }
    if has_cluster(env) {
        let diagnosed = yaml.replacen("agents:\n", DIAGNOSIS_AGENT, 1).replacen(
            "    stages:\n",
            DIAGNOSIS_STAGE,
            1,
        );
        yaml = Cow::Owned(diagnosed);
    }
    if is_installed(env) {
        let installed = format!("      command: {PROGRAM}\n      args:\n");
        yaml = Cow::Owned(yaml.replace(BY_NPM, &installed));
    }
    yaml
}

/// Whether there is a cluster that the server can read. Without one, each session would have a stage that fails.
fn has_cluster(env: &Environment) -> bool {
    let usual = env
        .value("HOME")
        .map(|home| Path::new(home).join(".kube/config"));
    env.value("KUBECONFIG").is_some()
        || env.value("KUBERNETES_SERVICE_HOST").is_some()
        || usual.is_some_and(|file| file.is_file())
}

/// Whether the server's program is in `PATH`.
fn is_installed(env: &Environment) -> bool {
    let path = env.value("PATH").unwrap_or_default();
    std::env::split_paths(path).any(|folder| folder.join(PROGRAM).is_file())
}

/// Returns the providers that need nothing but a key, in the order in which one is chosen if none is named. Models and
/// windows are the vendors' general ones of November 2026 (ai.google.dev, developers.openai.com, docs.x.ai,
/// platform.claude.com). Vendors retire models; an entry of the same name in `llm_providers` changes them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Source};

    fn load(env: &[(&str, &str)]) -> Config {
        Config::load(
            &Source::BuiltIn,
            &Environment::from_pairs(env.iter().copied()),
        )
        .unwrap()
    }

    fn stages(env: &[(&str, &str)]) -> Vec<String> {
        let config = load(env);
        let chain = config.chain_for("kubernetes").unwrap();
        chain
            .stages
            .iter()
            .map(|stage| stage.name.clone())
            .collect()
    }

    #[test]
    fn where_a_cluster_is_configured_the_chain_begins_with_the_diagnosis() {
        let both = ["diagnose", "analysis"];
        assert_eq!(stages(&[]), ["analysis"]);
        assert_eq!(stages(&[("KUBECONFIG", "/etc/kube")]), both);
        assert_eq!(stages(&[("KUBERNETES_SERVICE_HOST", "10.0.0.1")]), both);
        let home = tempfile::tempdir().unwrap();
        let path = home.path().display().to_string();
        assert_eq!(stages(&[("HOME", &path)]), ["analysis"]);
        std::fs::create_dir(home.path().join(".kube")).unwrap();
        std::fs::write(home.path().join(".kube/config"), "").unwrap();
        assert_eq!(stages(&[("HOME", &path)]), both);
        let config = load(&[("KUBECONFIG", "/etc/kube")]);
        let agent = config.agent("KubernetesDiagnosis").unwrap();
        assert_eq!(agent.code.as_deref(), Some("diagnose"));
        assert_eq!(config.servers_of(agent)[0].server_id, "kubernetes-server");
    }
}
