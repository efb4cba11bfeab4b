//! Creates, starts, stops and restarts a private PostgreSQL server.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::account::Account;
use super::settings::settings;
use super::{Installation, Report, reachable_folder};
use crate::command::{indented_tail, run};
use crate::{Error, Result};

/// Number of attempts to start on a free port, because another program may take the port first.
const START_TRIES: usize = 3;

/// Address of the server.
const LOOPBACK: &str = "127.0.0.1";

/// Shutdown mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Disconnects clients and flushes committed data.
    Fast,
    /// Simulates a power loss. The next start recovers from the write-ahead log.
    Immediate,
}

/// A running private server. It is stopped when this value is dropped.
///
/// It listens only on a free loopback port, unless [`Cluster::listen`] adds addresses. It requires a password, which is
/// random for each folder.
#[derive(Debug)]
pub struct Cluster {
    installation: Installation,
    folder: PathBuf,
    port: u16,
    addresses: String,
    /// Settings in addition to [`settings`].
    more: &'static [&'static str],
    password: String,
    running: bool,
    _lock: File,
}

impl Cluster {
    /// Starts the server with its data in `folder`, and creates the data first if there are none.
    ///
    /// As root, a folder that the unprivileged account cannot reach is replaced by
    /// [`reachable_folder`]. [`Cluster::folder`] returns the folder in use. A server that a killed run
    /// left behind in the folder is stopped first.
    ///
    /// # Errors
    ///
    /// [`Error::InUse`] while another run uses the folder, [`Error::OtherVersion`] when its data
    /// belong to another major version, otherwise the error of `initdb` or `pg_ctl`.
    pub fn start(installation: &Installation, folder: &Path, report: Report<'_>) -> Result<Self> {
        Self::start_with(&[], installation, folder, report)
    }

    /// Starts a server like [`Cluster::start`], for a run of all tests. Each test creates a database, which stays until
    /// the server is removed.
    ///
    /// A server checks each of its databases once per `autovacuum_naptime`, so a thousand of them would keep it busy.
    ///
    /// # Errors
    ///
    /// As [`Cluster::start`].
    pub fn start_for_many_databases(
        installation: &Installation,
        folder: &Path,
        report: Report<'_>,
    ) -> Result<Self> {
        Self::start_with(&["autovacuum_naptime=3600"], installation, folder, report)
    }

    fn start_with(
        more: &'static [&'static str],
        installation: &Installation,
        folder: &Path,
        report: Report<'_>,
    ) -> Result<Self> {
        let folder = reachable_folder(folder, report);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        let folder = folder.canonicalize().map_err(Error::io("open", &folder))?;
        Account::choose().take(&folder)?;
        let lock = lock(&folder)?;

        let mut cluster = Self {
            installation: installation.clone(),
            password: String::new(),
            port: 0,
            addresses: LOOPBACK.to_owned(),
            more,
            running: false,
            _lock: lock,
            folder,
        };
        cluster.make(report)?;
        cluster.stop_leftover(report)?;
        cluster.start_on_free_port()?;
        report(&format!(
            "PostgreSQL {} runs on port {}",
            installation.version(),
            cluster.port
        ));
        Ok(cluster)
    }

    /// Returns the URL of a database of this server, including the password.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://postgres:{}@127.0.0.1:{}/{database}",
            self.password, self.port
        )
    }

    /// Returns the port. It is the same after [`Cluster::restart`].
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the folder with the data, the password and the server's log.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stops the server. A server that has ended by itself, e.g. on a full disk, counts as stopped.
    ///
    /// # Errors
    ///
    /// The error of `pg_ctl`.
    pub fn stop(&mut self, how: Stop) -> Result<()> {
        if self.running {
            let stopped = self.pg_ctl(&["stop", "-w", "-m", how.mode()]);
            // The server deletes this file when it ends.
            if self.data().join("postmaster.pid").exists() {
                stopped?;
            }
            self.running = false;
        }
        Ok(())
    }

    /// Stops the server and starts it again on the same port.
    ///
    /// # Errors
    ///
    /// The error of `pg_ctl`.
    pub fn restart(&mut self, how: Stop) -> Result<()> {
        self.stop(how)?;
        self.start_on(self.port)
    }

    /// Restarts the server, listening on these addresses in addition to the loopback address. Until `pg_hba.conf` is
    /// changed, it rejects all connections from there.
    ///
    /// # Errors
    ///
    /// The error of `pg_ctl`.
    pub fn listen(&mut self, addresses: &[&str]) -> Result<()> {
        self.addresses = [&[LOOPBACK], addresses].concat().join(",");
        self.restart(Stop::Fast)
    }

    /// Starts a stopped server on its previous port. Does nothing if it runs.
    ///
    /// # Errors
    ///
    /// The error of `pg_ctl`.
    pub fn start_again(&mut self) -> Result<()> {
        if self.running {
            Ok(())
        } else {
            self.start_on(self.port)
        }
    }

    /// Stops the server and deletes its folder. A detached process deletes the files, and the caller does not wait for
    /// it, because a whole test run leaves about a million files.
    ///
    /// # Errors
    ///
    /// When the folder cannot be moved aside, or its files cannot be deleted.
    pub fn remove(mut self) -> Result<()> {
        self.stop(Stop::Immediate)?;
        let aside = self
            .folder
            .with_added_extension(format!("deleted-{}", std::process::id()));
        fs::rename(&self.folder, &aside).map_err(Error::io("move", &self.folder))?;
        let deleting = Command::new("rm")
            .arg("-rf")
            .args(set_aside(&self.folder))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        match deleting {
            Ok(_) => Ok(()),
            Err(_) => fs::remove_dir_all(&aside).map_err(Error::io("delete", &aside)),
        }
    }

    /// Records that the server has ended by other means.
    pub(super) fn ended(&mut self) {
        self.running = false;
    }

    fn make(&mut self, report: Report<'_>) -> Result<()> {
        let secret = self.folder.join("password");
        let made_by = self.data().join("PG_VERSION");
        if let Ok(version) = fs::read_to_string(&made_by) {
            if version.trim() != self.installation.major().to_string() {
                return Err(Error::OtherVersion {
                    folder: self.folder.clone(),
                    made_by: version.trim().to_owned(),
                    found: self.installation.major(),
                });
            }
            self.password = fs::read_to_string(&secret).map_err(Error::io("read", &secret))?;
            return Ok(());
        }

        report(&format!(
            "making a private PostgreSQL cluster in {}",
            self.folder.display()
        ));
        self.password = uuid::Uuid::new_v4().simple().to_string();
        write_secret(&secret, &self.password)?;
        Account::choose().take(&secret)?;
        // Created under another name and then renamed, so that an interrupted run leaves no incomplete data.
        let aside = self.folder.join("data.new");
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(Error::io("delete", &aside))?;
        }
        let mut initdb = self.installation.command("initdb", &self.folder);
        // Tests open many connections. SCRAM's 4,096 rounds for each took a tenth of the server's CPU time. MD5 is safe
        // for a random password of 122 bits.
        initdb.args([
            "--username=postgres",
            "--auth=md5",
            "--encoding=UTF8",
            "--locale=C",
        ]);
        run(initdb
            .arg("--pwfile")
            .arg(&secret)
            .arg("--pgdata")
            .arg(&aside))?;
        fs::rename(&aside, self.data()).map_err(Error::io("rename", &aside))
    }

    fn stop_leftover(&self, report: Report<'_>) -> Result<()> {
        if self.pg_ctl(&["status"]).is_err() {
            return Ok(());
        }
        report("stopping the PostgreSQL that an earlier run left behind");
        self.pg_ctl(&["stop", "-w", "-m", Stop::Fast.mode()])
            .map(drop)
    }

    fn start_on_free_port(&mut self) -> Result<()> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.start_on(free_port()?) {
                Err(_) if tries < START_TRIES => {}
                outcome => return outcome,
            }
        }
    }

    fn start_on(&mut self, port: u16) -> Result<()> {
        let options: Vec<_> = settings(port, &self.addresses)
            .iter()
            .map(String::as_str)
            .chain(self.more.iter().copied())
            .map(|setting| format!("-c {setting}"))
            .collect();
        let log = self.folder.join("log");
        let seen = fs::metadata(&log).map_or(0, |meta| meta.len());
        let started = self.pg_ctl(&[
            "start",
            "-w",
            "-t",
            "120",
            "-l",
            &log.to_string_lossy(),
            "-o",
            &options.join(" "),
        ]);
        match started {
            Ok(_) => {
                self.port = port;
                self.running = true;
                Ok(())
            }
            Err(Error::Command {
                command,
                status,
                output,
            }) => {
                let content = fs::read(&log).unwrap_or_default();
                let new = content
                    .get(usize::try_from(seen).unwrap_or(0)..)
                    .unwrap_or_default();
                let output = output + &indented_tail(&String::from_utf8_lossy(new));
                Err(Error::Command {
                    command,
                    status,
                    output,
                })
            }
            Err(other) => Err(other),
        }
    }

    pub(super) fn pg_ctl(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.installation.command("pg_ctl", &self.folder);
        run(command.args(arguments).arg("-D").arg(self.data()))
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Best effort: errors can't be reported here, and the next start stops a leftover.
        self.stop(Stop::Fast).ok();
    }
}

impl Stop {
    fn mode(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Immediate => "immediate",
        }
    }
}

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(Error::io("create", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::InUse {
            folder: folder.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(Error::io("lock", &path)(source)),
    }
}

/// Returns the folders to delete: the one moved aside now, and those whose deletion was interrupted.
fn set_aside(folder: &Path) -> Vec<PathBuf> {
    let is_aside = |path: &PathBuf| {
        path.file_stem() == folder.file_name()
            && path
                .extension()
                .is_some_and(|extension| extension.to_string_lossy().starts_with("deleted-"))
    };
    let entries = folder.parent().and_then(|parent| fs::read_dir(parent).ok());
    let paths = entries.into_iter().flatten().flatten().map(|e| e.path());
    paths.filter(is_aside).collect()
}

fn write_secret(path: &Path, secret: &str) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path).map_err(Error::io("create", path))?;
    file.write_all(secret.as_bytes())
        .map_err(Error::io("write", path))
}

fn free_port() -> Result<u16> {
    let address = Path::new("127.0.0.1:0");
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|local| local.port())
        .map_err(Error::io("find a free port on", address))
}
