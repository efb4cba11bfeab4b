//! An OpenSSH server on a free port, with newly generated keys.

use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{Error, Result, command};

/// Program of Debian's package `openssh-server`. It must be started by its absolute path.
const PROGRAM: &str = "/usr/sbin/sshd";
/// Folder that a server needs if root starts it.
const PRIVILEGE_SEPARATION: &str = "/run/sshd";
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server. It accepts one key, for the user who runs the tests. It ends when this value is dropped.
#[derive(Debug)]
pub struct Sshd {
    server: Child,
    folder: TempDir,
    port: u16,
    user: String,
}

impl Sshd {
    /// Starts a server and waits until it responds.
    ///
    /// # Errors
    ///
    /// [`Error::Spawn`] if `openssh-server` is missing or does not respond in time, or another error of a failed step.
    pub fn start() -> Result<Self> {
        let folder = tempfile::tempdir().map_err(Error::io("create", Path::new("a folder")))?;
        let file = |name: &str| folder.path().join(name);
        for key in ["host_key", "user_key"] {
            let mut generate = Command::new("ssh-keygen");
            generate
                .args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f"])
                .arg(file(key));
            command::run(&mut generate)?;
        }
        let user = command::run(Command::new("id").arg("-un"))?
            .trim()
            .to_owned();
        if user == "root" {
            let separation = Path::new(PRIVILEGE_SEPARATION);
            fs::create_dir_all(separation).map_err(Error::io("create", separation))?;
        }
        let port = free_port()?;
        let path = folder.path().display();
        let settings = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {path}/host_key\nAuthorizedKeysFile {path}/user_key.pub\nPidFile none\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups 100\n"
        );
        let config = file("sshd_config");
        fs::write(&config, settings).map_err(Error::io("write", &config))?;
        let log = file("log");
        let mut start = Command::new(PROGRAM);
        start.arg("-D").arg("-f").arg(&config).arg("-E").arg(&log);
        let server = start
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let server = server.map_err(|source| Error::Spawn {
            command: PROGRAM.to_owned(),
            source,
        })?;
        let mut started = Self {
            server,
            folder,
            port,
            user,
        };
        started.wait()?;
        Ok(started)
    }

    fn wait(&mut self) -> Result<()> {
        let start = Instant::now();
        let mut greeting = [0; 4];
        loop {
            let answered = TcpStream::connect(("127.0.0.1", self.port))
                .and_then(|mut stream| stream.read_exact(&mut greeting));
            if answered.is_ok() && &greeting == b"SSH-" {
                return Ok(());
            }
            let ended = self.server.try_wait().ok().flatten();
            if let Some(status) = ended {
                let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                let output = command::indented_tail(&log);
                return Err(Error::Command {
                    command: PROGRAM.to_owned(),
                    status,
                    output,
                });
            }
            if start.elapsed() > PATIENCE {
                let source = std::io::ErrorKind::TimedOut.into();
                return Err(Error::Spawn {
                    command: PROGRAM.to_owned(),
                    source,
                });
            }
            // Blocking is fine, because starting programs blocks the thread anyway.
            std::thread::park_timeout(Duration::from_millis(10));
        }
    }

    /// Returns its port on 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the user who may log in.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Returns the path of the private key that may log in.
    #[must_use]
    pub fn user_key(&self) -> PathBuf {
        self.folder.path().join("user_key")
    }

    /// Returns the host's public key, `ssh-ed25519 AAAA..`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if its file cannot be read.
    pub fn host_key(&self) -> Result<String> {
        let file = self.folder.path().join("host_key.pub");
        let key = fs::read_to_string(&file).map_err(Error::io("read", &file))?;
        Ok(key.trim().to_owned())
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

fn free_port() -> Result<u16> {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = port.map_err(Error::io("find", Path::new("a free port")))?;
    Ok(port.port())
}
