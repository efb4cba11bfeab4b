//! `cargo xtask deb`: builds a Debian package with the program, the Kubernetes MCP server, web apps, units, shell
//! completions, configuration and documents.

mod documents;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::{dist, screens, shell, terminal, tools, workspace};

/// Files that are copied unchanged: path in the workspace, and path on the target machine.
const FILES: [(&str, &str); 8] = [
    ("config/installed.yaml", "etc/tarsy/agents.yaml"),
    ("config/agents.schema.json", "etc/tarsy/agents.schema.json"),
    ("config/runbooks", "etc/tarsy/runbooks"),
    ("deploy/systemd/tarsy.env", "etc/tarsy/tarsy.env"),
    (
        "deploy/systemd/tarsy.sysusers.conf",
        "usr/lib/sysusers.d/tarsy.conf",
    ),
    (
        "deploy/systemd/tarsy.tmpfiles.conf",
        "usr/lib/tmpfiles.d/tarsy.conf",
    ),
    ("web/dashboard/dist", "usr/share/tarsy/screens/dashboard"),
    ("web/alert-dev-ui/dist", "usr/share/tarsy/screens/dev-ui"),
];

/// The MCP server of the built-in Kubernetes agent: the folder where npm installs it, and its name.
const KUBERNETES_SERVER: (&str, &str) = ("deploy/image", "kubernetes-mcp-server");

/// Units of the package.
const UNITS: [&str; 5] = [
    "tarsy.target",
    "tarsy-migrate.service",
    "tarsy-ingest-api.service",
    "tarsy-chain-worker@.service",
    "tarsy-stage-worker@.service",
];

/// Maintainer scripts of the package.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Folders of shell completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/tarsy"),
    ("zsh", "usr/share/zsh/vendor-completions/_tarsy"),
    ("fish", "usr/share/fish/vendor_completions.d/tarsy.fish"),
];

/// Build a Debian package.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Package this program instead of building one
    #[arg(long)]
    program: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => dist::build()?.join("tarsy"),
    };
    build(&program, &workspace::target().join("dist"))?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the package of a program in `folder`.
pub(crate) fn build(program: &Path, folder: &Path) -> Result<PathBuf> {
    ensure!(
        screens::build()?,
        "the package holds the screens, which Node.js 20 with npm builds"
    );
    let root = workspace::target().join("deb/root");
    let programs = Programs {
        tarsy: program.to_owned(),
        kubernetes_server: kubernetes_server()?,
    };
    let package = package(&root, &programs, folder, "-Zxz")?;
    let size = fs::metadata(&package)?.len() / 1_000_000;
    terminal::info(&format!("{} ({size} MB)", workspace::shown(&package)));
    Ok(package)
}

/// Programs that the package installs in `usr/bin`.
struct Programs {
    tarsy: PathBuf,
    kubernetes_server: PathBuf,
}

/// Installs the Kubernetes MCP server in the same way as the image, and returns its program.
fn kubernetes_server() -> Result<PathBuf> {
    let (folder, name) = KUBERNETES_SERVER;
    let folder = workspace::root().join(folder);
    tools::node_packages(&folder, "the Kubernetes MCP server")?;
    let platform = format!("{name}-linux-{}", architecture()?);
    let program = folder.join(format!("node_modules/{platform}/bin/{platform}"));
    ensure!(program.is_file(), "npm did not install {platform}");
    Ok(program)
}

fn architecture() -> Result<String> {
    answer(Command::new("dpkg").arg("--print-architecture"))
}

/// Builds the package in `folder`. Collects its contents in `root`, which is emptied first.
fn package(root: &Path, programs: &Programs, folder: &Path, compression: &str) -> Result<PathBuf> {
    fs::remove_dir_all(root).ok();
    fill(root, programs)?;
    let architecture = architecture()?;
    control(root, &architecture)?;
    let version = env!("CARGO_PKG_VERSION");
    let package = folder.join(format!("tarsy_{version}_{architecture}.deb"));
    fs::create_dir_all(folder)?;
    // Use the commit's time, so that the same commit gives the same package.
    let mut time = Command::new("git");
    time.current_dir(workspace::root())
        .args(["log", "-1", "--format=%ct"]);
    shell::run(
        Command::new("dpkg-deb")
            .env("SOURCE_DATE_EPOCH", answer(&mut time)?)
            .args(["--root-owner-group", compression, "--build"])
            .arg(root)
            .arg(&package),
    )?;
    Ok(package)
}

/// Checks a package with a dummy program, built in `folder`. It needs no build and takes only a moment.
/// `tests/deploy/deb.sh` installs a real package.
pub(crate) fn check(folder: &Path) -> Result<()> {
    if !shell::succeeds(Command::new("dpkg-deb").arg("--version")) {
        terminal::info("no dpkg-deb here: the Debian package is not checked");
        return Ok(());
    }
    let program = folder.join("tarsy");
    write(&program, "#!/bin/sh\necho \"$@\"\n")?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    let programs = Programs {
        tarsy: program.clone(),
        kubernetes_server: program,
    };
    let root = folder.join("root");
    let package = package(&root, &programs, folder, "-Znone")?;
    let contents = answer(Command::new("dpkg-deb").arg("--contents").arg(&package))?;
    for line in contents.lines() {
        ensure!(
            line.contains(" root/root ") && line.as_bytes().get(8) == Some(&b'-'),
            "a file of the package is not root's, or others may write it: {line}"
        );
    }
    let is_there = |path: &str| contents.lines().any(|line| line.ends_with(path));
    let units = UNITS.map(|unit| format!(" ./usr/lib/systemd/system/{unit}"));
    let copies = FILES.iter().map(|(_, to)| format!("./{to}"));
    for path in units.into_iter().chain(copies) {
        let folder = format!("{path}/");
        ensure!(
            is_there(&path) || is_there(&folder),
            "the package lacks {path}"
        );
    }
    documents::check(&root)?;
    let settings = fs::read_to_string(root.join("DEBIAN/conffiles"))?;
    ensure!(
        settings.lines().any(|line| line == "/etc/tarsy/tarsy.env"),
        "an upgrade would overwrite /etc/tarsy/tarsy.env"
    );
    for script in SCRIPTS {
        shell::run(
            Command::new("sh")
                .arg("-n")
                .arg(root.join("DEBIAN").join(script)),
        )?;
    }
    Ok(())
}

/// Copies every file to its place in the package.
fn fill(root: &Path, programs: &Programs) -> Result<()> {
    let program = &programs.tarsy;
    copy(program, &root.join("usr/bin/tarsy"))?;
    copy(
        &programs.kubernetes_server,
        &root.join("usr/bin").join(KUBERNETES_SERVER.1),
    )?;
    for (from, to) in documents::files() {
        copy(&workspace::root().join(from), &root.join(to))?;
    }
    for (from, to) in FILES {
        let from = workspace::root().join(from);
        let to = root.join(to);
        // The check works without the web apps.
        if is_screen(&from) && !from.is_dir() {
            fs::create_dir_all(&to)?;
        } else {
            copy(&from, &to)?;
        }
    }
    let units = workspace::root().join("deploy/systemd");
    for entry in fs::read_dir(&units)? {
        let unit = entry?.path();
        let is_unit = unit
            .extension()
            .is_some_and(|kind| kind == "service" || kind == "target");
        if let (true, Some(name)) = (is_unit, unit.file_name()) {
            copy(&unit, &root.join("usr/lib/systemd/system").join(name))?;
        }
    }
    for (shell, to) in COMPLETIONS {
        let script = answer(Command::new(program).args(["completion", shell]))?;
        write(&root.join(to), &format!("{script}\n"))?;
    }
    // Make installed files readable by all, independent of the umask of the build.
    shell::run(
        Command::new("chmod")
            .args(["--recursive", "u=rwX,go=rX"])
            .arg(root),
    )
}

/// Writes the control files.
fn control(root: &Path, architecture: &str) -> Result<()> {
    let debian = root.join("DEBIAN");
    let size = answer(Command::new("du").arg("-sk").arg(root))?;
    let size = size.split_whitespace().next().unwrap_or("0");
    write(
        &debian.join("control"),
        &format!(
            "Package: tarsy\n\
             Version: {}\n\
             Architecture: {architecture}\n\
             Maintainer: tarsy maintainers <tarsy@localhost>\n\
             Installed-Size: {size}\n\
             Depends: libc6 (>= 2.34), libgcc-s1, ca-certificates, procps, systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles\n\
             Suggests: postgresql (>= 15), nodejs (>= 20)\n\
             Section: admin\n\
             Priority: optional\n\
             Description: durable workers that investigate alerts with LLM agents\n \
             API, chain worker and stage worker in one program, on one PostgreSQL.\n",
            env!("CARGO_PKG_VERSION")
        ),
    )?;
    let mut configuration = Vec::new();
    list(&root.join("etc"), &mut configuration)?;
    configuration.sort();
    let lines = configuration
        .iter()
        .filter_map(|path| path.strip_prefix(root).ok())
        .map(|path| format!("/{}\n", path.display()));
    write(&debian.join("conffiles"), &lines.collect::<String>())?;
    for script in SCRIPTS {
        let to = debian.join(script);
        copy(&workspace::root().join("deploy/deb").join(script), &to)?;
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?;
    }
    fs::set_permissions(&debian, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// Whether this is the path of a web app's build.
fn is_screen(path: &Path) -> bool {
    path.ends_with("dist")
}

fn list(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let failed = || format!("cannot copy {}", workspace::shown(from));
    if from.is_dir() {
        for entry in fs::read_dir(from).with_context(failed)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(drop).with_context(failed)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", workspace::shown(path)))
}

/// Returns the standard output of a program.
fn answer(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}
