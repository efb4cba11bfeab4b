//! Lints, builds and documents each crate in a single pass of cargo.
//!
//! `cargo clippy`, `cargo doc` and `cargo build` each process every crate, and the first two can't reuse what the last
//! one compiled. If nothing is built yet, that is a third more work. So this mode runs only `cargo build`, and cargo
//! calls this program instead of the compiler for the crates of the workspace. This program runs clippy's compiler,
//! then rustdoc with the same arguments.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, bail};

use crate::{lint, shell, terminal, workspace};

/// Environment variable that is set if cargo calls this program as a compiler. Its value is the folder for the warnings
/// of rustdoc.
const CALLED_BY_CARGO: &str = "XTASK_ONE_PASS";

/// Makes cargo use this program as the compiler of the workspace's crates. All commands of a run need this, because
/// cargo rebuilds what another compiler has built.
pub(crate) fn use_for(cargo: &mut Command) -> Result<()> {
    cargo
        .env("RUSTC_WORKSPACE_WRAPPER", copy_of_this_program()?)
        // Clippy's compiler reports this variable to cargo as a dependency.
        .env("CLIPPY_ARGS", "")
        .env(CALLED_BY_CARGO, complaints());
    Ok(())
}

/// Returns the path of a copy of this program, because cargo also builds this program and replaces its file.
fn copy_of_this_program() -> Result<&'static Path> {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    if let Some(copy) = COPY.get() {
        return Ok(copy);
    }
    let this = std::env::current_exe().context("the path of this program is not known")?;
    let copy = workspace::target().join("xtask/compiler");
    fs::create_dir_all(workspace::target().join("xtask"))?;
    // The file of a running program can't be written to.
    let new = copy.with_extension("new");
    fs::copy(this, &new).with_context(|| format!("cannot write {}", new.display()))?;
    fs::rename(&new, &copy)?;
    Ok(COPY.get_or_init(|| copy))
}

pub(crate) fn build_command() -> Result<Command> {
    let mut build = workspace::cargo();
    use_for(&mut build)?;
    build.args(["build", "--workspace", "--all-targets"]);
    Ok(build)
}

/// Fails if the last build had lint warnings. Cargo repeats the messages of each crate.
pub(crate) fn require_no_lint() -> Result<()> {
    let mut build = build_command()?;
    terminal::info("cargo build --workspace --all-targets, again: what clippy said");
    let output = build
        .args(["--quiet", "--message-format=json"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let warnings: Vec<String> = printed.lines().filter_map(warning).collect();
    if !warnings.is_empty() || !output.status.success() {
        bail!("{}", warnings.concat());
    }
    Ok(())
}

/// Returns the text of a compiler message, if the line is one.
fn warning(line: &str) -> Option<String> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let rendered =
        (message["reason"] == "compiler-message").then(|| &message["message"]["rendered"]);
    rendered?.as_str().map(str::to_owned)
}

/// Fails if rustdoc reported a warning or an error for a crate in the last build.
pub(crate) fn require_sound_documentation() -> Result<()> {
    let logs: Vec<PathBuf> = fs::read_dir(complaints())
        .context("nothing was documented")?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    let messages = logs
        .iter()
        .map(fs::read_to_string)
        .collect::<Result<String, _>>()?;
    terminal::info(&format!(
        "{} crates were documented while they were built",
        logs.len()
    ));
    if !messages.is_empty() {
        bail!("{messages}");
    }
    Ok(())
}

fn complaints() -> PathBuf {
    workspace::target().join("xtask/documentation")
}

/// Whether cargo calls this program as a compiler.
pub(crate) fn is_called_by_cargo() -> bool {
    let compiler = std::env::args_os().nth(1);
    std::env::var_os(CALLED_BY_CARGO).is_some()
        && compiler.is_some_and(|path| Path::new(&path).file_stem() == Some(OsStr::new("rustc")))
}

/// Compiles a crate with the given arguments, and documents it.
pub(crate) fn compile() -> Result<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if !shell::succeeds_aloud(Command::new(lint::tool("clippy-driver")).args(&arguments))? {
        return Ok(ExitCode::FAILURE);
    }
    let arguments: Vec<String> = arguments
        .into_iter()
        .skip(1)
        .filter_map(|argument| argument.into_string().ok())
        .collect();
    if let Some(documented) = Documented::from_arguments(&arguments) {
        documented.write()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Crate to document.
#[derive(Debug, PartialEq)]
struct Documented {
    name: String,
    /// `lib`, `bin` or `proc-macro`.
    kind: String,
    arguments: Vec<String>,
}

impl Documented {
    /// Reads the crate from the compiler's arguments. Tests and build scripts are not documented.
    fn from_arguments(arguments: &[String]) -> Option<Self> {
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        let (name, kind) = (value("--crate-name")?, value("--crate-type")?);
        let is_tested = arguments.iter().any(|argument| argument == "--test");
        // Cargo queries the compiler's properties with the crate name `___`.
        if is_tested || ["build_script_build", "___"].contains(&&*name) {
            return None;
        }
        let mut kept = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match &**argument {
                "-C" | "--out-dir" => drop(rest.next()),
                of_the_compiler if is_of_the_compiler(of_the_compiler) => {}
                _ => kept.push(argument.clone()),
            }
        }
        if kind == "bin" {
            kept.push("--document-private-items".to_owned());
        }
        Some(Self {
            name,
            kind,
            arguments: kept,
        })
    }

    fn write(&self) -> Result<()> {
        fs::create_dir_all(complaints())?;
        let log = complaints().join(format!("{}-{}.log", self.name, self.kind));
        let mut log =
            File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut rustdoc = Command::new(lint::tool("rustdoc"));
        rustdoc
            .args(&self.arguments)
            .arg("--out-dir")
            .arg(workspace::target().join("doc"))
            .stdout(Stdio::null())
            .stderr(log.try_clone()?);
        // Its messages are read after all crates are built.
        let status = rustdoc.status().context("cannot run rustdoc")?;
        if !status.success() {
            // A killed rustdoc leaves no message, so write one.
            writeln!(log, "rustdoc of `{}`: {status}", self.name)?;
        }
        Ok(())
    }
}

/// Whether this argument is only for the compiler: rustdoc does not know it, or prints something other than text
/// because of it.
fn is_of_the_compiler(argument: &str) -> bool {
    [
        "--emit=",
        "--error-format=",
        "--json=",
        "--diagnostic-width=",
        "-C",
    ]
    .iter()
    .any(|start| argument.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documented(line: &str) -> Option<Documented> {
        let arguments: Vec<_> = line.split(' ').map(str::to_owned).collect();
        Documented::from_arguments(&arguments)
    }

    #[test]
    fn rustdoc_gets_what_it_knows_of_the_compilers_arguments() {
        let line = "--crate-name store --edition=2024 src/lib.rs --error-format=json --json=artifacts \
            --crate-type lib --emit=dep-info,metadata,link -C embed-bitcode=no --warn=missing_docs --cfg x \
            -C metadata=1 --out-dir deps -Cdebuginfo=1 -L dependency=deps --extern a=liba.rmeta";
        let documented = documented(line).unwrap();
        assert_eq!((&*documented.name, &*documented.kind), ("store", "lib"));
        assert_eq!(
            documented.arguments.join(" "),
            "--crate-name store --edition=2024 src/lib.rs --crate-type lib --warn=missing_docs --cfg x \
            -L dependency=deps --extern a=liba.rmeta"
        );
    }

    #[test]
    fn programs_are_documented_whole_and_tests_not_at_all() {
        let program = documented("--crate-name tarsy src/main.rs --crate-type bin").unwrap();
        assert!(
            program
                .arguments
                .ends_with(&["--document-private-items".to_owned()])
        );
        assert_eq!(
            documented("--crate-name store src/lib.rs --crate-type lib --test"),
            None
        );
        assert_eq!(
            documented("--crate-name build_script_build build.rs --crate-type bin"),
            None
        );
        assert_eq!(
            documented("- --crate-name ___ --print=file-names --crate-type bin"),
            None
        );
    }
}
