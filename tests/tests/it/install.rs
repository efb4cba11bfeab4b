//! Tests the commands of INSTALL.md in their order. Commands that need a container engine, a cluster or root must name
//! existing files. All others are run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Stdio;

use tarsy_testing::process::binary;
use tarsy_tests::{Fleet, scene};

const INSTALL: &str = include_str!("../../../docs/INSTALL.md");

/// Starts of commands that are not run here. `tests/deploy` checks what they build, render or install, if it can.
const DEPLOYS: [&str; 9] = [
    "podman build ",
    "cp deploy/",
    "docker compose -f deploy/compose.yaml up ",
    "kubectl ",
    "helm install ",
    "cargo xtask deb",
    "sudo apt install ",
    "sudoedit ",
    "sudo systemctl ",
];

/// Returns the lines of a section's code blocks that have no language, without comments.
fn commands(section: &str) -> impl Iterator<Item = &str> {
    let blocks = section.split("```").skip(1).step_by(2);
    let shells = blocks.filter_map(|block| block.strip_prefix('\n'));
    let lines = shells.flat_map(str::lines);
    lines.map(|line| line.split("  #").next().unwrap_or(line).trim())
}

/// Returns the part of a command that a test machine can run.
fn runnable(command: &str, variables: &Path) -> String {
    let inside = command
        .split_once(" exec api ")
        .map_or(command, |(_, inside)| inside);
    let inside = inside.strip_prefix("sudo ").unwrap_or(inside);
    inside.replace("/etc/tarsy/tarsy.env", &variables.display().to_string())
}

/// Returns the files of the checkout that a command names.
fn files(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split([' ', '=']);
    words.filter(|word| word.starts_with("deploy/") && *word != "deploy/tarsy.env")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_installation_work_in_their_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut output = String::new();
    // Each section is a way to install, and gets its own database.
    for section in INSTALL.split("\n## ") {
        let (deploys, runs): (Vec<&str>, Vec<&str>) = commands(section)
            .partition(|command| DEPLOYS.iter().any(|start| command.starts_with(start)));
        for (command, file) in deploys
            .iter()
            .flat_map(|c| files(c).map(move |file| (c, file)))
        {
            assert!(root.join(file).exists(), "{command}: {file}");
        }
        for command in &runs {
            let is_known = command.contains("tarsy") || command.starts_with("export ");
            assert!(
                is_known,
                "a command that this test does not know: {command}"
            );
        }
        if !runs.is_empty() {
            output += &run(&runs).await;
        }
    }
    assert!(output.contains(scene::ANALYSIS), "{output}");
    assert_eq!(output.matches("with the role admin").count(), 2, "{output}");
}

/// Runs commands in one shell, because one exports a key for the commands after it. Returns their output.
async fn run(commands: &[&str]) -> String {
    let fleet = Fleet::new(scene::play).await.with("TARSY_AUTH", "on");
    let ingest = fleet.ingest().await;
    let _workers = (
        fleet.program("chain-worker").start().unwrap(),
        fleet.program("stage-worker").start().unwrap(),
    );
    let folder = tempfile::tempdir().unwrap();
    let variables = folder.path().join("tarsy.env");
    let database = fleet.database_url();
    fs::write(&variables, format!("DATABASE_URL='{database}'\n")).unwrap();
    let alert = serde_json::json!({"alert_type": "ReportOnly", "runbook": "local:checkout.md"});
    fs::write(folder.path().join("alert.json"), alert.to_string()).unwrap();
    let commands = commands.iter().map(|command| runnable(command, &variables));
    let script = format!("set -e\n{}", commands.collect::<Vec<_>>().join("\n"));
    let programs = binary("tarsy").parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let shell = tokio::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{programs}:{path}"))
        .env("TARSY_URL", &ingest.url)
        .env("DATABASE_URL", database)
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    let output = [shell.stdout, shell.stderr].map(|out| String::from_utf8(out).unwrap());
    let output = output.concat();
    assert!(shell.status.success(), "{script}\n{output}");
    output
}
