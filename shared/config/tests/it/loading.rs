//! Which configurations load, which do not, and what an operator is told about it.

use std::path::Path;

use tarsy_config::{Config, Connection, Environment, Source, Variables};
use tarsy_model::IterationStrategy;

use crate::support::{load, problems};

#[test]
fn without_a_file_the_kubernetes_chain_is_there() {
    let env = Environment::from_pairs([("HOME", "/home/sre")]);
    let config = Config::load(&Source::BuiltIn, &env).unwrap();
    assert_eq!(config.alert_types(), ["NamespaceTerminating", "kubernetes"]);
    let chain = config.chain_for("kubernetes").unwrap();
    assert_eq!(
        (chain.chain_id.as_str(), chain.stages[0].name.as_str()),
        ("kubernetes-agent-chain", "analysis")
    );
    let agent = config.agent("KubernetesAgent").unwrap();
    assert_eq!(
        config.stage_plans().plan(&chain.stages[0], None).strategy,
        Some(IterationStrategy::React)
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
        .map(|stage| (stage.name.as_str(), stage.agent().unwrap_or_default()))
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
                let strategy = config.stage_plans().plan(s, None).strategy;
                (s.agent().unwrap().to_owned(), strategy.unwrap())
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
        problems("agents:\n  a: {custom_instructions: \"be\\0brief\"}\n", &[]),
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
fn the_reference_file_loads_and_so_do_its_examples() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/agents.yaml");
    let config = Config::load(&Source::File(path.clone()), &Environment::default()).unwrap();
    assert_eq!(config.alert_types(), ["NamespaceTerminating", "kubernetes"]);

    // Examples are comments that start with `#:`. Explanations start with `# `.
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
        ("GRAFANA_TOKEN", "t"),
        ("GHE_TOKEN", "t"),
        ("GATEWAY_KEY", "k"),
        ("DATABASE_URL", "postgres://db/tarsy"),
    ];
    let config = load(&examples, &env).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(config.chains.len() > 1 && config.prices.len() > 1);
}

/// Returns the mistakes of a chain `c` with these stages.
fn mistakes_of(stages: &str) -> String {
    let text = format!("agent_chains:\n  c:\n    alert_types: [T]\n    stages:\n{stages}");
    problems(&text, &[])
}

#[test]
fn a_graph_loads_with_its_needs_and_conditions() {
    let stages = "      - {name: triage, agent: KubernetesAgent}
      - {name: logs, agent: KubernetesAgent, needs: [triage]}
      - {name: nodes, agent: KubernetesAgent, needs: [triage], when: \"'node' in stages.triage.text\"}
      - {name: lone, agent: KubernetesAgent, needs: []}
      - {name: report, agent: KubernetesAgent, needs: [logs, nodes], join: any}\n";
    let text = format!("agent_chains:\n  c:\n    alert_types: [T]\n    stages:\n{stages}");
    let config = load(&text, &[]).unwrap();
    let chain = config.chain_for("T").unwrap();
    assert!(!chain.is_sequence() && chain.has_conditions());
    assert_eq!(chain.stages[3].needs, Some(Vec::new()));
    assert_eq!(chain.stages[4].join, tarsy_chain::Join::Any);
}

#[test]
fn every_mistake_in_a_graph_is_named_with_its_line_and_a_hint() {
    let mistakes = mistakes_of(
        "      - {name: triage, agent: KubernetesAgent, needs: [report]}
      - {name: logs, agent: KubernetesAgent, needs: [triag]}
      - {name: nodes, agent: KubernetesAgent, needs: [triage], when: stages.logs.status == 'failed'}
      - {name: pods, agent: KubernetesAgent, when: stages.nodes.text | secret}
      - {name: report, agent: KubernetesAgent, join: most}\n",
    );
    insta::assert_snapshot!(mistakes);
}
