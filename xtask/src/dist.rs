//! `cargo xtask dist`: builds the release. It consists of one program for every role, a file with its debug symbols
//! next to it, and a link for each service.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::{shell, terminal, workspace};

const PROGRAM: &str = "tarsy";

/// Links to the program. When it is called by such a name, it runs that service.
const SERVICES: [&str; 3] = ["ingest-api", "chain-worker", "stage-worker"];

/// Maximum size of the program, in bytes. `docs/decisions/0026-packaging.md` explains what takes the space.
const LARGEST: u64 = 40_000_000;

/// Whether the toolchain's linker (LLD, the default here) can merge functions with identical code.
const LINKER_FOLDS: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// Strings in the code of crash points, which only debug builds may contain.
const DEBUG_ONLY: [&str; 3] = ["before_commit", "TARSY_CRASH_AT", "TARSY_CRASH_LOG"];

/// Builds the release and returns its folder.
pub(crate) fn build() -> Result<PathBuf> {
    let mut build = workspace::cargo();
    build.args([
        "rustc",
        "--release",
        "--package",
        "tarsy-cli",
        "--bin",
        PROGRAM,
    ]);
    if LINKER_FOLDS {
        build.args(["--", "-Clink-arg=-Wl,--icf=all"]);
    }
    shell::run(&mut build)?;
    let folder = workspace::target().join("dist");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    split(&workspace::binary("release", PROGRAM), &folder)?;
    let program = folder.join(PROGRAM);
    ensure!(
        !holds_crash_points(&program),
        "the release build of {PROGRAM} holds crash points"
    );
    for service in SERVICES {
        let link = folder.join(service);
        fs::remove_file(&link).ok();
        symlink(PROGRAM, &link).with_context(|| format!("cannot link {}", link.display()))?;
    }
    let size = |name: &str| fs::metadata(folder.join(name)).map(|meta| meta.len());
    let (shipped, symbols) = (size(PROGRAM)?, size(&symbols())?);
    terminal::info(&format!(
        "{}: {PROGRAM} ({} MB), its symbols ({} MB) and links for the services",
        workspace::shown(&folder),
        in_mb(shipped),
        in_mb(symbols)
    ));
    ensure!(
        shipped <= LARGEST,
        "{PROGRAM} has {shipped} bytes, at most {LARGEST}"
    );
    Ok(folder)
}

/// Formats a size in MB with one decimal, rounded down.
fn in_mb(bytes: u64) -> String {
    format!("{}.{}", bytes / 1_000_000, bytes / 100_000 % 10)
}

fn symbols() -> String {
    format!("{PROGRAM}.debug")
}

/// Splits off the debug symbols. Backtraces find them in the same folder.
///
/// Cargo's `split-debuginfo` would leave the line tables in the program, and they are most of the debug information.
fn split(built: &Path, folder: &Path) -> Result<()> {
    let objcopy = || {
        let mut objcopy = Command::new("objcopy");
        objcopy.current_dir(folder);
        objcopy
    };
    shell::run(objcopy().arg("--only-keep-debug").arg(built).arg(symbols()))?;
    shell::run(
        objcopy()
            .arg("--strip-all")
            .arg(format!("--add-gnu-debuglink={}", symbols()))
            .arg(built)
            .arg(PROGRAM),
    )
}

fn holds_crash_points(program: &Path) -> bool {
    let mut grep = Command::new("grep");
    grep.args(["--quiet", "--text", "--fixed-strings"]);
    grep.args(DEBUG_ONLY.iter().flat_map(|text| ["-e", text]));
    shell::succeeds(grep.arg(program))
}
