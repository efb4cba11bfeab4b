//! MCP servers: which agents may use them, and how they are connected.

use std::path::Path;

use tarsy_config::{Connection, OAuthProof};

use crate::support::{load, problems};

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
fn the_fleets_own_server_ids_are_taken() {
    let report = problems(
        "mcp_servers:\n  sub-agents: {connection_params: {command: y}}\n  tarsy:\n    connection_params: {command: x}\n    elicitation: maybe\n",
        &[],
    );
    for id in ["tarsy", "sub-agents"] {
        let expected = format!("the name `{id}` is reserved");
        assert!(report.contains(&expected), "{report}");
    }
    assert!(report.contains("accept_defaults"), "{report}");
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
    let built_in = include_str!("../../src/builtin.yaml");
    let named = format!("kubernetes-mcp-server@{version}\"");
    assert!(built_in.contains(&named), "{named}");
}

#[test]
fn a_server_with_oauth_has_one_proof_and_never_sends_it_in_clear() {
    let server = |auth: &str| {
        format!(
            "mcp_servers:\n  logs:\n    connection_params:\n      url: https://logs.example.com/mcp\n      auth: {{{auth}}}\n"
        )
    };
    let env = [("LOGS_SECRET", "hunter2-canary")];
    let config = load(
        &server(
            "type: oauth, client_id: tarsy, client_secret: '${LOGS_SECRET}', scopes: [logs.read]",
        ),
        &env,
    )
    .expect("it loads");
    let Connection::Http {
        auth: Some(auth), ..
    } = &config.servers["logs"].connection
    else {
        panic!("{config:?}");
    };
    assert_eq!(auth.client_id.value(), "tarsy");
    assert_eq!(auth.scopes, ["logs.read"]);
    let OAuthProof::ClientSecret(secret) = &auth.proof else {
        panic!("{auth:?}");
    };
    assert_eq!(secret.value(), "hunter2-canary");
    let shown = format!(
        "{config:?} {}",
        serde_json::to_string(&config).expect("JSON")
    );
    assert!(!shown.contains("canary"), "{shown}");

    for (auth, expected) in [
        ("client_id: a, client_secret: b", "`type` is missing"),
        (
            "type: oauth2, client_id: a, client_secret: b",
            "did you mean `oauth`",
        ),
        ("type: oauth, client_secret: b", "`client_id` is missing"),
        ("type: oauth, client_id: a", "`client_secret` is missing"),
        (
            "type: oauth, client_id: a, client_secret: b, private_key: c",
            "exclude each other",
        ),
        (
            "type: oauth, client_id: a, client_secret: b, token_url: 'http://login.example.com/t'",
            "`token_url` is http",
        ),
        (
            "type: oauth, client_id: a, client_secret: b, private_key_id: c",
            "`private_key_id` requires",
        ),
        (
            "type: oauth, client_id: a, client_secret: b, scope: x",
            "scopes",
        ),
    ] {
        let report = problems(&server(auth), &env);
        assert!(report.contains(expected), "{auth}: {report}");
    }
    let both = server("type: oauth, client_id: a, client_secret: b").replace(
        "      auth:",
        "      bearer_token: '${LOGS_SECRET}'\n      auth:",
    );
    let report = problems(&both, &env);
    assert!(report.contains("exclude each other"), "{report}");
    assert!(!report.contains("canary"), "{report}");
    let child = "mcp_servers:\n  a: {connection_params: {command: a, auth: {type: oauth, client_id: a, client_secret: b}}}\n";
    assert!(problems(child, &[]).contains("`auth` can't be combined with"));
}

#[test]
fn questions_run_commands_only_on_a_server_that_asks_first() {
    let text = |approve: &str| {
        format!(
            "mcp_servers:\n  facts: {{connection_params: {{command: tarsy}}}}\n  hosts: {{{approve}connection_params: {{command: tarsy}}}}\n\
             knowledge: {{server: facts, ssh_server: hosts}}\n"
        )
    };
    let stages = |text: &str| {
        let config = load(text, &[]).unwrap();
        let chain = &config.chains["knowledge"];
        let names = chain.stages.iter().map(|stage| stage.name.clone());
        names.collect::<Vec<_>>()
    };
    for approve in ["", "approve: destructive, ", "approve: [run_destructive], "] {
        let report = problems(&text(approve), &[]);
        assert!(
            report.contains("`hosts` runs commands for questions without approval")
                && report.contains("give it `approve: [run]`"),
            "{report}"
        );
    }
    for approve in ["approve: all, ", "approve: [run], "] {
        let stages = stages(&text(approve));
        assert!(stages.contains(&"execution-agent".to_owned()), "{stages:?}");
    }
    let config = load(&text("approve: all, approve_role: admin, "), &[]).unwrap();
    let role = |server: &str| config.server(server).unwrap().approve_role.as_str();
    assert_eq!((role("hosts"), role("facts")), ("admin", "operator"));
    let without = stages(
        "mcp_servers: {facts: {connection_params: {command: tarsy}}}\nknowledge: {server: facts}\n",
    );
    assert!(
        !without
            .iter()
            .any(|name| name == "execution-agent" || name == "hosts"),
        "{without:?}"
    );
    let unknown = problems(
        "mcp_servers: {facts: {connection_params: {command: tarsy}}}\nknowledge: {server: facts, ssh_server: nobody}\n",
        &[],
    );
    assert!(unknown.contains("nobody"), "{unknown}");
}

#[test]
fn an_unknown_key_is_compared_with_all_that_exist() {
    let report = problems("zzz: 1\n", &[]);
    let known = report.lines().find(|line| line.contains("known: "));
    let known = known.unwrap_or_else(|| panic!("{report}"));
    let schema: serde_json::Value = serde_json::from_str(&tarsy_config::json_schema()).unwrap();
    for section in schema["properties"].as_object().unwrap().keys() {
        assert!(known.contains(section.as_str()), "{section}: {known}");
    }
}

#[test]
fn drafts_are_redacted_and_never_shown_where_a_policy_could_deny_the_whole() {
    let masker = |text: &str| {
        let config = load(text, &[]).unwrap();
        tarsy_config::Guardrails::from_config(&config).masker_of_drafts()
    };
    let draft = "It is 10.20.30.40, of PRJ-77. ";
    let redacted = |text: &str| masker(text).unwrap().mask(draft).text.into_owned();
    assert_eq!(redacted("{}"), "It is [MASKED_IPV4], of PRJ-77. ");
    let own = "guardrails: [{name: p, action: redact, custom_patterns: [{name: project, pattern: 'PRJ-[0-9]+'}]}, {name: n, action: flag, pattern_groups: [network]}]";
    assert_eq!(redacted(own), "It is 10.20.30.40, of [MASKED_PROJECT]. ");
    assert_eq!(redacted("guardrails: []"), draft);
    assert!(masker(&own.replace("redact", "deny")).is_none());
}
