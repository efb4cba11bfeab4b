//! The walls between our crates, as `cargo metadata` sees them (docs/ARCHITECTURE.md names the
//! reasons). A dependency that is not in the table below is a change of architecture.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod documents;
mod features;
mod module_cycles;
mod targets;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Ours that each of ours may use. Tests may use a little more: [`may_use_in_tests`].
const MAY_USE: &[(&str, &[&str])] = &[
    // Leaves.
    ("tarsy-model", &[]),
    ("tarsy-metrics", &[]),
    // Counts what it replaces.
    ("tarsy-masking", &["tarsy-metrics"]),
    ("tarsy-telemetry", &[]),
    ("tarsy-coalesce", &[]),
    ("tarsy-egress", &[]),
    ("tarsy-failpoint", &[]),
    ("tarsy-testing", &[]),
    ("tarsy-knowledge", &[]),
    // What the services are put together from. Absent on purpose: store <-> queue (the caller
    // owns the transaction), agent -> store, queue, config (it records through a trait).
    ("tarsy-chain", &["tarsy-model"]),
    (
        "tarsy-config",
        &["tarsy-model", "tarsy-chain", "tarsy-masking"],
    ),
    ("tarsy-runbook", &["tarsy-config", "tarsy-egress"]),
    (
        "tarsy-store",
        &["tarsy-model", "tarsy-chain", "tarsy-failpoint"],
    ),
    (
        "tarsy-queue",
        &[
            "tarsy-model",
            "tarsy-coalesce",
            "tarsy-failpoint",
            "tarsy-metrics",
        ],
    ),
    // Statements that several services make over rows and jobs together.
    (
        "tarsy-transitions",
        &["tarsy-model", "tarsy-chain", "tarsy-queue", "tarsy-store"],
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
    // MCP servers; the fleet meets them as it meets any other.
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
    ("tarsy-agent", &["tarsy-model", "tarsy-llm", "tarsy-mcp"]),
    (
        "tarsy-boot",
        &[
            "tarsy-config",
            "tarsy-failpoint",
            "tarsy-metrics",
            "tarsy-queue",
            // Readiness knows the schema.
            "tarsy-store",
            "tarsy-telemetry",
        ],
    ),
    // Services: none uses another, and only the stage-worker knows agents.
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
            "tarsy-coalesce",
            "tarsy-boot",
            "tarsy-egress",
            "tarsy-failpoint",
            "tarsy-runbook",
            "tarsy-metrics",
            // Rejected alerts are masked before they are kept.
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
            "tarsy-llm",
            "tarsy-mcp",
            "tarsy-metrics",
            // Alert data and runbook are masked before a model sees them.
            "tarsy-masking",
        ],
    ),
    // An MCP server of its own; its tests talk to it as our workers do.
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
];

/// May use everything: they put the services together or look at them from outside.
const ABOVE_ALL: &[&str] = &[
    "tarsy-cli",
    "tarsy-tests",
    "tarsy-bench",
    "tarsy-conformance",
    "tarsy-model-check",
    "tarsy-torture",
];

/// Ours that a crate's tests may use beside what the crate itself may.
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

/// Outside libraries that are walled in, and who may name them.
const WALLED: &[(&str, &[&str])] = &[
    ("genai", &["tarsy-llm"]),
    (
        "rmcp",
        &[
            "tarsy-mcp",
            "tarsy-mcp-server",
            "tarsy-knowledge-mcp",
            "tarsy-past-sessions-mcp",
            "tarsy-demo",
            "tarsy-tests",
        ],
    ),
    ("csv-core", &["tarsy-knowledge"]),
    ("encoding_rs", &["tarsy-knowledge"]),
    ("rust-stemmers", &["tarsy-knowledge"]),
    ("sqlparser", &["tarsy-knowledge"]),
    ("apalis", &["tarsy-queue"]),
    ("apalis-core", &["tarsy-queue"]),
];

/// Names that say nothing about their subject.
const EMPTY_NAMES: &[&str] = &[
    "common", "util", "utils", "helper", "helpers", "types", "core", "manager",
];

/// Longest file of code, in lines.
const MAX_LINES: usize = 500;

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

#[test]
fn walled_libraries_are_named_behind_their_wall_only() {
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

#[test]
fn files_have_one_subject_and_a_name_for_it() {
    let mut broken = Vec::new();
    for crate_ in members() {
        let stem = crate_.name.trim_start_matches("tarsy-");
        if EMPTY_NAMES.contains(&stem) {
            broken.push(format!("{}: a name that says nothing", crate_.name));
        }
        let folder = crate_.manifest.parent().unwrap();
        for file in rust_files(&folder.join("src"))
            .into_iter()
            .chain(rust_files(&folder.join("tests")))
        {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if lines > MAX_LINES {
                broken.push(format!(
                    "{}: {lines} lines, at most {MAX_LINES}",
                    file.display()
                ));
            }
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if EMPTY_NAMES.contains(&stem.as_str()) {
                broken.push(format!("{}: a name that says nothing", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

struct Member {
    name: String,
    manifest: PathBuf,
    uses: Vec<Dependency>,
    targets: Vec<Target>,
}

/// A library, program or test of a crate.
struct Target {
    kind: String,
    source: PathBuf,
    /// Whether cargo runs its unit tests.
    test: bool,
    /// Whether cargo runs the examples of its documentation.
    doctest: bool,
}

struct Dependency {
    name: String,
    ours: bool,
    dev: bool,
}

/// The members of the workspace, as cargo tells them.
fn members() -> Vec<Member> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--offline",
            "--locked",
        ])
        .current_dir(root)
        .output()
        .expect("cargo metadata runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().map(member).collect()
}

fn member(package: &Value) -> Member {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let targets = package["targets"].as_array().into_iter().flatten();
    Member {
        name: text(&package["name"]),
        manifest: text(&package["manifest_path"]).into(),
        uses: dependencies
            .map(|dependency| Dependency {
                name: text(&dependency["name"]),
                ours: dependency["path"].is_string(),
                dev: dependency["kind"] == "dev",
            })
            .collect(),
        targets: targets
            .map(|target| Target {
                kind: text(&target["kind"][0]),
                source: text(&target["src_path"]).into(),
                test: target["test"] == true,
                doctest: target["doctest"] == true,
            })
            .collect(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The lines of a manifest that name a dependency.
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

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() {
                rust_files(&path)
            } else {
                Vec::from_iter(
                    path.extension()
                        .is_some_and(|name| name == "rs")
                        .then_some(path),
                )
            }
        })
        .collect()
}
