//! `tarsy eval`: measures investigations on recorded incidents.

mod budget;
mod configuration;
mod fleet;
mod judge;
mod publish;
mod record;
mod run;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_eval::{
    Case, Judgement, Report, Session, Settings, compare, convert, diagnose, diagnosis_markdown,
    lint,
};

use crate::output::json;
use crate::printing;
use crate::server::Server;

/// Parts of an evaluation.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    part: Part,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Run cases in a separate fleet, score the sessions and write a report
    Run(run::Options),
    /// Recompute the report of a run from its stored sessions
    Report {
        /// Folder of the run
        run: PathBuf,
        /// Cases, or folders of cases
        #[arg(required = true)]
        cases: Vec<PathBuf>,
    },
    /// Ask a model to judge the answers of a run; scores do not change
    Judge(judge::Options),
    /// Compare two runs; fails if the new one is significantly worse (p < 0.05)
    Diff {
        /// Folder of the old run
        old: PathBuf,
        /// Folder of the new run
        new: PathBuf,
    },
    /// Store the figures of a run in the fleet, so that the Quality page shows them
    Publish(publish::Options),
    /// Find cases that measure nothing; fails if there are errors
    Lint {
        /// Cases, or folders of cases
        #[arg(required = true)]
        cases: Vec<PathBuf>,
    },
    /// Convert cases of HolmesGPT and OpenSRE to cases of tarsy
    Convert {
        /// JSON files to convert
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Folder for the cases
        #[arg(long, short)]
        output: PathBuf,
    },
    /// Diagnose cases with the Kubernetes rules; needs no model, fleet or database
    Diagnose {
        /// Cases, or folders of cases
        #[arg(required = true)]
        cases: Vec<PathBuf>,
        /// Also print each finding
        #[arg(long)]
        findings: bool,
    },
    /// Create a case from an ended session; you then fill in the true cause
    Record(record::Options),
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let as_json = options.json;
    match &options.part {
        Part::Run(options) => run::run(options, as_json).await,
        Part::Report { run, cases } => {
            let settings = settings::read(run)?;
            let (ran, left) = by_session(run, read_cases(cases)?);
            if !left.is_empty() {
                eprintln!("{} cases have no session in this run", left.len());
            }
            finish(run, settings, ran, as_json)
        }
        Part::Judge(options) => judge::run(options, as_json).await,
        Part::Diff { old, new } => {
            let found = compare(&read_report(old)?, &read_report(new)?);
            print(as_json, &found, || found.markdown())?;
            Ok(code(!found.is_worse()))
        }
        Part::Publish(options) => publish::run(server, options, as_json).await,
        Part::Lint { cases } => {
            let cases = read_cases(cases)?;
            let findings: Vec<_> = cases.iter().flat_map(lint).collect();
            let errors = findings.iter().filter(|finding| finding.is_error).count();
            print(as_json, &findings, || {
                let (cases, warnings) = (cases.len(), findings.len() - errors);
                let lines: String = findings
                    .iter()
                    .map(|finding| format!("{finding}\n"))
                    .collect();
                format!("{lines}{cases} cases, {errors} errors, {warnings} warnings\n")
            })?;
            Ok(code(errors == 0))
        }
        Part::Convert { files, output } => {
            fs::create_dir_all(output).with_context(|| failed("create", output))?;
            let mut written = Vec::new();
            for file in files {
                let case = convert(file, &read(file)?)?;
                let made = output.join(format!("{}.json", case.id));
                write_json(&made, &case)?;
                written.push(made);
            }
            print(as_json, &written, || {
                format!("{} cases are in {}\n", files.len(), output.display())
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Part::Diagnose { cases, findings } => {
            let cases = read_cases(cases)?;
            let diagnosed: Vec<_> = cases.iter().map(diagnose).collect();
            print(as_json, &diagnosed, || {
                let each = diagnosed.iter().filter(|_| *findings);
                let each = each.map(|one| format!("# {}\n\n{}\n", one.case, one.report));
                each.chain([diagnosis_markdown(&diagnosed)]).collect()
            })?;
            Ok(code(!diagnosed.is_empty()))
        }
        Part::Record(options) => record::run(server, options, as_json).await,
    }
}

/// Scores the sessions of a run, writes its report and prints it.
fn finish(run: &Path, settings: Settings, cases: Vec<Case>, as_json: bool) -> Result<ExitCode> {
    let mut sessions = Vec::new();
    for case in cases {
        let session = read_session(run, &case)?;
        sessions.push((case, session));
    }
    let mut report = Report::new(settings, &sessions);
    report.judgement = read_judgement(run)?;
    write_json(&run.join("report.json"), &report)?;
    write(&run.join("report.md"), &report.markdown())?;
    print(as_json, &report, || report.markdown())?;
    if !sessions.is_empty() && !as_json {
        let seconds: f64 = sessions.iter().map(|(_, session)| session.seconds).sum();
        println!(
            "\n{:.1} seconds a session; the report is in {}",
            seconds / sessions.len() as f64,
            run.display()
        );
    }
    match report.fault() {
        Some(fault) => bail!("the run measures nothing: {fault}"),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Prints JSON, or text.
fn print(as_json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
    match as_json {
        true => println!("{}", json(value)?),
        false => printing::out_bytes(text().as_bytes()),
    }
    Ok(())
}

/// Reads the cases of these files and folders.
fn read_cases(paths: &[PathBuf]) -> Result<Vec<Case>> {
    let cases = Case::read_all(paths)?;
    Ok(cases.into_iter().map(|(_, case)| case).collect())
}

/// Splits cases into those that have a session in the run, and the others.
fn by_session(run: &Path, cases: Vec<Case>) -> (Vec<Case>, Vec<Case>) {
    let has_session = |case: &Case| session_file(run, &case.id).exists();
    cases.into_iter().partition(has_session)
}

fn session_file(run: &Path, case: &str) -> PathBuf {
    run.join("sessions").join(format!("{case}.json"))
}

fn read_session(run: &Path, case: &Case) -> Result<Session> {
    let file = session_file(run, &case.id);
    Session::read(&read(&file)?).with_context(|| failed("read", &file))
}

fn judgement_file(run: &Path) -> PathBuf {
    run.join("judge.json")
}

/// Reads the judgement of this run, if a judge was asked.
fn read_judgement(run: &Path) -> Result<Option<Judgement>> {
    let file = judgement_file(run);
    file.exists().then(|| read_json(&file)).transpose()
}

fn read_report(run: &Path) -> Result<Report> {
    read_json(&run.join("report.json"))
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| failed("read", file))
}

fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T> {
    serde_json::from_str(&read(file)?).with_context(|| failed("read", file))
}

fn write_json(file: &Path, value: &impl Serialize) -> Result<()> {
    write(file, &serde_json::to_string_pretty(value)?)
}

/// Writes a file atomically.
fn write(file: &Path, text: &str) -> Result<()> {
    let part = file.with_extension("part");
    fs::write(&part, text).with_context(|| failed("write", file))?;
    fs::rename(&part, file).with_context(|| failed("write", file))
}

fn failed(what: &str, file: &Path) -> String {
    format!("failed to {what} {}", file.display())
}

fn code(is_good: bool) -> ExitCode {
    match is_good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
