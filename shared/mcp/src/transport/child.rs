//! A child process, its process group, and descendants that have left the group.

use std::ffi::OsString;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::descendants::{self, OWNER, waited_for};
use crate::settings::StdioSettings;

/// Variables of this process that a child inherits. None of them holds a secret of tarsy.
const INHERITED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TZ",
    "TMPDIR",
    "TERM",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    // Address of the cluster in which a pod's service account is valid. Without it, a server in a pod can't find the
    // cluster.
    "KUBERNETES_SERVICE_HOST",
    "KUBERNETES_SERVICE_PORT",
];

/// Proxy variables. A child inherits them unless they contain a password.
const PROXIES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Returns the part of an environment that a child inherits.
fn inherited(
    variable: impl Fn(&str) -> Option<OsString>,
) -> impl Iterator<Item = (&'static str, OsString)> {
    let all = INHERITED.iter().chain(PROXIES);
    all.filter_map(move |name| {
        let value = variable(name)?;
        // `user:password@` in a proxy's URL. A server that needs it gets it through its `env`.
        let is_secret = PROXIES.contains(name) && value.to_string_lossy().contains('@');
        (!is_secret).then_some((*name, value))
    })
}

/// Time to end after stdin was closed, and again after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// A child that leads its own process group. When it is dropped, the whole group and all descendants that have left it
/// are killed.
pub(crate) struct ChildGroup {
    child: Child,
    group: Option<Pid>,
    /// Id of this start. All processes that it starts inherit it in their environment.
    owner: String,
}

/// Pipes to the child's standard streams.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl ChildGroup {
    pub(crate) fn spawn(settings: &StdioSettings) -> io::Result<(Self, Pipes)> {
        let owner = descendants::new_owner();
        let mut command = Command::new(&settings.command);
        command
            .args(&settings.args)
            .env_clear()
            .envs(inherited(|name| std::env::var_os(name)))
            .envs(
                settings
                    .env
                    .iter()
                    .map(|(name, value)| (name, value.expose())),
            )
            .env(OWNER, &owner)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(cwd) = &settings.cwd {
            command.current_dir(cwd);
        }
        let mut waited_for = waited_for();
        let mut child = command.spawn()?;
        let group = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        waited_for.extend(group.map(|pid| pid.as_raw_nonzero().get()));
        drop(waited_for);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("a pipe to the child is missing"));
        };
        Ok((
            Self {
                child,
                group,
                owner,
            },
            Pipes {
                stdin,
                stdout,
                stderr,
            },
        ))
    }

    /// Waits until the child itself has ended. Its descendants may still run.
    pub(crate) async fn ended(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Ends the group. The caller has closed stdin, so it waits first, then sends SIGTERM, then SIGKILL.
    pub(crate) async fn end(&mut self) {
        if tokio::time::timeout(GRACE, self.ended()).await.is_err() {
            self.signal(Signal::TERM);
            let _ = tokio::time::timeout(GRACE, self.ended()).await;
        }
        self.kill();
        // A process that is stuck in the kernel handles SIGKILL only later.
        let _ = tokio::time::timeout(GRACE, self.ended()).await;
    }

    /// Sends SIGKILL to the group and to descendants that have left it, once.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        if let Some(group) = self.group.take() {
            let root = group.as_raw_nonzero().get();
            descendants::kill_all(root, std::mem::take(&mut self.owner));
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // An error means that the whole group has already ended.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for ChildGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_sees_proxies_and_authorities_but_no_password() {
        let set = [
            ("HTTPS_PROXY", "http://proxy.corp:3128"),
            ("http_proxy", "http://user:hush@proxy.corp:3128"),
            ("NO_PROXY", "localhost,.svc"),
            ("SSL_CERT_FILE", "/etc/ca@home.pem"),
            ("DATABASE_URL", "postgres://u:hush@db/tarsy"),
            ("OPENAI_API_KEY", "hush"),
        ];
        let variable = |name: &str| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let mut seen: Vec<_> = inherited(variable).map(|(name, _)| name).collect();
        seen.sort_unstable();
        assert_eq!(seen, ["HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"]);
    }
}
