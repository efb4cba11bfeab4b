//! A server, a directory with programs to run there, and a runner.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Map, Value};
use tarsy_ssh_mcp::{Outcome, Policy, Runner};
use tarsy_testing::Sshd;
use tempfile::TempDir;

/// Prints each of its arguments in hexadecimal, one per line, and records each run in `runs`.
const ARGV: &str = r#"#!/bin/sh
echo run >> "$(dirname "$0")/runs"
for one in "$@"; do printf '%s' "$one" | od -An -tx1 -v | tr -d ' \n'; echo; done
"#;

pub(crate) struct Scene {
    pub(crate) sshd: Sshd,
    pub(crate) folder: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let sshd = Sshd::start().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let scene = Self { sshd, folder };
        scene.program("argv", ARGV);
        scene
    }

    pub(crate) fn program(&self, name: &str, text: &str) -> PathBuf {
        let file = self.file(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn lines(&self, name: &str) -> usize {
        fs::read_to_string(self.file(name))
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// Returns a configuration with one host `box`. `{folder}` in the templates and vectors is the directory of the
    /// programs.
    pub(crate) fn configuration(&self, templates: &str, allow: &str, more: &str) -> String {
        let text = format!(
            "templates:\n{templates}\ngroups:\n  lab:\n    user: {user}\n    key: {{file: {key}}}\n    allow:\n{allow}\n    {more}\n    \
             hosts:\n      box: {{address: 127.0.0.1, port: {port}, host_keys: [\"{host_key}\"]}}\n",
            user = self.sshd.user(),
            key = self.sshd.user_key().display(),
            port = self.sshd.port(),
            host_key = self.sshd.host_key().unwrap(),
        );
        text.replace("{folder}", &self.folder.path().display().to_string())
    }

    pub(crate) fn runner(&self, templates: &str, allow: &str, more: &str) -> Runner {
        Runner::new(parse(&self.configuration(templates, allow, more)).unwrap())
    }
}

pub(crate) fn parse(text: &str) -> Result<Policy, String> {
    Policy::parse("ssh.yaml", text, |_| None).map_err(|error| error.to_string())
}

pub(crate) async fn run(
    runner: &Runner,
    command: &str,
    arguments: Value,
) -> Result<Outcome, String> {
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    runner.run("box", command, &arguments).await
}
