//! A started process: its signals, log and exit.

use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::wait;

/// Number of log lines that a failing test shows for each of its processes.
const SHOWN_LINES: usize = 40;

/// A process started by [`Program`](super::Program). Killed with its whole process group when dropped.
#[derive(Debug)]
pub struct Process {
    name: String,
    pid: Pid,
    child: Mutex<Child>,
    log: PathBuf,
    keeps_log: bool,
}

impl Process {
    pub(super) fn new(name: String, child: Child, log: PathBuf, keeps_log: bool) -> Self {
        let pid = Pid::from_child(&child);
        Self {
            name,
            pid,
            child: Mutex::new(child),
            log,
            keeps_log,
        }
    }

    /// Returns its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Sends SIGKILL to this process alone, and waits until it is gone. Its children live on, as they
    /// would after a real crash.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
        self.child().wait().ok();
    }

    /// Sends SIGKILL to its children that were started with this argument. Returns their number.
    #[must_use]
    pub fn kill_children(&self, argument: &str) -> usize {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.id()));
        let threads = threads.into_iter().flatten().flatten();
        let children = threads.filter_map(|thread| {
            let children = thread.path().join("children");
            std::fs::read_to_string(children).ok()
        });
        let children: Vec<String> = children.collect();
        let children = children.iter().flat_map(|pids| pids.split_whitespace());
        let killed = children.filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let mut arguments = line.split(|byte| *byte == 0);
            let pid = pid.parse().ok().and_then(Pid::from_raw);
            arguments.any(|one| one == argument.as_bytes())
                && pid.is_some_and(|pid| rustix::process::kill_process(pid, Signal::KILL).is_ok())
        });
        killed.count()
    }

    /// Sends SIGSTOP, and waits until all of its threads have stopped: the process is frozen until [`Process::resume`].
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
        // With `NOWAIT`, the exit status can still be read later.
        let stopped = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        rustix::process::waitid(WaitId::Pid(self.pid), stopped).ok();
    }

    /// Sends SIGCONT after [`Process::freeze`].
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Sends SIGTERM: the process drains and exits.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends SIGHUP: the process reloads its configuration.
    pub fn hang_up(&self) {
        self.signal(Signal::HUP);
    }

    /// Returns the number of files that it has open.
    ///
    /// # Panics
    ///
    /// When it has exited.
    #[must_use]
    pub fn open_files(&self) -> u64 {
        let files = std::fs::read_dir(format!("/proc/{}/fd", self.id())).expect("the process runs");
        files.count() as u64
    }

    /// Changes its soft limit of open files. Files that are open already stay open.
    ///
    /// # Panics
    ///
    /// When the system refuses.
    pub fn limit_files(&self, most: u64) {
        let nofile = rustix::process::Resource::Nofile;
        let before = rustix::process::getrlimit(nofile);
        let limit = rustix::process::Rlimit {
            current: Some(most),
            maximum: before.maximum,
        };
        rustix::process::prlimit(Some(self.pid), nofile, limit)
            .expect("a soft limit below the hard one");
    }

    /// Whether it has not exited yet; a frozen process is running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self.child().try_wait(), Ok(None))
    }

    /// Waits until it has exited, and returns its status.
    ///
    /// # Panics
    ///
    /// When it has not ended within `timeout`.
    pub async fn ended(&self, timeout: Duration) -> ExitStatus {
        let what = format!("the end of {} (process {})", self.name, self.id());
        wait::until(&what, timeout, async || {
            self.child().try_wait().ok().flatten()
        })
        .await
    }

    /// Returns the path of the log file with its output.
    #[must_use]
    pub fn log_path(&self) -> &Path {
        &self.log
    }

    /// Returns its output so far.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read(&self.log)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Waits until it has printed a whole line that contains `text`, and returns the line.
    ///
    /// # Panics
    ///
    /// When it has not printed such a line within `timeout`.
    pub async fn printed(&self, text: &str, timeout: Duration) -> String {
        let what = format!("{} to print {text:?}", self.name);
        wait::until(&what, timeout, async || {
            self.log()
                .split_inclusive('\n')
                .filter_map(|line| line.strip_suffix('\n'))
                .find(|line| line.contains(text))
                .map(str::to_owned)
        })
        .await
    }

    fn signal(&self, signal: Signal) {
        // The lock is held, so that the process can't be reaped and its id reused in between.
        let mut child = self.child();
        if matches!(child.try_wait(), Ok(None)) {
            rustix::process::kill_process(self.pid, signal).ok();
        }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(
        clippy::print_stderr,
        reason = "the runner shows it under the test that failed"
    )]
    fn show_log(&self) {
        let log = self.log();
        let lines: Vec<_> = log.lines().collect();
        eprintln!(
            "--- {} (process {}), {}",
            self.name,
            self.id(),
            self.log.display()
        );
        for line in &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
            eprintln!("    {line}");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The group exists while a child lives, even without its leader, so its id has not been reused.
        rustix::process::kill_process_group(self.pid, Signal::KILL).ok();
        self.child().wait().ok();
        if std::thread::panicking() {
            self.show_log();
        } else if !self.keeps_log {
            std::fs::remove_file(&self.log).ok();
        }
    }
}
