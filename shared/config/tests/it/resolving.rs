//! Which provider, strategy and chain applies if several are named.

use std::time::Duration;

use tarsy_config::ProviderKind;

use crate::support::{load, problems};

#[test]
fn the_first_provider_with_a_key_is_the_default_unless_one_is_named() {
    let name = |text: &str, env: &[(&str, &str)]| {
        let config = load(text, env).unwrap();
        config
            .default_provider()
            .map(|p| (p.name.clone(), p.available))
    };
    let some = |name: &str, available| Some((name.to_owned(), available));
    assert_eq!(
        name("", &[("XAI_API_KEY", "k"), ("OPENAI_API_KEY", "k")]),
        some("openai", true)
    );
    assert_eq!(
        name("", &[("XAI_API_KEY", "k"), ("OPENAI_API_KEY", " ")]),
        some("xai", true)
    );
    assert_eq!(
        name("", &[("OLLAMA_BASE_URL", "http://localhost:11434")]),
        some("ollama", true)
    );
    assert_eq!(name("", &[]), None);
    let file = "llm_providers:\n  zzz: {type: openai, model: m, api_key_env: ZZZ_KEY}\n  demo: {type: scripted, script: s.yaml}\n";
    assert_eq!(
        name(file, &[("GEMINI_API_KEY", "k"), ("ZZZ_KEY", "k")]),
        some("zzz", true)
    );
    assert_eq!(name(file, &[("GEMINI_API_KEY", "k")]), some("demo", true));
    let file = format!("{file}default_llm_provider: gemini\n");
    assert_eq!(
        name(&file, &[("ZZZ_KEY", "k")]),
        some("gemini", false),
        "a named default is not replaced silently"
    );
    assert_eq!(
        name(&file, &[("ZZZ_KEY", "k"), ("DEFAULT_LLM_PROVIDER", "zzz")]),
        some("zzz", true)
    );
    let unknown = problems("", &[("DEFAULT_LLM_PROVIDER", "gemni")]);
    assert!(
        unknown.contains("environment: `DEFAULT_LLM_PROVIDER`")
            && unknown.contains("did you mean `gemini`?"),
        "{unknown}"
    );
}

#[test]
fn stage_over_agent_over_chain_over_default_then_fallbacks() {
    let text = "
llm_providers:
  gemini: {model: gemini-next, fallbacks: [openai, xai, anthropic]}
agents: {a: {llm_provider: anthropic}, b: {}}
agent_chains:
  c:
    alert_types: [T]
    llm_provider: gemini
    stages: [{name: s1, agent: a, llm_provider: xai}, {name: s2, agent: a}, {name: s3, agent: b}]
";
    let env = [
        ("GEMINI_API_KEY", "k"),
        ("OPENAI_API_KEY", "k"),
        ("XAI_API_KEY", "k"),
        ("ANTHROPIC_API_KEY", "k"),
    ];
    let chosen = |env: &[(&str, &str)], stage: usize| -> Vec<String> {
        let config = load(text, env).unwrap();
        let chain = config.chain_for("T").unwrap();
        let stage = &chain.stages[stage];
        config
            .provider_for(stage, chain)
            .iter()
            .map(|p| p.name.clone())
            .collect()
    };
    assert_eq!(chosen(&env, 0), ["xai"]);
    assert_eq!(chosen(&env, 1), ["anthropic"]);
    assert_eq!(chosen(&env, 2), ["gemini", "openai", "xai", "anthropic"]);
    assert_eq!(
        chosen(&env[2..], 2),
        ["xai", "anthropic"],
        "without a key there is nobody to ask"
    );
    let config = load(text, &env).unwrap();
    let gemini = config.provider("gemini").unwrap();
    assert_eq!(
        (gemini.kind, gemini.model.as_str(), gemini.context_window),
        (ProviderKind::Gemini, "gemini-next", Some(1_048_576))
    );
}

#[test]
fn alertmanager_labels_lead_to_an_alert_type_and_a_runbook() {
    let text = "
webhooks:
  alertmanager:
    alert_type:
      labels: [tarsy, alertname]
      values: {KubeNamespaceStuck: NamespaceTerminating}
      default: kubernetes
    runbook: {default: 'local:general'}
";
    let config = load(text, &[]).unwrap();
    let webhook = config.webhook("alertmanager").unwrap();
    let known = |name: &str| config.chain_for(name).is_some();
    let pick = |labels: &'static [(&str, &str)]| {
        let find = move |name: &str| {
            labels
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| *value)
        };
        (
            webhook.alert_type.choose(find, |_| None, known),
            webhook.runbook.choose(|_| None, find, |_| true),
        )
    };
    let of = |kind: &str, runbook: &str| (Some(kind.to_owned()), Some(runbook.to_owned()));
    assert_eq!(
        pick(&[("alertname", "KubeNamespaceStuck")]),
        of("NamespaceTerminating", "local:general")
    );
    assert_eq!(
        pick(&[("alertname", "Other"), ("runbook_url", "https://x/y")]),
        of("kubernetes", "https://x/y")
    );
    assert!(
        problems(
            "webhooks: {alertmanager: {alert_type: {default: kubernets}}}",
            &[]
        )
        .contains("did you mean `kubernetes`?")
    );
}

#[test]
fn the_environment_wins_over_the_file_where_it_is_set() {
    let text = "retention: {history_days: 30}\nrunbooks: {timeout: 3s, max_bytes: 1000}\n";
    let day = Duration::from_secs(86_400);
    assert_eq!(load(text, &[]).unwrap().retention.history, day * 30);
    let config = load(
        text,
        &[
            ("HISTORY_RETENTION_DAYS", "7"),
            ("RUNBOOK_MAX_BYTES", "2000"),
        ],
    )
    .unwrap();
    assert_eq!(config.retention.history, day * 7);
    assert_eq!(
        (config.runbooks.timeout, config.runbooks.max_bytes),
        (Duration::from_secs(3), 2000)
    );
}

#[test]
fn a_definition_of_the_file_replaces_the_built_in_one() {
    let config = load(
        r#"
mcp_servers:
  kubernetes-server:
    connection_params: {command: kubectl-mcp}
agents:
  KubernetesAgent: {mcp_servers: [kubernetes-server], description: ours}
agent_chains:
  deep-dive:
    alert_types: [kubernetes]
    stages: [{name: look, agent: KubernetesAgent}]
"#,
        &[],
    )
    .expect("loads");
    let command = match &config.server("kubernetes-server").unwrap().connection {
        tarsy_config::Connection::Stdio { command, .. } => command.value(),
        other => panic!("{other:?}"),
    };
    assert_eq!(command, "kubectl-mcp");
    assert_eq!(
        config
            .agent("KubernetesAgent")
            .unwrap()
            .description
            .as_deref(),
        Some("ours")
    );
    assert_eq!(
        config.chain_for("kubernetes").unwrap().chain_id,
        "deep-dive"
    );
    let kept = config.chain_for("NamespaceTerminating").unwrap();
    assert_eq!(kept.alert_types, ["NamespaceTerminating"]);
}

#[test]
fn registries_of_the_environment_define_servers_and_chains() {
    let config = load(
        "agents: {storage: {mcp_servers: [disks]}}",
        &[
            (
                "AGENT_REGISTRY",
                r#"{"DiskFull": "storage", "kubernetes": "KubernetesAgent"}"#,
            ),
            (
                "MCP_SERVER_REGISTRY",
                r#"{"disks": {"connection_params": {"command": "disk-mcp"}}}"#,
            ),
        ],
    )
    .expect("loads");
    let chain = config.chain_for("DiskFull").unwrap();
    assert_eq!(
        (chain.stages.len(), chain.stages[0].agent()),
        (1, Some("storage"))
    );
    assert!(config.server("disks").is_some());
    assert!(
        config.chain_for("kubernetes").is_some()
            && config.chain_for("NamespaceTerminating").is_some()
    );
}

#[test]
fn registries_have_their_other_names_and_only_one_at_a_time() {
    // As in the design document.
    let agents = r#"{"NamespaceTerminating": "KubernetesAgent"}"#;
    let servers = r#"{"disks": {"connection_params": {"command": "disk-mcp"}}}"#;
    let config = load(
        "",
        &[
            ("AGENT_REGISTRY_CONFIG", agents),
            ("MCP_SERVER_REGISTRY_CONFIG", servers),
        ],
    )
    .expect("loads");
    let chain = config.chain_for("NamespaceTerminating").unwrap();
    assert_eq!(chain.chain_id, "KubernetesAgent-registry");
    assert!(config.server("disks").is_some());
    let both = [
        ("AGENT_REGISTRY", agents),
        ("AGENT_REGISTRY_CONFIG", agents),
    ];
    let report = crate::support::problems("", &both);
    assert!(
        report.contains("`AGENT_REGISTRY` and `AGENT_REGISTRY_CONFIG` are both set"),
        "{report}"
    );
    // The document's placeholder is not valid JSON. The message shows what would be.
    let report = crate::support::problems("", &[("MCP_SERVER_REGISTRY_CONFIG", "{...}")]);
    assert!(
        report.contains("`MCP_SERVER_REGISTRY_CONFIG`: invalid JSON")
            && report.contains(r#"expected `{"<server>": {..}}`"#),
        "{report}"
    );
}

/// Chains as the enhancement proposal shows them, without the key that they belong under.
const PASTED_CHAINS: &str = r#"# Multi-stage data collection + final analysis
kubernetes-deep-troubleshooting:
  alert_types: ["KubernetesCritical", "PodCrashLoop"] 
  stages:
    - name: "system-data-collection"
      agent: "ConfigurableAgent:k8s"                # K8s agent with k8s tools
      iteration_strategy: "react-tools"             # Data collection only
    - name: "log-analysis"  
      agent: "ConfigurableAgent:k8s-logs"           # K8s agent with logs specific tools
      iteration_strategy: "react-tools"             # More data collection
    - name: "final-diagnosis"
      agent: "ConfigurableAgent:k8s-analysis"       # Same k8s agent, analysis mode
      iteration_strategy: "react-final-analysis"    # Analysis with full context

# Mixed approach with incremental analysis
security-incident-investigation:
  alert_types: ["SecurityBreach"]
  stages:
    - name: "evidence-collection"
      agent: "ConfigurableAgent:security"           # Single security agent
      iteration_strategy: "react-tools-partial"     # Collect + partial analysis of collected data
    - name: "k8s-data-collection"
      agent: "ConfigurableAgent:k8s"                # K8s agent with k8s tools
      iteration_strategy: "react-tools-partial"     # Collect + partial analysis of collected data
    - name: "aws-data-collection"
      agent: "ConfigurableAgent:aws"                # AWS agent
      iteration_strategy: "react-tools-partial"     # More data + partial analysis of collected data
    - name: "final-report"
      agent: "ConfigurableAgent:security-analysis"  # Security agent, no tools, final analysis only
      iteration_strategy: "react-final-analysis"    # Comprehensive report
"#;

#[test]
fn entries_without_their_section_are_reported_with_its_name() {
    let report = crate::support::problems(PASTED_CHAINS, &[]);
    for name in [
        "kubernetes-deep-troubleshooting",
        "security-incident-investigation",
    ] {
        assert!(
            report.contains(&format!("unknown key `{name}`")),
            "{report}"
        );
    }
    assert_eq!(
        report
            .matches("it looks like an entry of `agent_chains`: indent it below that key")
            .count(),
        2,
        "{report}"
    );
    let report = crate::support::problems(
        "logs: {connection_params: {command: x}}\nreader: {custom_instructions: x}\n",
        &[],
    );
    assert!(
        report.contains("entry of `mcp_servers`") && report.contains("entry of `agents`"),
        "{report}"
    );

    // Under that key, they load unchanged.
    let indented: String = PASTED_CHAINS
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect();
    let agents: String = [
        "k8s",
        "k8s-logs",
        "k8s-analysis",
        "security",
        "aws",
        "security-analysis",
    ]
    .iter()
    .map(|name| format!("  {name}: {{custom_instructions: x}}\n"))
    .collect();
    let config = load(&format!("agents:\n{agents}agent_chains:\n{indented}"), &[]).expect("loads");
    assert_eq!(config.chain_for("PodCrashLoop").unwrap().stages.len(), 3);
}

#[test]
fn a_broken_registry_is_reported_without_its_values() {
    let report = crate::support::problems(
        "",
        &[
            ("AGENT_REGISTRY", r#"{"DiskFull": "hunter2"}"#),
            (
                "MCP_SERVER_REGISTRY",
                r#"{"disks": {"comand": "token-hunter2"}}"#,
            ),
        ],
    );
    assert!(
        report.contains("AGENT_REGISTRY: unknown agent")
            && report.contains("MCP_SERVER_REGISTRY: "),
        "{report}"
    );
    assert!(!report.contains("token-hunter2"), "{report}");
    let report = crate::support::problems(
        "",
        &[("AGENT_REGISTRY", "NamespaceTerminating=KubernetesAgent")],
    );
    assert!(
        report.contains("`AGENT_REGISTRY`: invalid JSON")
            && !report.contains("NamespaceTerminating"),
        "{report}"
    );
}

#[test]
fn in_a_pod_the_kubernetes_server_uses_the_service_account() {
    let arguments = |env: &[(&str, &str)]| -> Vec<String> {
        let config = load("", env).expect("loads");
        match &config.server("kubernetes-server").unwrap().connection {
            tarsy_config::Connection::Stdio { args, .. } => args
                .iter()
                .map(|argument| argument.value().to_owned())
                .collect(),
            other => panic!("{other:?}"),
        }
    };
    let pod = ("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    assert!(!arguments(&[pod]).iter().any(|a| a == "--kubeconfig"));
    assert!(arguments(&[pod, ("KUBECONFIG", "/etc/kube")]).contains(&"/etc/kube".to_owned()));
    assert!(arguments(&[]).iter().any(|a| a == "--kubeconfig"));
}

#[test]
fn the_kubernetes_server_is_the_installed_program_where_there_is_one() {
    let command = |path: &str| {
        let config = load("", &[("PATH", path)]).expect("loads");
        match &config.server("kubernetes-server").unwrap().connection {
            tarsy_config::Connection::Stdio { command, args, .. } => (
                command.value().to_owned(),
                args.first().map(|argument| argument.value().to_owned()),
            ),
            other => panic!("{other:?}"),
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    assert_eq!(command(&path), ("npx".to_owned(), Some("-y".to_owned())));
    std::fs::write(folder.path().join("kubernetes-mcp-server"), "").unwrap();
    let installed = (
        "kubernetes-mcp-server".to_owned(),
        Some("--read-only".to_owned()),
    );
    assert_eq!(command(&path), installed);
}

#[test]
fn a_built_in_server_is_switched_off_in_a_line() {
    let config = load("mcp_servers: {kubernetes-server: {enabled: false}}", &[]).expect("loads");
    assert!(config.server("kubernetes-server").is_none());
    let problems = load("mcp_servers: {other: {enabled: true}}", &[]).unwrap_err();
    assert!(
        problems.to_string().contains("connection_params"),
        "{problems}"
    );
}

#[test]
fn strict_checks_name_what_would_fail_later() {
    let text = r#"
llm_providers:
  a: {type: openai, model: m, api_key_env: A_KEY, fallbacks: [b]}
  b: {type: openai, model: m, api_key_env: A_KEY, fallbacks: [a]}
  c: {type: openai, model: m, api_key_env: C_KEY}
summary_provider: c
agent_chains:
  disk: {alert_types: [Disk], stages: [{name: look, agent: KubernetesAgent, llm_provider: c}]}
webhooks:
  grafana: {secrets_env: [GRAFANA_SECRET]}
"#;
    let findings = |env: &[(&str, &str)]| -> Vec<String> {
        let config = load(text, env).expect("loads");
        let env = tarsy_config::Environment::from_pairs(env.iter().copied());
        tarsy_config::strict_findings(&config, &env)
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    insta::assert_snapshot!(
        findings(&[("A_KEY", "k"), ("TARSY_STAGE_POOL", "x"), ("PORT", "8000")]).join("\n"),
        @r"
    agents.yaml: stage `look` of chain `disk` asks LLM provider `c`, which is not usable, nor is a fallback of it
      hint: set C_KEY
    agents.yaml: `summary_provider` names LLM provider `c`, which is not usable: long tool results are not summarised
      hint: set C_KEY
    agents.yaml: LLM providers fall back to each other: a -> b -> a
      hint: fallbacks are tried once each, in the order of the first provider's list; remove the way back
    agents.yaml: webhook source `grafana`: no secret is set; every request is rejected
      hint: set GRAFANA_SECRET
    environment: unknown variable `TARSY_STAGE_POOL`: nothing reads it
      hint: did you mean `TARSY_STAGE_POOLS`?
    environment: variable `PORT` has another name here: nothing reads it
      hint: set TARSY_LISTEN, as `host:port`
    "
    );
    let none = findings(&[]).join("\n");
    assert!(none.contains("no LLM provider is usable"), "{none}");
}
