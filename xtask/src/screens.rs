//! The web apps: installed, built, checked in a browser.

mod browser;
mod stale;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use tarsy_testing::tools::find;

use crate::server::Server;
use crate::{shell, terminal, tools, workspace};

/// Written by our build, so that an unchanged checkout builds nothing.
const STAMP: &str = "node_modules/.tarsy-built";

/// Build both apps unless what is built is what the sources say. `false`: there is no Node.js.
pub(crate) fn build() -> Result<bool> {
    if find("node").is_none() || find("npm").is_none() {
        return Ok(false);
    }
    let sources = stale::fingerprint(&workspace::root())?;
    let stamp = workspace::root().join(STAMP);
    let is_built = ["dashboard", "alert-dev-ui"].iter().all(|app| {
        workspace::root()
            .join(app)
            .join("dist/index.html")
            .is_file()
    });
    if is_built && std::fs::read_to_string(&stamp).is_ok_and(|built| built == sources) {
        terminal::say("the screens are built already");
        return Ok(true);
    }
    terminal::say(
        "building the screens; the first time their packages are installed too, which takes a minute",
    );
    install()?;
    npm(&["run", "build"])?;
    std::fs::write(&stamp, sources)
        .with_context(|| format!("cannot write {}", workspace::shown(&stamp)))?;
    Ok(true)
}

/// Everything about the screens: packages as locked, lint, logic, build and size, and the built
/// apps in a browser over a fleet of real processes.
pub(crate) fn check(server: &Server) -> Result<()> {
    if find("npm").is_none() {
        bail!(
            "the screens are built and tested with Node.js 20 or newer and npm; without them: --without-screens"
        );
    }
    let chromium = browser::chromium()?;
    install()?;
    npm(&["run", "lint"])?;
    npm(&["test"])?;
    npm(&["run", "build"])?;
    end_to_end(server, &chromium)
}

/// What `check` needs, and nothing else.
pub(crate) fn prepare() -> Result<()> {
    browser::chromium()?;
    install()
}

fn install() -> Result<()> {
    tools::node_packages(&workspace::root(), "the packages of the screens")
}

fn end_to_end(server: &Server, chromium: &Path) -> Result<()> {
    let mut run = command();
    run.args(["run", "--silent", "e2e"])
        .env("CHROMIUM", chromium)
        .env("TARSY_BIN", workspace::target().join("debug"));
    server.describe_to(&mut run);
    run.env("DATABASE_URL", server.url("postgres"));
    shell::run(&mut run).context(
        "one file alone: `node --test tests/ui/<name>.test.mjs`; docs/DASHBOARD.md says with which variables",
    )
}

fn npm(arguments: &[&str]) -> Result<()> {
    shell::run(command().args(arguments))
}

fn command() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(workspace::root());
    command
}
