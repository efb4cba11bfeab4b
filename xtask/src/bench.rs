//! `cargo xtask bench`: an optimised build, a server of its own, one figure after another.

use std::process::{Command, ExitCode};

use anyhow::Result;
use clap::ValueEnum;

use crate::server::Server;
use crate::{shell, workspace};

/// Measure one property of the product, or all of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to measure
    #[arg(value_enum)]
    name: Name,
    /// One JSON object a line: {name, value, unit, limit, ratio}
    #[arg(long)]
    json: bool,
    /// Passed on to the bench
    #[arg(last = true)]
    more: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// SIGKILL of a stage-worker until the stage runs elsewhere
    Recovery,
    /// Alerts accepted a second, and how long each takes
    Ingest,
    /// Stages finished a second
    Chains,
    /// A chain of three stages on an idle fleet
    Hop,
    /// Masking of tool results, bytes a second
    Masking,
    /// Events from a row to a socket
    Live,
    /// History queries at a million sessions
    History,
    /// One after another
    All,
}

impl Name {
    const EACH: [Self; 7] = [
        Self::Recovery,
        Self::Ingest,
        Self::Chains,
        Self::Hop,
        Self::Masking,
        Self::Live,
        Self::History,
    ];
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    shell::run(workspace::cargo().args(["build", "--release", "--workspace", "--bins"]))?;
    let server = Server::for_tests()?;
    let names = if arguments.name == Name::All {
        Name::EACH.to_vec()
    } else {
        vec![arguments.name]
    };
    let outcome = names
        .into_iter()
        .try_for_each(|name| measure(name, arguments, &server));
    server.remove()?;
    outcome.map(|()| ExitCode::SUCCESS)
}

fn measure(name: Name, arguments: &Arguments, server: &Server) -> Result<()> {
    let json = arguments.json.then_some("--json");
    let mut command = if name == Name::Masking {
        let mut bench = workspace::cargo();
        bench.args(["bench", "--package", "tarsy-masking", "--"]);
        bench
    } else {
        let mut bench = Command::new(workspace::binary("release", "tarsy-bench"));
        bench.current_dir(workspace::root());
        bench.args(
            name.to_possible_value()
                .map(|value| value.get_name().to_owned()),
        );
        bench
    };
    server.describe_to(&mut command);
    shell::run(command.args(json).args(&arguments.more))
}
