//! Builds and tests the web apps.

mod browser;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use tarsy_testing::tools::find;

use crate::server::Server;
use crate::{authorities, fingerprint, python, shell, terminal, tools, workspace};

/// Fingerprint of the last build's sources, below `web`: unchanged apps are not built again.
const STAMP: &str = "node_modules/.tarsy-built";

/// Inputs of the build, below `web`.
const SOURCES: [&str; 10] = [
    "package-lock.json",
    "ui/vite-app.js",
    "ui/src",
    "dashboard/index.html",
    "dashboard/src",
    "dashboard/public",
    "alert-dev-ui/api.html",
    "alert-dev-ui/index.html",
    "alert-dev-ui/src",
    "alert-dev-ui/public",
];

/// Builds both apps unless their sources are unchanged. Returns `false` without Node.js.
pub(crate) fn build() -> Result<bool> {
    if find("node").is_none() || find("npm").is_none() {
        return Ok(false);
    }
    let sources = fingerprint::compute(&workspace::web(), &SOURCES)?;
    let stamp = workspace::web().join(STAMP);
    let is_built = ["dashboard", "alert-dev-ui"]
        .iter()
        .all(|app| workspace::web().join(app).join("dist/index.html").is_file());
    if is_built && std::fs::read_to_string(&stamp).is_ok_and(|built| built == sources) {
        terminal::info("the screens are built already");
        return Ok(true);
    }
    terminal::info(
        "building the screens; the first time their packages are installed too, which takes a minute",
    );
    install()?;
    npm(&["run", "build"])?;
    std::fs::write(&stamp, sources)
        .with_context(|| format!("cannot write {}", workspace::shown(&stamp)))?;
    Ok(true)
}

/// Installs the packages as locked, lints, runs the unit tests, builds, and checks the size.
pub(crate) fn check() -> Result<()> {
    if find("npm").is_none() {
        bail!(
            "the web apps are built and tested with Node.js 20 or newer and npm; without them: --without-screens"
        );
    }
    install()?;
    npm(&["run", "lint"])?;
    npm(&["test"])?;
    npm(&["run", "build"])
}

/// Installs the browser and the packages that the tests of the web apps need.
pub(crate) fn prepare() -> Result<()> {
    browser::chromium()?;
    install()
}

fn install() -> Result<()> {
    tools::node_packages(&workspace::web(), "the packages of the screens")
}

/// Runs a script of `web/package.json` that tests the built apps in a browser with a fleet of real processes. The
/// script writes its report to `report`.
pub(crate) fn in_a_browser(script: &str, server: &Server, report: &Path) -> Result<()> {
    let chromium = browser::chromium()?;
    tools::nginx()?;
    install()?;
    if let Some(folder) = report.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut run = command();
    run.args(["run", "--silent", script])
        .env("TARSY_TEST_REPORT", report)
        .env("CHROMIUM", chromium)
        .env("TARSY_BIN", workspace::target().join("debug"));
    server.describe_to(authorities::from_one_file(python::before_its_shim(
        &mut run,
    )));
    run.env("DATABASE_URL", server.url("postgres"));
    shell::run(&mut run).context(
        "one file alone: `node --test web/tests/<name>.test.mjs`; docs/DASHBOARD.md says with which variables",
    )
}

fn npm(arguments: &[&str]) -> Result<()> {
    shell::run(command().args(arguments))
}

fn command() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(workspace::web());
    command
}
