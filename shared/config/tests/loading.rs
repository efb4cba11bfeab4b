//! What loads, what does not, and what an operator is told about it.

use std::path::Path;
use std::time::Duration;

use tarsy_config::{Config, Connection, Environment, Problems, ProviderKind, Source, Variables};
use tarsy_model::IterationStrategy;

fn load(text: &str, env: &[(&str, &str)]) -> Result<Config, Problems> {
    let source = Source::Text {
        name: "agents.yaml".to_owned(),
        text: text.to_owned(),
    };
    Config::load(&source, &Environment::of(env.iter().copied()))
}

fn problems(text: &str, env: &[(&str, &str)]) -> String {
    load(text, env).expect_err("has problems").to_string()
}

#[test]
fn without_a_file_the_kubernetes_chain_is_there() {
    let env = Environment::of([("HOME", "/home/sre")]);
    let config = Config::load(&Source::BuiltIn, &env).unwrap();
    assert_eq!(config.alert_types(), ["NamespaceTerminating", "kubernetes"]);
    let chain = config.chain_for("kubernetes").unwrap();
    assert_eq!(
        (chain.chain_id.as_str(), chain.stages[0].name.as_str()),
        ("kubernetes-agent-chain", "analysis")
    );
    let agent = config.agent("KubernetesAgent").unwrap();
    assert_eq!(
        config.strategy_for(&chain.stages[0], agent),
        IterationStrategy::React
    );
    let Connection::Stdio { command, args, .. } = &config.servers_of(agent)[0].connection else {
        panic!("the built-in server is a child process");
    };
    assert_eq!(command.value(), "npx");
    let args: Vec<&str> = args.iter().map(tarsy_config::Resolved::value).collect();
    assert!(
        args.contains(&"--read-only") && args.contains(&"--disable-destructive"),
        "{args:?}"
    );
    assert_eq!(args.last(), Some(&"/home/sre/.kube/config"));
    assert!(!config.has_provider());
}

#[test]
fn the_drafts_example_loads_as_written() {
    let config = load(include_str!("examples/chain_drafts.yaml"), &[]).unwrap();
    let chain = config.chain_for("SecurityBreach").unwrap();
    let stages: Vec<_> = chain
        .stages
        .iter()
        .map(|stage| (stage.name.as_str(), stage.agent.as_str()))
        .collect();
    assert_eq!(
        stages,
        [
            ("data-collection", "data-collector-agent"),
            ("analysis", "analysis-agent")
        ]
    );
    assert_eq!(
        chain.description.as_deref(),
        Some("Simple 2-stage security workflow")
    );
    let agent = config.agent("data-collector-agent").unwrap();
    assert_eq!(config.servers_of(agent)[0].server_id, "kubernetes-server");
}

#[test]
fn the_strategies_draft_loads_with_prefixed_and_bare_names() {
    let config = load(include_str!("examples/strategies_draft.yaml"), &[]).unwrap();
    let resolved = |alert_type: &str| -> Vec<(String, IterationStrategy)> {
        let chain = config.chain_for(alert_type).unwrap();
        let stages = chain.stages.iter();
        stages
            .map(|s| {
                (
                    s.agent.clone(),
                    config.strategy_for(s, config.agent(&s.agent).unwrap()),
                )
            })
            .collect()
    };
    use IterationStrategy::{React, ReactFinalAnalysis, ReactStage, ReactTools, ReactToolsPartial};
    assert_eq!(
        resolved("PodCrashLoop"),
        [
            ("k8s".to_owned(), ReactTools),
            ("k8s-logs".to_owned(), ReactTools),
            ("k8s-analysis".to_owned(), ReactFinalAnalysis),
        ]
    );
    assert_eq!(
        resolved("SecurityBreach"),
        [
            ("security-agent".to_owned(), ReactToolsPartial),
            ("k8s".to_owned(), ReactStage),
            ("k8s-analysis".to_owned(), ReactFinalAnalysis),
        ]
    );
    assert_eq!(
        resolved("UnauthorizedAccess"),
        [("security-agent".to_owned(), React)]
    );
    assert!(config.agent("ConfigurableAgent:k8s").is_some());
}

#[test]
fn every_mistake_is_reported_at_once_with_its_place() {
    insta::assert_snapshot!(problems(include_str!("examples/mistakes.yaml"), &[]));
}

#[test]
fn broken_yaml_is_reported_with_its_place() {
    let reports = [
        problems("agents:\n  a: [1, 2\n  b: {}\n", &[]),
        problems("a: &x [1]\nb: *x\n", &[]),
        problems("agents:\n  <<: {a: b}\n", &[]),
        problems("- not\n- a mapping\n", &[]),
        problems("agents: {}\n---\nagents: {}\n", &[]),
    ];
    insta::assert_snapshot!(reports.join("\n\n"));
}

#[test]
fn hostile_yaml_is_refused() {
    let bomb = format!("a: &a [{}]\nb: &b [*a, *a]\n", "x, ".repeat(9));
    assert!(problems(&bomb, &[]).contains("aliases are not accepted"));
    assert!(problems(&"[".repeat(10_000), &[]).contains("problem"));
    assert!(
        problems(&format!("a: {}", "x".repeat(300 * 1024)), &[]).contains("larger than 256 KiB")
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![b' '; 300 * 1024]).unwrap();
    let error =
        Config::load(&Source::File(file.path().into()), &Environment::default()).unwrap_err();
    assert!(error.to_string().contains("larger than 256 KiB"), "{error}");
    let missing = Config::load(
        &Source::File("no/such/file.yaml".into()),
        &Environment::default(),
    )
    .unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("no/such/file.yaml: can't be read"),
        "{missing}"
    );
}

#[test]
fn missing_variables_are_named_all_and_sorted_and_may_be_optional() {
    let text = "mcp_servers:\n  a:\n    connection_params: {command: a, args: ['${ZED}', '${ABC}', '${ZED}'], env: {T: '${MID}'}}\n";
    let error = load(text, &[("UNUSED", "hunter2")]).unwrap_err();
    assert_eq!(error.missing_variables(), ["ABC", "MID", "ZED"]);
    assert_eq!(error.len(), 3);
    let source = Source::Text {
        name: "a".to_owned(),
        text: text.to_owned(),
    };
    let config = Config::load_with(&source, &Environment::default(), Variables::Optional).unwrap();
    assert!(config.server("a").is_some());
}

#[test]
fn no_value_of_the_environment_is_ever_shown() {
    let secret = "hunter2-canary";
    let env = [
        ("TOKEN", secret),
        ("OPENAI_API_KEY", secret),
        ("GITHUB_TOKEN", secret),
        ("DEFAULT_LLM_PROVIDER", secret),
    ];
    let text = "
mcp_servers:
  a:
    server_id: ${TOKEN}
    enabled: ${TOKEN}
    connection_params: {url: '${TOKEN}', headers: {H: '${TOKEN}'}, bearer_token: '${TOKEN}', transport: '${TOKEN}', timeout: '${TOKEN}'}
    default_effect: ${TOKEN}
agents:
  b: {mcp_servers: ['${TOKEN}'], iteration_strategy: '${TOKEN}', llm_provider: '${TOKEN}', limits: {max_iterations: '${TOKEN}'}}
agent_chains:
  c: {alert_types: ['${TOKEN}', '${TOKEN}'], stages: [{name: '${TOKEN}', agent: '${TOKEN}', pool: '${TOKEN}'}, {name: '${TOKEN}', agent: '${TOKEN}'}]}
llm_providers:
  d: {type: '${TOKEN}', model: '${TOKEN}', api_key_env: '${TOKEN}', price: {input_per_million: '${TOKEN}', output_per_million: 1}}
runbooks: {allowed_hosts: ['https://${TOKEN}/x']}
";
    let report = problems(text, &env);
    assert!(!report.contains(secret), "{report}");

    let text = "mcp_servers:\n  a: {connection_params: {command: a, args: ['--token', '${TOKEN}'], env: {T: literal-canary}}}\n";
    let config = load(text, &env[..3]).unwrap();
    let shown = format!("{config:?} {}", serde_json::to_string(&config).unwrap());
    assert!(
        !shown.contains(secret) && !shown.contains("literal-canary"),
        "{shown}"
    );
    assert!(shown.contains("${TOKEN}"));
}

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
        let agent = config.agent(&stage.agent).unwrap();
        config
            .provider_for(stage, agent, chain)
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
fn the_environment_wins_over_the_file_where_it_says_so() {
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
fn a_disabled_server_is_nobodys_and_worth_a_warning() {
    let text = "mcp_servers: {s: {enabled: false, connection_params: {command: s}}}\nagents: {a: {mcp_servers: [s]}}\n";
    let config = load(text, &[]).unwrap();
    assert!(config.server("s").is_none());
    assert!(config.servers_of(config.agent("a").unwrap()).is_empty());
    assert_eq!(config.warnings.len(), 1);
}

#[test]
fn an_agent_sees_only_the_tools_it_names() {
    let text = "
mcp_servers: {s: {connection_params: {command: s}}, t: {connection_params: {command: t}}}
agents: {a: {mcp_servers: [s, t], tools: {s: [get]}}}
";
    let config = load(text, &[]).unwrap();
    let agent = config.agent("a").unwrap();
    assert!(agent.offers("s", "get") && !agent.offers("s", "delete"));
    assert!(agent.offers("t", "anything") && !agent.offers("kubernetes-server", "get"));
}

/// The reference file, as it is and with every commented example switched on.
#[test]
fn the_reference_file_loads_and_so_do_its_examples() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/agents.yaml");
    let config = Config::load(&Source::File(path.clone()), &Environment::default()).unwrap();
    assert_eq!(config.alert_types(), ["NamespaceTerminating", "kubernetes"]);

    // Examples are comments that start with `#:`; prose starts with `# `.
    let text = std::fs::read_to_string(path).unwrap();
    let examples: String = text
        .lines()
        .filter_map(|line| Some(format!("{}\n", line.strip_prefix("#:")?)))
        .collect();
    let active: String = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(active.contains("webhooks:"), "{active}");
    let env = [
        ("LOGS_TOKEN", "t"),
        ("GHE_TOKEN", "t"),
        ("GATEWAY_KEY", "k"),
    ];
    let config = load(&examples, &env).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(config.chains.len() > 1 && config.prices.len() > 1);
}

#[test]
fn the_fleets_own_server_id_is_taken() {
    let told = problems(
        "mcp_servers:\n  tarsy:\n    connection_params: {command: x}\n    elicitation: maybe\n",
        &[],
    );
    assert!(
        told.contains("the name `tarsy` is the fleet's own"),
        "{told}"
    );
    assert!(told.contains("accept_defaults"), "{told}");
}

#[test]
fn the_tests_run_the_kubernetes_server_that_is_built_in() {
    let tested = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node/package.json");
    let tested: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(tested).expect("package.json"))
            .expect("JSON");
    let version = tested["dependencies"]["kubernetes-mcp-server"]
        .as_str()
        .expect("a version");
    let built_in = include_str!("../src/builtin.yaml");
    let named = format!("kubernetes-mcp-server@{version}\"");
    assert!(built_in.contains(&named), "{named}");
}
