//! The published files of a release: the Debian package, the chart, the images, and the checksums of all of them.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::{deb, dist, shell, terminal, tools, workspace};

const CHART: &str = "deploy/helm/tarsy";
/// File with the checksums of the other files, in the format of `sha256sum --check`.
const SUMS: &str = "SHA256SUMS";
/// Images, each as suffix of the tag and target of the Containerfile.
const IMAGES: [(&str, &str); 2] = [("", "tarsy"), ("-tools", "tarsy-tools")];

/// Options of `cargo xtask dist`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Also build the Debian package, the chart and the images, with checksums, in target/dist/release
    #[arg(long)]
    all: bool,
}

/// Builds the release and prints its location.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = dist::build()?;
    if arguments.all {
        publish(&folder.join("tarsy"), &folder.join("release"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes all published files of a built program into `folder`, which is emptied first.
fn publish(program: &Path, folder: &Path) -> Result<()> {
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder)?;
    deb::build(program, folder)?;
    chart(&tools::for_deploy()?.helms[1], folder)?;
    images(folder)?;
    sums(folder)?;
    terminal::info(&format!(
        "{}: sha256sum --check {SUMS} in it verifies them",
        workspace::shown(folder)
    ));
    Ok(())
}

/// Checks the steps that need neither a build nor a container engine: the packaged chart is that of the sources, and
/// the checksums match.
pub(crate) fn check(helm: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    chart(helm, folder)?;
    sums(folder)?;
    let verify = || {
        let mut verify = Command::new("sha256sum");
        verify
            .current_dir(folder)
            .args(["--check", "--quiet", "--status", SUMS]);
        verify
    };
    ensure!(shell::succeeds(&mut verify()), "the checksums do not hold");
    let chart = folder.join(chart_name());
    let mut shown = Command::new(helm);
    shown.args(["show", "chart"]).arg(&chart);
    let shown = shown.output().context("cannot run helm")?;
    let version = format!("appVersion: {}", env!("CARGO_PKG_VERSION"));
    ensure!(
        String::from_utf8_lossy(&shown.stdout).contains(&version),
        "{} is not of this version",
        workspace::shown(&chart)
    );
    fs::write(&chart, "not a chart")?;
    ensure!(
        !shell::succeeds(&mut verify()),
        "the checksums hold for any chart"
    );
    Ok(())
}

fn chart_name() -> String {
    format!("tarsy-{}.tgz", env!("CARGO_PKG_VERSION"))
}

fn chart(helm: &Path, folder: &Path) -> Result<()> {
    let mut package = Command::new(helm);
    package
        .current_dir(workspace::root())
        .args(["package", CHART, "--destination"])
        .arg(folder);
    ensure!(shell::succeeds(&mut package), "helm can't package {CHART}");
    Ok(())
}

/// Builds the images of the built program, as archives in the format of the Open Container Initiative.
fn images(folder: &Path) -> Result<()> {
    let engine = ["podman", "docker"].into_iter().find(|engine| {
        let mut version = Command::new(engine);
        shell::succeeds(version.arg("--version"))
    });
    let Some(engine) = engine else {
        terminal::info("neither podman nor docker is here: the images are left out");
        return Ok(());
    };
    let version = env!("CARGO_PKG_VERSION");
    for (suffix, target) in IMAGES {
        let tag = format!("tarsy:{version}{suffix}");
        shell::run(Command::new(engine).current_dir(workspace::root()).args([
            "build",
            "--file",
            "deploy/Containerfile",
            "--build-arg",
            "BUILD=prebuilt",
            "--target",
            target,
            "--tag",
            &tag,
            ".",
        ]))?;
        let archive = folder.join(format!("tarsy-{version}{suffix}-image.tar"));
        shell::run(
            Command::new(engine)
                .args(["save", "--output"])
                .arg(&archive)
                .arg(&tag),
        )?;
    }
    Ok(())
}

/// Writes the checksums of all files in a folder, ordered by name.
fn sums(folder: &Path) -> Result<()> {
    fs::remove_file(folder.join(SUMS)).ok();
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name());
    }
    names.sort();
    let output = Command::new("sha256sum")
        .current_dir(folder)
        .args(&names)
        .output()
        .context("cannot run sha256sum")?;
    ensure!(output.status.success(), "sha256sum failed");
    fs::write(folder.join(SUMS), output.stdout)?;
    Ok(())
}
