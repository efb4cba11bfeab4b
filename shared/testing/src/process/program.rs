//! A program to start: usually a binary of the workspace, with its arguments and environment.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::geteuid;

use super::Process;
use crate::{Error, Result, UNPRIVILEGED_ID};

/// Environment variable with the folder of the binaries. `cargo xtask` sets it if that is not the folder of the test.
pub const BINARIES: &str = "TARSY_BIN_DIR";

/// A binary of the workspace, ready to be started.
///
/// ```no_run
/// # fn main() -> Result<(), tarsy_testing::Error> {
/// use tarsy_testing::process::Program;
///
/// let worker = Program::new("stage-worker").env("TARSY_STAGE_CONCURRENCY", "2").start()?;
/// worker.kill();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Program {
    name: String,
    path: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
    log: Option<PathBuf>,
    is_unprivileged: bool,
}

impl Program {
    /// Creates a program from one of `ingest-api`, `chain-worker`, `stage-worker`, `tarsy`, found by [`binary`].
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::at(name, binary(name))
    }

    /// Creates a program from any path. `name` is used in messages and for its log file.
    #[must_use]
    pub fn at(name: &str, path: impl Into<PathBuf>) -> Self {
        Self {
            name: name.to_owned(),
            path: path.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
            log: None,
            is_unprivileged: false,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Sets a variable, in addition to the variables of this process.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Sets its working folder. Default: the folder of this process.
    #[must_use]
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Starts it as `nobody` if this process runs as root, because root may read and do everything.
    #[must_use]
    pub fn unprivileged(mut self) -> Self {
        self.is_unprivileged = true;
        self
    }

    /// Appends its output to this file, which is kept. Default: a temporary file that is removed with
    /// the process.
    #[must_use]
    pub fn log_to(mut self, file: impl Into<PathBuf>) -> Self {
        self.log = Some(file.into());
        self
    }

    /// Starts it in a new process group, with its output going to a log file.
    ///
    /// # Errors
    ///
    /// [`Error::Spawn`] when the binary cannot be started (is it built?), [`Error::Io`] when its
    /// log cannot be written.
    pub fn start(&self) -> Result<Process> {
        let log = self.log.clone().unwrap_or_else(|| self.temporary_log());
        let folder = log.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        // A killed test leaves its logs, and process ids are reused. `Process::printed` must not read
        // the address of an old server.
        if self.log.is_none() && log.exists() {
            fs::remove_file(&log).map_err(Error::io("remove", &log))?;
        }
        let mut options = File::options();
        let out = options
            .create(true)
            .append(true)
            .open(&log)
            .map_err(Error::io("open", &log))?;
        let err = out.try_clone().map_err(Error::io("open", &log))?;
        let mut command = Command::new(&self.path);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        if self.is_unprivileged && geteuid().is_root() {
            command.uid(UNPRIVILEGED_ID).gid(UNPRIVILEGED_ID);
        }
        let child = command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .process_group(0)
            .spawn()
            .map_err(|source| Error::Spawn {
                command: self.path.display().to_string(),
                source,
            })?;
        Ok(Process::new(
            self.name.clone(),
            child,
            log,
            self.log.is_some(),
        ))
    }

    fn temporary_log(&self) -> PathBuf {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let (test, count) = (std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        std::env::temp_dir().join(format!("tarsy-test-logs/{}-{test}-{count}.log", self.name))
    }
}

/// Returns the path of a binary of the workspace: in `TARSY_BIN_DIR`, else in the folder of the running test's profile.
#[must_use]
pub fn binary(name: &str) -> PathBuf {
    if let Some(folder) = std::env::var_os(BINARIES) {
        return Path::new(&folder).join(name);
    }
    let test = std::env::current_exe().unwrap_or_default();
    // target/debug/deps/test-1234 or target/debug/program
    let folder = test.parent().unwrap_or(Path::new("."));
    let folder = if folder.ends_with("deps") {
        folder.parent().unwrap_or(folder)
    } else {
        folder
    };
    folder.join(name)
}
