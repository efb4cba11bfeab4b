//! Python packages for the checks. Each list is installed in a separate environment in `target/tools`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use anyhow::{Context as _, Result};

use super::debian_packages;
use crate::{shell, terminal, workspace};

/// Pinned, like everything that the checks use.
const UV: &str = "0.13.9";

/// Installs the pinned packages of a list, unless they are already installed.
pub(super) fn python_packages(name: &str, list: &str) -> Result<PathBuf> {
    let requirements = workspace::root().join(list);
    let wanted = fs::read(&requirements).with_context(|| format!("cannot read {list}"))?;
    let folder = workspace::tools().join(name);
    let stamp = folder.join(".installed");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    terminal::info(&format!(
        "installing Python packages, once for this checkout: {name}"
    ));
    if !by_uv(&folder, &requirements) {
        by_pip(&folder, &requirements)
            .with_context(|| format!("cannot install {name} from PyPI"))?;
    }
    fs::write(&stamp, wanted)
        .with_context(|| format!("cannot write {}", workspace::shown(&stamp)))?;
    Ok(folder)
}

/// Installs with uv, which takes a sixth of the CPU time of pip. Returns false if uv fails, or if `PIP_INDEX_URL` is
/// set, which only pip uses.
fn by_uv(folder: &Path, requirements: &Path) -> bool {
    if env::var_os("PIP_INDEX_URL").is_some() {
        return false;
    }
    let Some(uv) = uv() else { return false };
    fs::remove_dir_all(folder).ok();
    let mut environment = Command::new("python3");
    environment
        .args(["-m", "venv", "--without-pip"])
        .arg(folder);
    // The cache is on the same file system, so that uv can link files and need not copy them.
    let cache = folder.with_extension("cache");
    let mut install = Command::new(uv);
    install
        .args(["pip", "install", "--quiet", "--no-config", "--no-deps"])
        .arg("--cache-dir")
        .arg(&cache)
        .arg("--python")
        .arg(folder.join("bin/python"))
        .arg("--requirement")
        .arg(requirements);
    let installed = shell::succeeds(&mut environment) && shell::succeeds(&mut install);
    fs::remove_dir_all(&cache).ok();
    if !installed {
        terminal::info("uv cannot install them; pip is tried");
    }
    installed
}

/// Returns uv, which is fetched once per checkout.
pub(crate) fn uv() -> Option<&'static Path> {
    static UV_PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = UV_PROGRAM.get_or_init(|| {
        let folder = workspace::tools().join(format!("uv-{UV}"));
        let program = folder.join("bin/uv");
        let mut fetch = Command::new("python3");
        fetch
            .args(["-m", "pip", "install", "--quiet", "--no-deps"])
            .args(["--no-compile", "--disable-pip-version-check", "--target"])
            .arg(&folder)
            .arg(format!("uv=={UV}"));
        (program.is_file() || shell::succeeds(&mut fetch)).then_some(program)
    });
    program.as_deref()
}

fn by_pip(folder: &Path, requirements: &Path) -> Result<()> {
    // Debian packages the modules that create environments separately from `python3`.
    if !shell::succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"])) {
        debian_packages(&["python3-venv"])?;
    }
    fs::remove_dir_all(folder).ok();
    shell::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--disable-pip-version-check", "--requirement"])
        .arg(requirements);
    shell::run(&mut pip)
}

/// Returns the folder in which an environment has its packages.
pub(super) fn installed_packages(environment: &Path) -> Result<PathBuf> {
    let libraries = environment.join("lib");
    let found = fs::read_dir(&libraries)
        .with_context(|| format!("cannot list {}", workspace::shown(&libraries)))?
        .flatten()
        .map(|version| version.path().join("site-packages"))
        .find(|folder| folder.is_dir());
    found.with_context(|| format!("no packages in {}", workspace::shown(environment)))
}
