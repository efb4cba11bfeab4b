//! Steps of each phase.

use std::sync::PoisonError;

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use super::context::Context;
use super::node_report::{self, PAGES, SPEED};
use super::phase::Phase;
use crate::{
    contract, deploy, format, lint, one_pass, queries, runner, screens, shell, tools, torture,
    workspace,
};

pub(super) fn run(phase: Phase, context: &Context) -> Result<()> {
    match phase {
        Phase::Format => format::check(),
        Phase::Build => build(context),
        Phase::Queries => {
            let expanded = context.expanded.lock();
            let expanded = expanded.unwrap_or_else(PoisonError::into_inner);
            queries::check(|| context.server(), expanded.as_ref().map(TempDir::path))
        }
        Phase::Clippy if context.one_pass => one_pass::require_no_lint(),
        Phase::Clippy => lint::clippy(),
        Phase::Docs if context.one_pass => one_pass::require_sound_documentation(),
        Phase::Docs => lint::documentation(),
        Phase::Doctests => {
            let mut examples = context.cargo()?;
            context.server()?.describe_to(&mut examples);
            shell::run(examples.args(["test", "--workspace", "--doc", "--quiet"]))
        }
        Phase::Tests => {
            tools::for_tests()?;
            runner::all_tests(&*context.server()?, || context.cargo(), &context.runner)
        }
        Phase::Screens => {
            build_for_screens(context)?;
            in_a_browser(PAGES, context)
        }
        Phase::Speed => {
            if !context.selection.includes(Phase::Screens) {
                build_for_screens(context)?;
            }
            in_a_browser(SPEED, context)
        }
        Phase::Torture => torture::short(),
        Phase::Tools => tools(context),
        Phase::Dependencies => dependencies(),
        Phase::Web => screens::check(),
        Phase::Deploy => deploy::check(),
        Phase::Contract => contract::check(&*context.server()?),
    }
}

fn build(context: &Context) -> Result<()> {
    if context.one_pass {
        let expanded = queries::expanded_by(&*context.server()?, one_pass::build_command()?)?;
        *context
            .expanded
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(expanded);
        return Ok(());
    }
    shell::run(workspace::cargo().args(["build", "--workspace", "--bins", "--tests"]))
}

fn in_a_browser(script: &str, context: &Context) -> Result<()> {
    screens::in_a_browser(script, &*context.server()?, &node_report::path(script))
}

/// Builds the programs that the web app phases use, unless another phase of this run has built them.
fn build_for_screens(context: &Context) -> Result<()> {
    if !context.selection.includes(Phase::Build) {
        shell::run(context.cargo()?.args(["build", "--workspace", "--bins"]))?;
    }
    if !context.selection.includes(Phase::Web) {
        screens::build()?;
    }
    Ok(())
}

/// Finds or installs the programs of later phases while the machine compiles.
fn tools(context: &Context) -> Result<()> {
    let includes = |phase| context.selection.includes(phase);
    if includes(Phase::Tests) {
        tools::for_tests()?;
    }
    if includes(Phase::Screens) || includes(Phase::Speed) {
        screens::prepare()?;
    }
    if includes(Phase::Contract) {
        tools::schemathesis()?;
    }
    if includes(Phase::Torture) {
        torture::prepare();
    }
    Ok(())
}

fn dependencies() -> Result<()> {
    let program = tools::cargo_deny()?;
    let mut deny = std::process::Command::new(program);
    deny.current_dir(workspace::root());
    // Offline, because the dependency graph is locked and the advisory database can't be fetched everywhere.
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
