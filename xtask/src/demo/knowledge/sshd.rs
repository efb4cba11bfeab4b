//! The demo's host: an SSH server on this machine, and the commands that may run there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::json;
use tarsy_testing::Sshd;

use crate::tools;

/// Starts the server, and writes the configuration for `tarsy mcp ssh`.
pub(super) fn start(data: &Path) -> Result<(Sshd, PathBuf)> {
    tools::sshd()?;
    let sshd = Sshd::start().context("the SSH server of the demonstration did not start")?;
    // Commands for a diagnosis. All are read-only.
    let commands = [
        "uname -a",
        "cat /etc/os-release",
        "lscpu",
        "lspci -nn",
        "ip -4 addr show",
    ];
    let names = ["kernel", "system", "processor", "devices", "addresses"];
    let template = |(name, command): (&str, &str)| {
        (
            name.to_owned(),
            json!({"effect": "read_only", "command": command}),
        )
    };
    let templates: serde_json::Map<_, _> = names.into_iter().zip(commands).map(template).collect();
    let hosts = json!({
        "templates": templates,
        "groups": {"lab": {
            "user": sshd.user(), "key": {"file": sshd.user_key()}, "allow": commands,
            "hosts": {"lab-01": {"address": "127.0.0.1", "port": sshd.port(), "host_keys": [sshd.host_key()?]}},
        }},
    });
    fs::create_dir_all(data)?;
    let file = data.join("ssh.yaml");
    fs::write(&file, format!("{hosts:#}\n"))?;
    Ok((sshd, file))
}
