//! Creates and promotes streaming standbys, and kills or freezes servers.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::account::Account;
use super::{Cluster, Installation, Report, reachable_folder};
use crate::command::run;
use crate::{Error, Result};

/// Maximum wait until a killed server is gone.
const END_TIMEOUT: Duration = Duration::from_secs(10);

impl Cluster {
    /// Starts a streaming standby of this server in `folder`. Its application name is `name`, which
    /// `synchronous_standby_names` of this server may contain.
    ///
    /// # Errors
    ///
    /// The error of `pg_basebackup` or `pg_ctl`.
    pub fn standby(
        &self,
        installation: &Installation,
        folder: &Path,
        name: &str,
        report: Report<'_>,
    ) -> Result<Self> {
        let folder = reachable_folder(folder, report);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        Account::choose().take(&folder)?;
        self.copy_to(installation, &folder, name)?;
        Self::start(installation, &folder, report)
    }

    /// Turns this server, which must have ended, into a streaming standby of `primary`. Its data are replaced by a
    /// copy. It keeps its port.
    ///
    /// # Errors
    ///
    /// The error of `pg_basebackup` or `pg_ctl`.
    pub fn follow(
        &mut self,
        installation: &Installation,
        primary: &Self,
        name: &str,
    ) -> Result<()> {
        let data = self.data();
        fs::remove_dir_all(&data).map_err(Error::io("delete", &data))?;
        primary.copy_to(installation, self.folder(), name)?;
        self.start_again()
    }

    fn copy_to(&self, installation: &Installation, folder: &Path, name: &str) -> Result<()> {
        let from = format!("{}?application_name={name}", self.url(""));
        let mut backup = installation.command("pg_basebackup", folder);
        backup.args([
            "--checkpoint=fast",
            "--wal-method=stream",
            "--write-recovery-conf",
        ]);
        run(backup
            .args(["--dbname", &from, "--pgdata"])
            .arg(folder.join("data")))?;
        let secret = folder.join("password");
        fs::copy(self.folder().join("password"), &secret)
            .map(drop)
            .map_err(Error::io("copy", &secret))
    }

    /// Promotes a standby, so that it takes writes. Returns when it has left recovery.
    ///
    /// # Errors
    ///
    /// The error of `pg_ctl`.
    pub fn promote(&self) -> Result<()> {
        self.pg_ctl(&["promote", "-w"]).map(drop)
    }

    /// Kills every process of the server at once, like the loss of its machine. Start it again with
    /// [`Cluster::start_again`].
    ///
    /// # Errors
    ///
    /// When its `postmaster.pid` can't be read.
    pub fn kill(&mut self) -> Result<()> {
        let Some(postmaster) = self.postmaster()? else {
            return Ok(());
        };
        // The postmaster is stopped first, so that it starts no further processes.
        kill_process(postmaster, Signal::STOP).ok();
        for child in children(postmaster) {
            kill_process(child, Signal::KILL).ok();
        }
        kill_process(postmaster, Signal::KILL).ok();
        // While the process exists, even as a zombie, no other server can start in its folder.
        wait_for_end(postmaster);
        self.ended();
        Ok(())
    }

    /// Freezes every process of the server. Its connections stay open, and the server does not respond. Resume it with
    /// [`Cluster::thaw`].
    ///
    /// # Errors
    ///
    /// When its `postmaster.pid` can't be read.
    pub fn freeze(&self) -> Result<()> {
        self.signal(Signal::STOP)
    }

    /// Resumes a frozen server.
    ///
    /// # Errors
    ///
    /// When its `postmaster.pid` can't be read.
    pub fn thaw(&self) -> Result<()> {
        self.signal(Signal::CONT)
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        if let Some(postmaster) = self.postmaster()? {
            kill_process(postmaster, signal).ok();
            for child in children(postmaster) {
                kill_process(child, signal).ok();
            }
        }
        Ok(())
    }

    fn postmaster(&self) -> Result<Option<Pid>> {
        let path = self.data().join("postmaster.pid");
        let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        let postmaster = text.lines().next().and_then(|line| line.parse().ok());
        Ok(postmaster.and_then(Pid::from_raw))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "waits for a condition, outside of a runtime"
)]
fn wait_for_end(process: Pid) {
    let longest = Instant::now() + END_TIMEOUT;
    while test_kill_process(process).is_ok() && Instant::now() < longest {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn children(parent: Pid) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The fields after the name, which may contain any character, are state and parent.
        let after_name = stat
            .rsplit_once(')')
            .map_or("", |(_, after_name)| after_name);
        let its = after_name.split_whitespace().nth(1);
        its.and_then(|its| its.parse().ok()) == Some(parent.as_raw_nonzero().get())
    };
    all.filter(is_child).filter_map(Pid::from_raw).collect()
}
