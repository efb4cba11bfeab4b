//! Presets of tool servers: their data, and how an entry with `preset` is expanded.

use std::collections::{BTreeMap, BTreeSet};

use tarsy_config::{
    Config, Connection, Destination, Elicitation, Environment, Preset, Registry, Resolved, Tried,
    json_schema, preset, presets,
};
use tarsy_masking::DEFAULT_GROUP;
use tarsy_model::EffectClass;

use crate::support::{load, problems};

/// Names of the tools that each pinned server listed when it was tried, started with the preset's settings.
const LISTED: &str = include_str!("examples/listed_tools.json");

fn listed() -> BTreeMap<String, Vec<String>> {
    serde_json::from_str(LISTED).expect("names by preset")
}

/// Returns a configuration with one server of the preset. Each required key is set to its variable.
fn config_of(preset: &Preset) -> Config {
    let entry = preset.entry("s").replace('\n', "\n  ");
    let env: Vec<_> = preset
        .keys
        .iter()
        .map(|key| (key.variable(), format!("value-of-{}", key.key)))
        .collect();
    let env: Vec<_> = env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    load(&format!("mcp_servers:\n  {entry}\n"), &env)
        .unwrap_or_else(|problems| panic!("{}: {problems}", preset.name))
}

#[test]
fn each_preset_states_an_effect_for_every_tool_that_its_server_listed() {
    let listed = listed();
    for preset in presets() {
        let known: Vec<&str> = preset.effects().map(|(tool, _)| tool).collect();
        let once: BTreeSet<&str> = known.iter().copied().collect();
        assert_eq!(
            once.len(),
            known.len(),
            "{}: a tool is named twice",
            preset.name
        );
        let recorded = listed.get(preset.name);
        match (&preset.tried, recorded) {
            (Tried::On { tools, .. }, Some(recorded)) => {
                assert_eq!(recorded.len(), *tools, "{}", preset.name);
                let unknown: Vec<_> = recorded
                    .iter()
                    .filter(|tool| !once.contains(tool.as_str()))
                    .collect();
                assert!(
                    unknown.is_empty(),
                    "{}: no effect for {unknown:?}",
                    preset.name
                );
                let unlisted: Vec<_> = preset
                    .tools
                    .iter()
                    .filter(|tool| !recorded.contains(tool))
                    .collect();
                assert!(
                    unlisted.is_empty(),
                    "{}: offers what its server does not list: {unlisted:?}",
                    preset.name
                );
            }
            (Tried::No { .. }, None) => {}
            (tried, _) => panic!(
                "{}: {tried:?}, but recorded: {}",
                preset.name,
                recorded.is_some()
            ),
        }
        assert!(
            (1..=20).contains(&preset.tools.len()),
            "{}: {} tools",
            preset.name,
            preset.tools.len()
        );
        assert!(
            preset.tools.is_sorted(),
            "{}: `tools` in order",
            preset.name
        );
    }
    for name in listed.keys() {
        assert!(preset(name).is_some(), "{name} is recorded but no preset");
    }
}

#[test]
fn an_agent_is_offered_only_tools_that_read() {
    for preset in presets() {
        let config = config_of(preset);
        let server = &config.servers["s"];
        assert_eq!(server.preset, Some(preset.name));
        assert_eq!(server.allowed_tools.as_ref(), Some(&preset.tools));
        assert_eq!(server.default_effect, EffectClass::Destructive);
        assert_eq!(server.elicitation, Elicitation::Decline);
        assert_eq!(server.instructions, preset.instructions);
        assert!(server.data_masking.enabled);
        for tool in &preset.tools {
            assert_eq!(
                server.tool_effects[tool],
                EffectClass::ReadOnly,
                "{}: {tool}",
                preset.name
            );
        }
        for (tool, effect) in &preset.other_tools {
            assert_eq!(
                server.tool_effects[tool], *effect,
                "{}: {tool}",
                preset.name
            );
        }
    }
}

#[test]
fn every_key_reaches_the_server_and_no_value_is_shown() {
    for preset in presets() {
        let lines = preset.entry_with("s", |_| true).replace('\n', "\n  ");
        let text = format!("mcp_servers:\n  {lines}\n");
        let values: Vec<_> = preset
            .keys
            .iter()
            .map(|key| (key.variable(), format!("canary-{}", key.key)))
            .collect();
        let env: Vec<_> = values
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let config =
            load(&text, &env).unwrap_or_else(|problems| panic!("{}: {problems}", preset.name));
        let Connection::Stdio { args, env, .. } = &config.servers["s"].connection else {
            panic!("{}", preset.name);
        };
        for key in &preset.keys {
            let value = format!("canary-{}", key.key);
            let reached = match &key.goes_to {
                Destination::Env(name) => env[name].value() == value,
                Destination::Argument(flag) => {
                    let values: Vec<&str> = args.iter().map(Resolved::value).collect();
                    values
                        .windows(2)
                        .any(|pair| pair == [flag.as_str(), value.as_str()])
                }
            };
            assert!(reached, "{}: {}", preset.name, key.key);
        }
        let shown = format!(
            "{config:?} {}",
            serde_json::to_string(&config).expect("JSON")
        );
        assert!(!shown.contains("canary-"), "{}: {shown}", preset.name);
    }
}

#[test]
fn what_a_person_writes_overrides_the_preset() {
    let text = "
mcp_servers:
  metrics:
    preset: grafana
    url: https://grafana.example.com
    token: ${TOKEN}
    instructions: Ask for an hour.
    allowed_tools: [create_incident, query_prometheus]
    tool_effects: {create_incident: idempotent}
    data_masking: {patterns: [certificate]}
    connection_params: {command: mcp-grafana, env: {GRAFANA_ORG_ID: '7'}, timeout: 5s}
";
    let config = load(text, &[("TOKEN", "hunter2")]).expect("it loads");
    let server = &config.servers["metrics"];
    let grafana = preset("grafana").expect("a preset");
    assert_eq!(server.instructions, "Ask for an hour.");
    assert_eq!(
        server.allowed_tools.as_deref(),
        Some(&["create_incident".to_owned(), "query_prometheus".to_owned()][..])
    );
    assert_eq!(
        server.tool_effects["create_incident"],
        EffectClass::Idempotent
    );
    assert_eq!(
        server.tool_effects["query_prometheus"],
        EffectClass::ReadOnly
    );
    assert_eq!(server.data_masking.patterns, ["certificate"]);
    assert_eq!(server.data_masking.pattern_groups, grafana.masking);
    let Connection::Stdio {
        command,
        args,
        env,
        timeout,
    } = &server.connection
    else {
        panic!("{server:?}");
    };
    assert_eq!((command.value(), timeout.as_secs()), ("mcp-grafana", 5));
    assert!(
        args.iter().any(|arg| arg.value() == "--disable-write"),
        "{args:?}"
    );
    let value = |name: &str| env[name].value();
    assert_eq!(
        (
            value("GRAFANA_ORG_ID"),
            value("GRAFANA_SERVICE_ACCOUNT_TOKEN")
        ),
        ("7", "hunter2")
    );

    let endpoint = "mcp_servers: {metrics: {preset: grafana, connection_params: {url: 'http://grafana-mcp:8000/mcp'}}}";
    let config = load(endpoint, &[]).expect("a server of one's own needs no keys");
    let server = &config.servers["metrics"];
    assert!(
        matches!(&server.connection, Connection::Http { url, .. } if url.value() == "http://grafana-mcp:8000/mcp")
    );
    assert_eq!(server.allowed_tools.as_ref(), Some(&grafana.tools));
    let disabled = load(
        "mcp_servers: {metrics: {preset: grafana, enabled: false}}",
        &[],
    );
    assert!(!disabled.expect("needs no keys").servers["metrics"].enabled);
}

#[test]
fn mistakes_name_the_preset_and_the_key() {
    for (server, expected) in [
        ("{preset: grafanna}", "did you mean `grafana`?"),
        (
            "{preset: grafana}",
            "MCP server `s`: preset `grafana` requires `url`",
        ),
        (
            "{preset: grafana, url: 'https://g'}",
            "MCP server `s`: preset `grafana` requires `token`",
        ),
        (
            "{preset: grafana, url: 'https://g'}",
            "token: \"${GRAFANA_SERVICE_ACCOUNT_TOKEN}\"",
        ),
        (
            "{preset: kubernetes, token: x}",
            "preset `kubernetes` takes no `token`",
        ),
        (
            "{preset: grafana, url: [a], token: x}",
            "`url` must be a single value",
        ),
        (
            "{preset: grafana, url: 'https://g', tokn: x}",
            "did you mean `token`?",
        ),
        (
            "{preset: grafana, token: x, connection_params: {url: 'https://g/mcp'}}",
            "`token` has no effect with `url` in `connection_params`",
        ),
        (
            "{preset: grafana, url: 'https://g', token: x, tool_effects: {a: writes}}",
            "unknown effect `writes`",
        ),
        (
            "{url: 'https://g/mcp'}",
            "`url` belongs to a preset, and the server names none",
        ),
        (
            "{connection_params: {command: x}, token: x}",
            "`token` belongs to a preset",
        ),
    ] {
        let report = problems(&format!("mcp_servers:\n  s: {server}\n"), &[]);
        assert!(report.contains(expected), "{server}: {report}");
    }
    let missing = "mcp_servers:\n  s:\n    preset: grafana\n    url: https://g.example.com\n    token: ${GRAFANA_TOKEN}\n";
    let report = problems(missing, &[]);
    assert!(
        report.contains("environment variable `GRAFANA_TOKEN` is not set")
            && report.contains("agents.yaml:5"),
        "{report}"
    );
}

#[test]
fn packages_are_pinned_and_an_installed_program_wins() {
    let none = Environment::default();
    for preset in presets() {
        let (command, args) = preset.package.command(&none);
        let pinned = match preset.package.registry {
            Registry::Npm => format!("{}@", preset.package.name),
            Registry::Pypi => format!("{}==", preset.package.name),
            Registry::Tarsy => preset.package.name.clone(),
        };
        assert!(["npx", "uvx", "tarsy"].contains(&command.as_str()));
        assert!(
            args.iter().any(|arg| arg.starts_with(&pinned)),
            "{}: {args:?}",
            preset.name
        );
        assert!(
            preset.masking.iter().any(|group| group == DEFAULT_GROUP),
            "{}",
            preset.name
        );
        for text in [&preset.summary, &preset.missing, &preset.instructions] {
            assert!(
                text.len() > 20 && text.trim().ends_with(['.', ')']) || text == &preset.summary,
                "{}: {text}",
                preset.name
            );
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mcp-grafana"), "").expect("a file");
    let path = folder.path().display().to_string();
    let installed = Environment::from_pairs([("PATH", path.as_str())]);
    let grafana = preset("grafana").expect("a preset");
    assert_eq!(
        grafana.package.command(&installed),
        ("mcp-grafana".to_owned(), Vec::new())
    );
}

#[test]
fn the_preset_starts_the_kubernetes_server_that_is_built_in() {
    let kubernetes = preset("kubernetes").expect("a preset");
    let version = kubernetes.package.version.as_deref().expect("a version");
    let built_in = include_str!("../../src/builtin.yaml");
    assert!(built_in.contains(&format!("kubernetes-mcp-server@{version}\"")));
}

#[test]
fn editors_complete_the_names_of_presets() {
    let schema: serde_json::Value = serde_json::from_str(&json_schema()).expect("JSON");
    let words =
        &schema["definitions"]["Server"]["properties"]["preset"]["anyOf"][0]["anyOf"][0]["enum"];
    let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
    assert_eq!(words, &serde_json::json!(names));
}

#[test]
fn the_document_lists_every_preset() {
    let document = include_str!("../../../../docs/SERVERS.md");
    for preset in presets() {
        let keys = preset.keys.iter().map(|key| match key.required {
            true => format!("`{}`", key.key),
            false => format!("(`{}`)", key.key),
        });
        let tried = match &preset.tried {
            Tried::On { date, .. } => date.as_str(),
            Tried::No { .. } => "no",
        };
        let row = format!(
            "| [{}]({}) | {} | {} of {} | {tried} | {} |",
            preset.name,
            preset.documentation,
            keys.collect::<Vec<_>>().join(", "),
            preset.tools.len(),
            preset.effects().count(),
            preset.summary,
        );
        assert!(
            document.lines().any(|line| line == row),
            "docs/SERVERS.md lacks:\n{row}"
        );
    }
}
