//! A plain list of commands and hosts, as in policies of other runners, and its translation to a configuration file of
//! this server.
//!
//! Such a list can't be used directly, because it contains no login, no key, and no host keys.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allowlist {
    allowed_commands: Vec<String>,
    allowed_hosts: Vec<String>,
    command_timeout_sec: Option<u64>,
    max_output_bytes: Option<usize>,
    denylist_regex: Option<Vec<String>>,
}

impl Allowlist {
    /// Returns a configuration file that allows the same commands and hosts. It has placeholders for everything that
    /// the list does not contain.
    pub(crate) fn translated(&self) -> String {
        let mut text = "templates:\n".to_owned();
        let mut names = BTreeSet::new();
        for command in &self.allowed_commands {
            let name = self::name(command, &names);
            // Writing to a String can't fail.
            let _ = writeln!(
                text,
                "  {name}: {{effect: read_only, command: {}}}",
                json!(command)
            );
            names.insert(name);
        }
        text.push_str("groups:\n  lab:\n    user: LOGIN            # the login on the hosts\n");
        text.push_str(
            "    key: {env: TARSY_SSH_KEY}  # or {file: ..}: its private key, ed25519 or ecdsa\n",
        );
        let _ = writeln!(text, "    allow: {}", json!(self.allowed_commands));
        if let Some(seconds) = self.command_timeout_sec {
            let _ = writeln!(text, "    timeout_seconds: {seconds}");
        }
        if let Some(bytes) = self.max_output_bytes {
            let _ = writeln!(text, "    max_output_bytes: {bytes}");
        }
        text.push_str("    hosts:\n");
        for host in &self.allowed_hosts {
            let host = json!(host);
            let _ = writeln!(
                text,
                "      {host}: {{host_keys: [\"..\"]}}  # what `ssh-keyscan -t ed25519` prints, without the name"
            );
        }
        if let Some(patterns) = &self.denylist_regex {
            let _ = writeln!(
                text,
                "deny: {}  # in place of the built-in list; leave it out for that one",
                json!(patterns)
            );
        }
        text
    }
}

/// Returns a name for a template: the words of its command, and a number if the name is taken.
fn name(command: &str, taken: &BTreeSet<String>) -> String {
    const LONGEST: usize = 60;
    let words = command.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut name: String = words.join("-").chars().take(LONGEST).collect();
    if name.is_empty() {
        name.push_str("command");
    }
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or(name)
}
