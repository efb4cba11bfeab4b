//! Checks `deploy/`: chart, compose file, Containerfile, Debian package, units. It needs neither a cluster nor a
//! container engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::tools::{self, DeployTools};
use crate::{deb, publish, shell, terminal, workspace};

const CHART: &str = "deploy/helm/tarsy";
/// Folder of values, schemas and checks of rendered manifests.
const CHECKS: &str = "tests/deploy";
const COMPOSE: &str = "deploy/compose.yaml";
const CONTAINERFILE: &str = "deploy/Containerfile";
const UNITS: &str = "deploy/systemd";

/// Values files: one with the minimum, and one with every option.
const VALUES: [&str; 2] = [
    "tests/deploy/values/least.yaml",
    "tests/deploy/values/everything.yaml",
];
/// Values files of common clusters. They name objects of the platform, which are not among the release's manifests.
const CLUSTERS: [&str; 5] = [
    "deploy/helm/values/aks.yaml",
    "deploy/helm/values/eks.yaml",
    "deploy/helm/values/gke.yaml",
    "deploy/helm/values/k3s.yaml",
    "deploy/helm/values/openshift.yaml",
];
/// The chart's oldest supported Kubernetes version, and a recent one.
const KUBERNETES: [&str; 2] = ["1.28", "1.33"];
/// Units to verify, with instances of templates.
const SERVICES: [&str; 4] = [
    "tarsy-migrate.service",
    "tarsy-ingest-api.service",
    "tarsy-chain-worker@1.service",
    "tarsy-stage-worker@default.service",
];
/// Highest allowed exposure of a unit, in tenths, as `systemd-analyze security` rates it (2.0: well hardened).
const EXPOSURE: &str = "20";

pub(crate) fn check() -> Result<()> {
    let tools = tools::for_deploy()?;
    let folder = workspace::target().join("deploy");
    fs::remove_dir_all(&folder).ok();
    let rendered = render(&tools, &folder.join("manifests"), &VALUES)?;
    let clusters = render(&tools, &folder.join("clusters"), &CLUSTERS)?;
    misspelt(&tools.helms[1])?;
    manifests(&tools, &rendered, &clusters)?;
    shell::run(
        Command::new(&tools.hadolint)
            .current_dir(workspace::root())
            .arg(CONTAINERFILE),
    )?;
    versions()?;
    publish::check(&tools.helms[1], &folder.join("release"))?;
    deb::check(&folder.join("deb"))?;
    units(&folder.join("systemd"))
}

/// Lints the chart and renders it with both major versions of helm, which must give the same result. Returns the
/// rendered files.
fn render(tools: &DeployTools, folder: &Path, values: &[&str]) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut rendered = Vec::new();
    for values in values {
        let file = workspace::root().join(values);
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        for helm in &tools.helms {
            shell::run(
                Command::new(helm)
                    .current_dir(workspace::root())
                    .args(["lint", "--strict", "--quiet", CHART, "--values"])
                    .arg(&file),
            )?;
        }
        for version in KUBERNETES {
            let [old, new] = tools
                .helms
                .each_ref()
                .map(|helm| template(helm, &file, version));
            let new = new?;
            ensure!(
                old? == new,
                "helm 3 and helm 4 render {values} unlike each other"
            );
            let path = folder.join(format!("{name}-{version}.yaml"));
            fs::write(&path, new)?;
            rendered.push(path);
        }
    }
    Ok(rendered)
}

fn misspelt(helm: &Path) -> Result<()> {
    let mut unknown = helm_template(helm);
    unknown.args(["--set", "database.existingSecret=x,api.replicsa=3"]);
    ensure!(
        !shell::succeeds(&mut unknown),
        "values.schema.json accepts a misspelt value"
    );
    Ok(())
}

fn helm_template(helm: &Path) -> Command {
    let mut command = Command::new(helm);
    command.current_dir(workspace::root()).args([
        "template",
        "release",
        CHART,
        "--namespace",
        "ops",
    ]);
    command
}

fn template(helm: &Path, values: &Path, version: &str) -> Result<String> {
    let output = helm_template(helm)
        .args(["--kube-version", version, "--values"])
        .arg(values)
        .output()
        .context("cannot run helm")?;
    ensure!(
        output.status.success(),
        "helm template failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// Checks manifests: strict schemas, consistency and policies. Those of `clusters` are only checked against the
/// schemas.
fn manifests(tools: &DeployTools, rendered: &[PathBuf], clusters: &[PathBuf]) -> Result<()> {
    let checks = workspace::root().join(CHECKS);
    shell::run(
        Command::new(&tools.python)
            .current_dir(workspace::root())
            .arg(checks.join("check.py"))
            .args(rendered)
            .arg("--clusters")
            .args(clusters)
            .args(["--compose", COMPOSE, "--compose-schema"])
            .arg(&tools.compose_schema),
    )
    .context("tests/deploy/check.py names each mistake")?;
    shell::run(
        Command::new(&tools.python)
            .current_dir(workspace::root())
            .arg(checks.join("options.py"))
            .arg(CHART)
            .args(&tools.helms),
    )
    .context("tests/deploy/options.yaml holds each option")?;
    let mut checkov = Command::new(&tools.checkov);
    checkov
        .arg("--config-file")
        .arg(checks.join("checkov.yaml"))
        .env("LOG_LEVEL", "ERROR");
    for path in rendered {
        checkov.arg("--file").arg(path);
    }
    shell::run(&mut checkov).context("tests/deploy/checkov.yaml says what is left out and why")
}

/// Checks that all files name the same version, and the same Kubernetes MCP server.
fn versions() -> Result<()> {
    let read = |path: &str| {
        fs::read_to_string(workspace::root().join(path))
            .with_context(|| format!("cannot read {path}"))
    };
    let version = env!("CARGO_PKG_VERSION");
    let wanted = [
        (
            format!("{CHART}/Chart.yaml"),
            format!("\nappVersion: {version}\n"),
        ),
        (COMPOSE.to_owned(), format!("tarsy:{version}}}")),
        (
            CONTAINERFILE.to_owned(),
            format!("\nARG VERSION={version}\n"),
        ),
    ];
    for (path, text) in wanted {
        ensure!(
            read(&path)?.contains(&text),
            "{path} does not name version {version}"
        );
    }
    let image = read("deploy/image/package.json")?;
    let tested = read("tests/node/package.json")?;
    let server = |text: &str| -> Result<serde_json::Value> {
        let package: serde_json::Value = serde_json::from_str(text)?;
        Ok(package["dependencies"]["kubernetes-mcp-server"].clone())
    };
    ensure!(
        server(&image)? == server(&tested)?,
        "the image holds another kubernetes-mcp-server than the tests run"
    );
    Ok(())
}

/// Verifies the units in a separate root folder, together with the machine's targets.
fn units(root: &Path) -> Result<()> {
    let installed = Path::new("/usr/lib/systemd/system");
    if !shell::succeeds(Command::new("systemd-analyze").arg("--version")) || !installed.is_dir() {
        terminal::info("no systemd here: its units are not verified");
        return Ok(());
    }
    let folder = root.join("etc/systemd/system");
    fs::create_dir_all(&folder)?;
    fs::create_dir_all(root.join("usr/lib/systemd"))?;
    for programs in ["bin", "usr/bin"] {
        fs::create_dir_all(root.join(programs))?;
    }
    shell::run(
        Command::new("cp")
            .args(["--recursive", "/usr/lib/systemd/system"])
            .arg(root.join("usr/lib/systemd")),
    )?;
    for program in ["bin/kill", "usr/bin/tarsy", "usr/bin/true"] {
        fs::copy("/bin/true", root.join(program))?;
    }
    let units = workspace::root().join(UNITS);
    for entry in fs::read_dir(&units)? {
        let unit = entry?.path();
        if let Some(name) = unit.file_name() {
            fs::copy(&unit, folder.join(name))?;
        }
    }
    let mut verify = Command::new("systemd-analyze");
    verify
        .args(["verify", "--recursive-errors=no", "--man=no", "--root"])
        .arg(root)
        .arg("tarsy.target")
        .args(SERVICES);
    shell::run(&mut verify)?;
    for service in SERVICES {
        let mut security = Command::new("systemd-analyze");
        security
            .args(["security", "--offline=true", "--no-pager"])
            .arg(format!("--threshold={EXPOSURE}"))
            .arg("--root")
            .arg(root)
            .arg(service);
        ensure!(
            shell::succeeds(&mut security),
            "{service} is exposed above {EXPOSURE}: systemd-analyze security --offline=true says how"
        );
    }
    Ok(())
}
