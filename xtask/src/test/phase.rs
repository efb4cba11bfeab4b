//! The phases, cheapest first.

use std::fs;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use super::Run;
use crate::{contract, queries, screens, shell, tools, torture, workspace};

const DENY_WARNINGS: [&str; 2] = ["-D", "warnings"];

/// A part of `cargo xtask test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Phase {
    /// rustfmt changes nothing
    Format,
    /// Licences, bans and sources of all dependencies (cargo-deny)
    Dependencies,
    /// No lint, with every query checked against a migrated database
    Clippy,
    /// The committed query metadata are what the macros would write now
    Queries,
    /// The documentation builds without a warning
    Docs,
    /// All binaries and tests build
    Build,
    /// All examples in the documentation
    Doctests,
    /// All tests
    Tests,
    /// The web apps: lint, logic, size, and in a browser over a real fleet
    Screens,
    /// The API answers as its OpenAPI document says (Schemathesis)
    Contract,
    /// A minute of torture, alone on the machine
    Torture,
}

impl Phase {
    pub(super) const ALL: [Self; 11] = [
        Self::Format,
        Self::Dependencies,
        Self::Clippy,
        Self::Queries,
        Self::Docs,
        Self::Build,
        Self::Doctests,
        Self::Tests,
        Self::Screens,
        Self::Contract,
        Self::Torture,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Format => "Format",
            Self::Dependencies => {
                "Dependencies: licences, bans, sources (advisories need the network: not checked)"
            }
            Self::Clippy => "Clippy, queries checked against a migrated database",
            Self::Queries => "Query metadata in .sqlx",
            Self::Docs => "Documentation",
            Self::Build => "Build",
            Self::Tests => "Tests",
            Self::Screens => "Screens: lint, logic, size, and in a browser over a real fleet",
            Self::Contract => "Contract: the API against its own description",
            Self::Torture => "Torture: faults, then invariants",
            Self::Doctests => "Examples in the documentation",
        }
    }

    pub(super) fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Whether there is no point in it when the build failed.
    pub(super) fn needs_build(self) -> bool {
        matches!(
            self,
            Self::Tests | Self::Doctests | Self::Screens | Self::Contract | Self::Torture
        )
    }

    pub(super) fn run(self, run: &mut Run<'_>) -> Result<()> {
        match self {
            Self::Format => shell::run(workspace::cargo().args(["fmt", "--all", "--check"]))
                .context("run `cargo fmt --all`"),
            Self::Dependencies => dependencies(),
            Self::Clippy => clippy(run),
            Self::Queries => metadata(run),
            Self::Docs => shell::run(workspace::cargo().env("RUSTDOCFLAGS", "-D warnings").args([
                "doc",
                "--workspace",
                "--no-deps",
            ])),
            Self::Build => {
                shell::run(workspace::cargo().args(["build", "--workspace", "--bins", "--tests"]))
            }
            Self::Tests => tests(run),
            Self::Screens => screens_in_a_browser(run),
            Self::Contract => contract::check(run.server()?),
            Self::Torture => torture::short(),
            Self::Doctests => doctests(run),
        }
    }
}

fn dependencies() -> Result<()> {
    let program = tools::cargo_deny()?;
    let mut deny = std::process::Command::new(program);
    deny.current_dir(workspace::root());
    // Offline: the graph is locked, and the advisories' database cannot be fetched everywhere.
    shell::run(deny.args([
        "--workspace",
        "--locked",
        "check",
        "licenses",
        "bans",
        "sources",
    ]))
    .context("deny.toml says what is allowed and why")
}

fn clippy(run: &mut Run<'_>) -> Result<()> {
    let fresh = Run::queries_folder();
    clear(&fresh)?;
    queries::expand(run.server()?, &fresh, &DENY_WARNINGS)?;
    run.queries = Some(fresh);
    Ok(())
}

fn metadata(run: &mut Run<'_>) -> Result<()> {
    if run.queries.is_none() {
        if run.arguments.wants(Phase::Clippy) {
            bail!("clippy failed, so there is nothing to compare .sqlx with");
        }
        let fresh = Run::queries_folder();
        clear(&fresh)?;
        queries::expand(run.server()?, &fresh, &[])?;
        run.queries = Some(fresh);
    }
    queries::compare(&Run::queries_folder())
}

fn tests(run: &mut Run<'_>) -> Result<()> {
    tools::for_tests()?;
    let mut runner = workspace::cargo();
    if shell::succeeds(workspace::cargo().args(["nextest", "--version"])) {
        runner.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
    } else {
        runner.args([
            "test",
            "--workspace",
            "--bins",
            "--lib",
            "--tests",
            "--no-fail-fast",
            "--",
        ]);
    }
    run.server()?.describe_to(&mut runner);
    shell::run(runner.args(&run.arguments.runner))
        .context("one test alone: `cargo xtask test --only tests -- <part of its name>`")
}

fn screens_in_a_browser(run: &mut Run<'_>) -> Result<()> {
    if !run.arguments.wants(Phase::Build) {
        shell::run(workspace::cargo().args(["build", "--workspace", "--bins"]))?;
    }
    screens::check(run.server()?)
}

fn doctests(run: &mut Run<'_>) -> Result<()> {
    let mut runner = workspace::cargo();
    run.server()?.describe_to(&mut runner);
    shell::run(runner.args(["test", "--workspace", "--doc", "--quiet"]))
}

fn clear(folder: &std::path::Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    Ok(())
}
