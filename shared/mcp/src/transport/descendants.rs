//! Ends all descendants of a server, including orphans and processes in other sessions.
//!
//! A process group holds only the processes that stay in it. A child that calls `setsid` leaves it. So this process
//! adopts orphaned descendants (`PR_SET_CHILD_SUBREAPER`, prctl(2)). A variable that children inherit shows which
//! server they belong to.
//!
//! A killed worker can't end any process. The next worker that starts on the same machine ends what the killed worker's
//! servers left.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};
use tokio::signal::unix::{SignalKind, signal};

/// Variable in the environment of all processes that a server starts. It names the server's start to which they belong.
pub(crate) const OWNER: &str = "TARSY_MCP_START";

/// Most scans for the remaining processes of a server. A process may still fork while it is killed, so one scan is not
/// enough.
const SCANS: usize = 50;
/// Time that a process left by a killed worker gets to end after SIGTERM.
const STRAY_GRACE: Duration = Duration::from_secs(2);
/// Pause between two scans.
const BETWEEN_SCANS: Duration = Duration::from_millis(10);

/// Children that tokio waits for. Locked while a child is started, so that the child is not taken for an orphan.
static WAITED_FOR: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Makes this process adopt and reap the orphans of MCP servers, so that they end with their server's connection. Call
/// it once, in a tokio runtime, before the first server is started.
///
/// First ends the processes that killed workers have left.
pub fn adopt_orphans() {
    end_strays();
    if let Err(error) = rustix::process::set_child_subreaper(Some(getpid())) {
        tracing::warn!(
            ?error,
            "failed to adopt orphans: what MCP servers start in sessions of their own may outlive them"
        );
        return;
    }
    match signal(SignalKind::child()) {
        Ok(mut ended) => {
            tokio::spawn(async move {
                while ended.recv().await.is_some() {
                    reap_orphans();
                }
            });
        }
        Err(error) => tracing::warn!(
            ?error,
            "orphans of MCP servers that have ended stay in the process table"
        ),
    }
}

/// Returns a new id for a server's start: the id of this process and a counter.
pub(crate) fn new_owner() -> String {
    static STARTS: AtomicU64 = AtomicU64::new(0);
    let start = STARTS.fetch_add(1, Ordering::Relaxed);
    format!("{}-{start}", std::process::id())
}

/// Ends the processes of servers whose worker is gone. Sends SIGTERM, because a process may be in the middle of
/// something. Sends SIGKILL to those that still run after [`STRAY_GRACE`].
fn end_strays() {
    let strays = strays();
    if strays.is_empty() {
        return;
    }
    tracing::warn!(
        pids = ?strays,
        "ending processes that MCP servers of killed workers have left"
    );
    send(&strays, Signal::TERM);
    #[expect(
        clippy::disallowed_methods,
        reason = "in a thread of its own, where no runtime is"
    )]
    let work = move || {
        std::thread::sleep(STRAY_GRACE);
        let mut left = self::strays();
        left.retain(|pid| strays.contains(pid));
        send(&left, Signal::KILL);
    };
    let started = std::thread::Builder::new()
        .name("tarsy-mcp-strays".to_owned())
        .spawn(work);
    if let Err(error) = started {
        tracing::warn!(?error, "failed to end what MCP servers have left");
    }
}

fn send(pids: &[i32], signal: Signal) {
    for pid in pids.iter().filter_map(|pid| Pid::from_raw(*pid)) {
        // An error means that the process has already ended.
        let _ = kill_process(pid, signal);
    }
}

/// Returns the processes of servers whose worker is gone.
fn strays() -> Vec<i32> {
    // In another PID namespace, the same id belongs to another process.
    let namespace = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
    let ours = namespace("self");
    let table = table();
    let is_stray = |pid: &i32| {
        owner_of(*pid).is_some_and(|owner| {
            let is_gone = table.get(&owner).is_none_or(|process| process.is_zombie);
            is_gone && namespace(&pid.to_string()) == ours
        })
    };
    table.keys().copied().filter(is_stray).collect()
}

/// Returns the id of the process that started the server to which this process belongs.
fn owner_of(pid: i32) -> Option<i32> {
    let start = start_of(pid)?;
    start.split_once('-')?.0.parse().ok()
}

/// Locks the children that tokio waits for.
pub(crate) fn waited_for() -> MutexGuard<'static, BTreeSet<i32>> {
    WAITED_FOR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reaps adopted processes that have ended.
fn reap_orphans() {
    let mut waited_for = waited_for();
    let me = getpid().as_raw_nonzero().get();
    let mut children = table();
    children.retain(|_, process| process.parent == me);
    // Forget children that tokio has reaped.
    waited_for.retain(|pid| children.contains_key(pid));
    for (pid, process) in children {
        if process.is_zombie && !waited_for.contains(&pid) {
            reap(pid);
        }
    }
}

fn reap(pid: i32) {
    // An error means that the process is already gone.
    let _ = waitpid(Pid::from_raw(pid), WaitOptions::NOHANG);
}

/// Kills all processes of a server's start. A separate thread watches those that do not end at once.
pub(crate) fn kill_all(root: i32, owner: String) {
    if !kill_what_is_left(root, &owner) {
        return;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "in a thread of its own, where no runtime is"
    )]
    let work = move || {
        for _ in 0..SCANS {
            std::thread::sleep(BETWEEN_SCANS);
            if !kill_what_is_left(root, &owner) {
                return;
            }
        }
        tracing::warn!("processes of an MCP server do not end");
    };
    let started = std::thread::Builder::new()
        .name("tarsy-mcp-end".to_owned())
        .spawn(work);
    if let Err(error) = started {
        tracing::warn!(?error, "failed to end what an MCP server has started");
    }
}

/// Kills the processes that exist now. Returns whether any was still running.
fn kill_what_is_left(root: i32, owner: &str) -> bool {
    let table = table();
    let me = getpid().as_raw_nonzero().get();
    let is_adopted = |pid: i32, process: &Process| {
        process.parent == me && !waited_for().contains(&pid) && belongs_to(pid, owner)
    };
    let adopted = table
        .iter()
        .filter(|(pid, process)| is_adopted(**pid, process));
    let mut doomed: BTreeSet<i32> = adopted.map(|(pid, _)| *pid).chain([root]).collect();
    while let Some(child) = table
        .iter()
        .find(|(pid, process)| doomed.contains(&process.parent) && !doomed.contains(pid))
    {
        doomed.insert(*child.0);
    }
    let mut is_left = false;
    for pid in doomed.into_iter().filter(|pid| *pid != root) {
        match table.get(&pid) {
            Some(process) if process.is_zombie => {
                if process.parent == me {
                    reap(pid);
                }
            }
            _ => {
                is_left = true;
                if let Some(pid) = Pid::from_raw(pid) {
                    let _ = kill_process(pid, Signal::KILL);
                }
            }
        }
    }
    is_left
}

/// Whether a process has inherited the variable of this start.
fn belongs_to(pid: i32, owner: &str) -> bool {
    start_of(pid).is_some_and(|start| start == owner)
}

/// Returns the id of the server's start that a process has inherited.
fn start_of(pid: i32) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| {
        let named = variable.strip_prefix(OWNER.as_bytes())?;
        named.strip_prefix(b"=")
    })?;
    String::from_utf8(value.to_vec()).ok()
}

/// A row of the process table.
struct Process {
    parent: i32,
    is_zombie: bool,
}

/// Returns all visible processes by their ids.
fn table() -> BTreeMap<i32, Process> {
    let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    ids.filter_map(|pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        Some((pid, parse_stat(&stat)?))
    })
    .collect()
}

/// Parses `/proc/PID/stat` (proc(5)). State and parent follow the name, which is in brackets and may contain any
/// character.
fn parse_stat(stat: &str) -> Option<Process> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    Some(Process {
        is_zombie: matches!(state, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_hides_no_parent() {
        let process = parse_stat("17 (a) Z 1 (b) S 4 17 17 0").unwrap();
        assert_eq!((process.parent, process.is_zombie), (4, false));
        let process = parse_stat("17 (node) Z 1 17 17 0").unwrap();
        assert_eq!((process.parent, process.is_zombie), (1, true));
        assert!(parse_stat("17 (node").is_none());
    }
}
