//! Tests which of our crates and which external libraries a crate may use. A dependency that is not in the tables is a
//! change of architecture.

use std::collections::BTreeSet;
use std::fs;

use super::workspace::members;

/// Crates of the workspace that each crate may use. Tests may use more: [`may_use_in_tests`].
const MAY_USE: &[(&str, &[&str])] = &[
    // Leaves.
    ("tarsy-model", &[]),
    ("tarsy-metrics", &[]),
    // Counts replaced secrets.
    ("tarsy-masking", &["tarsy-metrics"]),
    ("tarsy-telemetry", &[]),
    ("tarsy-coalesce", &[]),
    ("tarsy-egress", &[]),
    ("tarsy-failpoint", &[]),
    ("tarsy-testing", &[]),
    ("tarsy-text-embedding", &[]),
    // Agents in Rust: the interface first, then the built-in agents below.
    ("tarsy-agent-api", &[]),
    // Recognises failures of Kubernetes without side effects.
    ("tarsy-diagnose", &[]),
    ("tarsy-code-agents", &["tarsy-agent-api", "tarsy-diagnose"]),
    // Endpoints rerank results. Endpoints or a local model compute vectors. Records are masked when they
    // are loaded.
    (
        "tarsy-knowledge",
        &["tarsy-egress", "tarsy-masking", "tarsy-text-embedding"],
    ),
    ("tarsy-postgres", &[]),
    // Building blocks of the services. Absent on purpose: store <-> queue (the caller owns the
    // transaction), agent -> store, queue, config (it records through a trait).
    ("tarsy-chain", &["tarsy-model"]),
    (
        "tarsy-config",
        &[
            "tarsy-model",
            "tarsy-chain",
            "tarsy-masking",
            // Lists the built-in agents in Rust.
            "tarsy-code-agents",
            // Explains errors in a URL.
            "tarsy-postgres",
        ],
    ),
    ("tarsy-runbook", &["tarsy-config", "tarsy-egress"]),
    // Slack's API, for the service that posts and the one that handles buttons.
    ("tarsy-slack", &["tarsy-config", "tarsy-egress"]),
    (
        "tarsy-store",
        &[
            "tarsy-model",
            "tarsy-chain",
            "tarsy-failpoint",
            // Classifies temporary errors.
            "tarsy-postgres",
        ],
    ),
    (
        "tarsy-queue",
        &[
            "tarsy-model",
            "tarsy-coalesce",
            "tarsy-failpoint",
            "tarsy-metrics",
            "tarsy-postgres",
        ],
    ),
    // Statements over both rows and jobs that several services make.
    (
        "tarsy-transitions",
        &[
            "tarsy-model",
            "tarsy-chain",
            "tarsy-queue",
            "tarsy-store",
            // Starts of concurrent sessions share a statement.
            "tarsy-coalesce",
            "tarsy-failpoint",
            // Configures how agents run started stages.
            "tarsy-config",
        ],
    ),
    // From the body of an alert to its committed session. Knows no HTTP requests, and nothing that reads sessions.
    (
        "tarsy-intake",
        &[
            "tarsy-model",
            "tarsy-chain",
            "tarsy-config",
            "tarsy-store",
            "tarsy-queue",
            // Alerts that arrive together share a transaction.
            "tarsy-coalesce",
            // Fetches the certificate from the URL that Amazon SNS sends.
            "tarsy-egress",
            "tarsy-failpoint",
            "tarsy-postgres",
        ],
    ),
    (
        "tarsy-llm",
        &[
            "tarsy-model",
            "tarsy-masking",
            "tarsy-egress",
            "tarsy-metrics",
        ],
    ),
    (
        "tarsy-mcp",
        &[
            "tarsy-model",
            "tarsy-masking",
            "tarsy-egress",
            "tarsy-metrics",
        ],
    ),
    // MCP servers. The fleet uses them like any other server.
    ("tarsy-mcp-server", &[]),
    (
        "tarsy-knowledge-mcp",
        &["tarsy-knowledge", "tarsy-mcp-server"],
    ),
    (
        "tarsy-past-sessions-mcp",
        &[
            "tarsy-model",
            "tarsy-config",
            "tarsy-store",
            "tarsy-mcp-server",
        ],
    ),
    (
        "tarsy-changes-mcp",
        &["tarsy-model", "tarsy-store", "tarsy-mcp-server"],
    ),
    ("tarsy-ssh-mcp", &["tarsy-mcp-server"]),
    ("tarsy-http-mcp", &["tarsy-egress", "tarsy-mcp-server"]),
    ("tarsy-series", &[]),
    (
        "tarsy-monitoring-mcp",
        &["tarsy-egress", "tarsy-mcp-server", "tarsy-series"],
    ),
    // Checks answers against results, without a model.
    ("tarsy-verdict", &["tarsy-model"]),
    (
        "tarsy-eval",
        &[
            "tarsy-mcp-server",
            "tarsy-verdict",
            // Diagnoses cases without a model, for comparison.
            "tarsy-diagnose",
        ],
    ),
    (
        "tarsy-agent",
        &[
            "tarsy-agent-api",
            "tarsy-model",
            "tarsy-llm",
            "tarsy-mcp",
            "tarsy-series",
            "tarsy-verdict",
        ],
    ),
    (
        "tarsy-boot",
        &[
            "tarsy-config",
            "tarsy-failpoint",
            "tarsy-metrics",
            "tarsy-postgres",
            "tarsy-queue",
            // Readiness checks the schema.
            "tarsy-store",
            "tarsy-telemetry",
        ],
    ),
    // Services. No service uses another, and only the stage-worker knows agents.
    (
        "tarsy-ingest-api",
        &[
            "tarsy-model",
            "tarsy-chain",
            "tarsy-config",
            "tarsy-store",
            "tarsy-queue",
            "tarsy-transitions",
            "tarsy-telemetry",
            "tarsy-intake",
            "tarsy-boot",
            "tarsy-egress",
            "tarsy-failpoint",
            "tarsy-runbook",
            "tarsy-slack",
            "tarsy-metrics",
            "tarsy-postgres",
            // Rejected alerts are masked before they are stored.
            "tarsy-masking",
        ],
    ),
    ("tarsy-chain-worker", SERVICE),
    (
        "tarsy-stage-worker",
        &[
            "tarsy-model",
            "tarsy-chain",
            "tarsy-config",
            "tarsy-store",
            "tarsy-queue",
            "tarsy-transitions",
            "tarsy-telemetry",
            "tarsy-coalesce",
            "tarsy-boot",
            "tarsy-failpoint",
            "tarsy-agent",
            "tarsy-code-agents",
            "tarsy-llm",
            "tarsy-mcp",
            "tarsy-metrics",
            // Alert data and runbook are masked before a model sees them.
            "tarsy-masking",
        ],
    ),
    // Contains an MCP server. Its tests talk to it like the workers do.
    ("tarsy-demo", &["tarsy-mcp-server"]),
    ("xtask", &["tarsy-testing"]),
];

const SERVICE: &[&str] = &[
    "tarsy-model",
    "tarsy-chain",
    "tarsy-config",
    "tarsy-store",
    "tarsy-queue",
    "tarsy-transitions",
    "tarsy-telemetry",
    "tarsy-coalesce",
    "tarsy-boot",
    "tarsy-egress",
    "tarsy-failpoint",
    "tarsy-runbook",
    "tarsy-slack",
    // Counts notifications.
    "tarsy-metrics",
];

/// Crates that may use everything, because they combine the services or observe them from outside.
const ABOVE_ALL: &[&str] = &[
    "tarsy-cli",
    "tarsy-tests",
    "tarsy-bench",
    "tarsy-conformance",
    "tarsy-model-check",
    "tarsy-torture",
];

/// Returns crates of the workspace that a crate's tests may use, in addition to those of the crate itself.
fn may_use_in_tests(crate_: &str) -> &'static [&'static str] {
    match crate_ {
        "tarsy-demo" => &[
            "tarsy-testing",
            "tarsy-telemetry",
            "tarsy-mcp",
            "tarsy-masking",
        ],
        _ => &["tarsy-testing", "tarsy-telemetry"],
    }
}

/// External libraries that only some crates may name, with those crates.
const WALLED: &[(&str, &[&str])] = &[
    ("genai", &["tarsy-llm"]),
    (
        "rmcp",
        &[
            "tarsy-mcp",
            "tarsy-mcp-server",
            "tarsy-knowledge-mcp",
            "tarsy-past-sessions-mcp",
            "tarsy-changes-mcp",
            "tarsy-monitoring-mcp",
            "tarsy-http-mcp",
            "tarsy-eval",
            "tarsy-ssh-mcp",
            "tarsy-demo",
            "tarsy-tests",
        ],
    ),
    ("csv-core", &["tarsy-knowledge"]),
    ("encoding_rs", &["tarsy-knowledge"]),
    ("ndarray", &["tarsy-text-embedding"]),
    ("russh", &["tarsy-ssh-mcp"]),
    ("rust-stemmers", &["tarsy-knowledge"]),
    ("sqlparser", &["tarsy-knowledge"]),
    ("apalis", &["tarsy-queue"]),
    ("apalis-core", &["tarsy-queue"]),
];

#[test]
fn dependencies_point_the_agreed_way() {
    let mut broken = Vec::new();
    for crate_ in members() {
        if ABOVE_ALL.contains(&crate_.name.as_str()) {
            continue;
        }
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == crate_.name) else {
            broken.push(format!(
                "{} is not in the table: decide what it may use",
                crate_.name
            ));
            continue;
        };
        for used in crate_.uses.iter().filter(|used| used.ours) {
            let in_tests = used.dev && may_use_in_tests(&crate_.name).contains(&used.name.as_str());
            if !in_tests && !allowed.contains(&used.name.as_str()) {
                broken.push(format!("{} must not use {}", crate_.name, used.name));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_table_names_only_crates_that_exist() {
    let names: BTreeSet<_> = members().into_iter().map(|member| member.name).collect();
    let gone: Vec<_> = MAY_USE
        .iter()
        .map(|(name, _)| name)
        .chain(ABOVE_ALL)
        .filter(|name| !names.contains(**name))
        .collect();
    assert!(gone.is_empty(), "no longer in the workspace: {gone:?}");
}

/// Compares these tables with the code map of docs/ARCHITECTURE.md, which has a row for each crate.
#[test]
fn the_code_map_agrees() {
    let map = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/ARCHITECTURE.md"
    ))
    .unwrap();
    let short = |name: &str| name.trim_start_matches("tarsy-").to_owned();
    let mut wrong = Vec::new();
    for (name, allowed) in MAY_USE {
        let mut uses: Vec<String> = allowed.iter().map(|used| short(used)).collect();
        uses.sort();
        let uses = match uses.is_empty() {
            true => "-".to_owned(),
            false => uses.join(", "),
        };
        let is_of_crate = |row: &&str| {
            let path = row.split('`').nth(1).unwrap_or_default();
            row.starts_with("| `") && path.rsplit('/').next() == Some(&short(name))
        };
        let row = map.lines().find(is_of_crate).unwrap_or_default();
        if !row.ends_with(&format!("| {uses} |")) {
            wrong.push(format!("{name} uses {uses}; the map: `{row}`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn walled_libraries_are_named_only_by_their_crate() {
    let mut broken = Vec::new();
    for crate_ in members() {
        for used in crate_.uses.iter().filter(|used| !used.ours) {
            let wall = WALLED.iter().find(|(library, _)| *library == used.name);
            let inside = wall.is_none_or(|(_, inside)| inside.contains(&crate_.name.as_str()));
            if !inside || (wall.is_none() && used.name.starts_with("apalis")) {
                broken.push(format!("{} must not use {}", crate_.name, used.name));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_crate_takes_lints_and_versions_from_the_workspace() {
    let mut broken = Vec::new();
    for crate_ in members() {
        let text = fs::read_to_string(&crate_.manifest).unwrap();
        if !text.contains("[lints]\nworkspace = true") {
            broken.push(format!(
                "{}: add `[lints]` with `workspace = true`",
                crate_.name
            ));
        }
        let own = lines_of_dependencies(&text).filter(|line| !line.contains("workspace = true"));
        broken.extend(
            own.map(|line| format!("{}: set the version at the root: {line}", crate_.name)),
        );
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns the lines of a manifest that name a dependency.
fn lines_of_dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    manifest.lines().filter(move |line| {
        if line.starts_with('[') {
            inside = line.trim_end_matches(']').ends_with("dependencies");
            return false;
        }
        inside && line.contains('=') && !line.trim_start().starts_with('#')
    })
}
