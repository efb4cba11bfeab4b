//! Runs tests with nextest, each in a separate process, or with cargo if nextest is not installed.

use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::server::Server;
use crate::{authorities, python, shell, workspace};

/// Tests that measure the memory of their process and must run alone.
const MEASURES_MEMORY: &str = "memory::";

/// Crate whose tests start fleets of processes, which would disturb each other's measurements.
const FLEETS: &str = "tarsy-tests";

/// Tests of the repository's rules, e.g. of links in documents. They need no service.
const RULES: &str = "boundaries";

/// Runs all tests, or those that the arguments name, with this cargo.
pub(crate) fn all_tests(
    server: &Server,
    cargo: impl Fn() -> Result<Command>,
    arguments: &[String],
) -> Result<()> {
    if has_nextest() {
        let mut nextest = nextest(cargo()?);
        server.describe_to(cheaper(&mut nextest));
        return shell::run(nextest.arg("--no-fail-fast").args(arguments))
            .context("one test alone: `cargo xtask test --only tests -- <part of its name>`");
    }
    let cargo_test = |selection: &[&str], options: &[&str]| {
        let mut test = cargo()?;
        server.describe_to(cheaper(&mut test));
        test.arg("test").args(selection);
        test.args(["--bins", "--lib", "--tests", "--no-fail-fast", "--"]);
        shell::run(test.args(options).args(arguments))
    };
    let one_by_one = "--test-threads=1";
    let outcomes = [
        cargo_test(
            &["--workspace", "--exclude", FLEETS],
            &["--skip", MEASURES_MEMORY],
        ),
        cargo_test(
            &["--workspace", "--exclude", FLEETS],
            &[one_by_one, MEASURES_MEMORY],
        ),
        cargo_test(&["--package", FLEETS], &[one_by_one]),
    ];
    outcomes.into_iter().collect()
}

/// Runs the unit tests of libraries and programs, and the repository's rules. They start no fleet.
pub(crate) fn unit_tests(server: &Server) -> Result<()> {
    let mut test = if has_nextest() {
        nextest(workspace::cargo())
    } else {
        let mut test = workspace::cargo();
        test.args(["test", "--workspace"]);
        test
    };
    server.describe_to(cheaper(&mut test));
    test.args(["--lib", "--test", RULES]);
    for program in programs_with_tests()? {
        test.args(["--bin", &program]);
    }
    shell::run(&mut test)
}

/// Sets variables that make the thousands of process starts cheaper.
fn cheaper(tests: &mut Command) -> &mut Command {
    authorities::from_one_file(python::before_its_shim(tests))
}

fn nextest(mut cargo: Command) -> Command {
    cargo.args(["nextest", "run", "--workspace"]);
    cargo
}

fn has_nextest() -> bool {
    shell::succeeds(workspace::cargo().args(["nextest", "--version"]))
}

/// Returns the programs without `test = false` in their manifest. `--bins` would also build the tests of the others.
fn programs_with_tests() -> Result<Vec<String>> {
    let output = workspace::cargo()
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .output()
        .context("cannot run `cargo metadata`")?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).context("`cargo metadata` prints no JSON")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    Ok(targets
        .filter(|target| target["kind"][0] == "bin" && target["test"] == true)
        .filter_map(|target| target["name"].as_str().map(str::to_owned))
        .collect())
}
