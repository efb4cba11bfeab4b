//! `cargo xtask zoo`: tests tarsy's MCP client with popular tool servers from the package registries.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::{shell, terminal, tools, workspace};

/// List of servers with pinned versions.
const SERVERS: &str = "tests/conformance/zoo/servers.json";

/// List the tools of real tool servers, and call one tool of each.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Servers to test [default: all]
    servers: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    shell::run(workspace::cargo().args(["build", "--package", "tarsy-conformance", "--bins"]))?;
    let uv = tools::uv().context("cannot install uv, which fetches servers from PyPI")?;
    let folder = workspace::tools().join("zoo");
    terminal::info(&format!(
        "servers are fetched from npm and PyPI into {}",
        workspace::shown(&folder)
    ));
    let mut zoo = Command::new(workspace::binary("debug", "mcp-zoo"));
    let inherited = env::var_os("PATH").unwrap_or_default();
    let folders = uv.parent().map(Path::to_owned).into_iter();
    zoo.env(
        "PATH",
        env::join_paths(folders.chain(env::split_paths(&inherited)))?,
    );
    let status = zoo
        .arg(workspace::root().join(SERVERS))
        .arg(&folder)
        .args(&arguments.servers)
        .status()
        .context("cannot run mcp-zoo")?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
