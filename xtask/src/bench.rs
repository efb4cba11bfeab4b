//! `cargo xtask bench`: measures the release build on a separate database server, one figure after another.

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

/// Run one benchmark, or all.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Benchmark; default: all, in one table
    #[arg(value_enum, default_value_t = Name::All)]
    name: Name,
    /// Print JSON, one object per line: {name, value, unit, limit, ratio}
    #[arg(long)]
    json: bool,
    /// Number of runs of each benchmark; prints the median, smallest and largest value
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Arguments for the benchmark, e.g. `-- --help`
    #[arg(last = true)]
    more: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Accepted alerts per second, and latency
    Ingest,
    /// Finished stages per second
    Chains,
    /// Latency of a chain of three stages on an idle fleet
    Hop,
    /// Latency of three branches with their fan-in, next to a straight chain of the same depth
    Fanout,
    /// Time of one decision about a chain of thirty stages
    Decide,
    /// Latency of a claim and CPU of an idle fleet, next to ten thousand waiting sessions
    Waiting,
    /// Time from SIGKILL of a stage worker until another one runs its stage
    Recovery,
    /// CPU and memory of idle services
    Idle,
    /// Latency of a claim with a thousand and with a million waiting jobs
    Queue,
    /// Throughput while a long transaction holds back vacuum
    Xmin,
    /// Time for ten thousand chains of three stages, 20 ms for each model call
    Model,
    /// Throughput of masking
    Masking,
    /// Latency of events, from commit to WebSocket
    Live,
    /// Latency of history queries; `-- --sessions 1000000` for a million sessions
    History,
    /// All benchmarks, one after another
    All,
}

impl Name {
    /// Returns the benchmarks in the order of the table.
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

/// Runs the benchmarks. If one fails, the others still run, but the command fails.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let shipped = dist::build()?;
    shell::run(workspace::cargo().args(["build", "--release", "--package", "tarsy-bench"]))?;
    let server = Server::for_benchmarks()?;
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
            terminal::info(&which);
            let start = Instant::now();
            let (measured, outcome) = measure(*name, arguments, &server, &shipped);
            runs.push(measured);
            match outcome {
                Ok(()) => {
                    terminal::info(&format!("{which}: {}", terminal::duration(start.elapsed())))
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

/// Returns the figures of one run, even if it failed.
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
    // Other output, such as help, is printed unchanged.
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
