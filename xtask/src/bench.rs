//! `cargo xtask bench`: measures what ships, on a server of its own, one figure after another.

mod figure;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::ValueEnum;
use tarsy_testing::process::BINARIES;

use crate::server::Server;
use crate::{dist, shell, terminal, workspace};
use figure::Figure;

/// Measure one property of the product, or all of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to measure; default: everything, in one table
    #[arg(value_enum, default_value_t = Name::All)]
    name: Name,
    /// One JSON object a line: {name, value, unit, limit, ratio}
    #[arg(long)]
    json: bool,
    /// Measure each so often: the median is shown, with the smallest and the largest
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Passed on to the bench, e.g. `-- --help`
    #[arg(last = true)]
    more: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Alerts accepted a second, and how long each takes
    Ingest,
    /// Stages finished a second
    Chains,
    /// A chain of three stages on an idle fleet
    Hop,
    /// SIGKILL of a stage-worker until the stage runs elsewhere
    Recovery,
    /// CPU and memory of services with nothing to do
    Idle,
    /// A claim beside a thousand waiting jobs, and beside a million
    Queue,
    /// Throughput while a forgotten transaction keeps dead rows from vacuum
    Xmin,
    /// Ten thousand chains of three stages with a model that takes 20 ms
    Model,
    /// Masking of tool results, bytes a second
    Masking,
    /// Events from a row to a socket
    Live,
    /// History queries; `-- --sessions 1000000` for a million
    History,
    /// One after another
    All,
}

impl Name {
    /// In the order of the table.
    fn each(self) -> Vec<Self> {
        match self {
            Self::All => Self::value_variants()
                .iter()
                .copied()
                .filter(|name| *name != Self::All)
                .collect(),
            one => vec![one],
        }
    }

    fn word(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }
}

/// A bench that gave no figures does not keep the others from theirs; it fails the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let shipped = dist::build()?;
    shell::run(workspace::cargo().args(["build", "--release", "--package", "tarsy-bench"]))?;
    let server = Server::for_tests()?;
    let (mut figures, mut failed) = (Vec::new(), Vec::new());
    let names = arguments.name.each();
    for (place, name) in names.iter().enumerate() {
        let mut runs = Vec::new();
        for run in 1..=arguments.repeat {
            let (place, word) = (place + 1, name.word());
            let which = format!(
                "{word} ({place} of {}), run {run} of {}",
                names.len(),
                arguments.repeat
            );
            terminal::say(&which);
            let start = Instant::now();
            let (measured, outcome) = measure(*name, arguments, &server, &shipped);
            runs.push(measured);
            match outcome {
                Ok(()) => {
                    terminal::say(&format!("{which}: {}", terminal::duration(start.elapsed())))
                }
                Err(error) => {
                    terminal::failure(&error);
                    failed.push(word);
                }
            }
        }
        let measured = figure::of_runs(&runs);
        match arguments.json {
            true => measured.iter().for_each(Figure::print_json),
            false => figures.extend(measured),
        }
    }
    server.remove()?;
    if !arguments.json {
        figure::print_table(&figures);
    }
    if !failed.is_empty() {
        bail!("not measured to the end: {}", failed.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

/// The figures of one run, also of one that then failed.
fn measure(
    name: Name,
    arguments: &Arguments,
    server: &Server,
    shipped: &Path,
) -> (Vec<Figure>, Result<()>) {
    let mut command = if name == Name::Masking {
        let mut bench = workspace::cargo();
        bench.args(["bench", "--quiet", "--package", "tarsy-masking", "--"]);
        bench
    } else {
        let mut bench = Command::new(workspace::binary("release", "tarsy-bench"));
        bench.current_dir(workspace::root()).arg(name.word());
        bench.env(BINARIES, shipped);
        bench
    };
    server.describe_to(&mut command);
    command.arg("--json").args(&arguments.more);
    let word = name.word();
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("the bench {word} can't be run"));
    let output = match output {
        Ok(output) => output,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    // Help, say, is no figure.
    let (lines, other): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.starts_with('{'));
    other.iter().for_each(|line| println!("{line}"));
    let (mut figures, mut outcome) = (Vec::new(), Ok(()));
    for line in lines {
        match Figure::read(line) {
            Ok(figure) => figures.push(figure),
            Err(error) => outcome = Err(error.context(format!("{word} printed {line}"))),
        }
    }
    if !output.status.success() {
        outcome = Err(anyhow!("the bench {word} failed ({})", output.status));
    }
    (figures, outcome)
}
