//! PgBouncer in transaction mode, between some processes and Postgres.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use sqlx::{Connection as _, PgConnection};
use tarsy_testing::tools;
use url::Url;

use crate::watchdog;

/// First version that supports prepared statements in transaction mode.
const NEEDED: (u32, u32) = (1, 21);

#[derive(Debug)]
pub(crate) struct Bouncer {
    program: PathBuf,
    settings: PathBuf,
    port: u16,
    process: Mutex<Option<Child>>,
}

/// Finds a recent enough PgBouncer, in `PATH` or in `cargo xtask`'s tools.
pub(crate) fn program() -> Result<PathBuf, &'static str> {
    let kept = tools::workspace().join("target/tools/pgbouncer");
    let found = Some(kept)
        .filter(|path| path.is_file())
        .or_else(|| tools::find("pgbouncer"))
        .or_else(|| Some(PathBuf::from("/usr/sbin/pgbouncer")).filter(|path| path.is_file()))
        .ok_or("pgbouncer is not installed")?;
    let new_enough = version(&found).is_some_and(|version| version >= NEEDED);
    new_enough
        .then_some(found)
        .ok_or("pgbouncer is older than 1.21: it knows no prepared statements in transaction mode")
}

fn version(program: &Path) -> Option<(u32, u32)> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.strip_prefix("PgBouncer ")?.split(['.', '\n']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

impl Bouncer {
    /// Starts one on `port` for `database`.
    pub(crate) fn start(database: &Url, port: u16, folder: &Path) -> Result<Self> {
        let program = program().map_err(anyhow::Error::msg)?;
        let settings = folder.join(format!("pgbouncer-{port}.ini"));
        let target = format!(
            "host=127.0.0.1 port={} user={} password={}",
            database
                .port()
                .context("the database's address has no port")?,
            database.username(),
            database.password().unwrap_or_default(),
        );
        let text = format!(
            "[databases]\n* = {target}\n\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = any\npool_mode = transaction\nmax_prepared_statements = 200\n\
             default_pool_size = 8\nmax_client_conn = 200\nserver_login_retry = 1\nquery_wait_timeout = 10\n\
             ignore_startup_parameters = extra_float_digits,options\nlogfile = {}\n",
            folder.join(format!("logs/pgbouncer-{port}.txt")).display(),
        );
        std::fs::create_dir_all(folder.join("logs"))?;
        std::fs::write(&settings, text)?;
        let bouncer = Self {
            program,
            settings,
            port,
            process: Mutex::new(None),
        };
        bouncer.again()?;
        Ok(bouncer)
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Runs a query through it.
    pub(crate) async fn proves(&self, database: &Url) -> Result<()> {
        let mut url = database.clone();
        let _ = url.set_port(Some(self.port));
        let query = async {
            let mut through = PgConnection::connect(url.as_str()).await?;
            sqlx::query("select 1").execute(&mut through).await?;
            through.close().await
        };
        query.await.context("nothing gets through PgBouncer")
    }

    /// Sends SIGKILL, which closes every connection. Returns how many processes that hit.
    pub(crate) fn kill(&self) -> usize {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut child) = process.take() else {
            return 0;
        };
        let ran = matches!(child.try_wait(), Ok(None));
        let _ = child.kill().and_then(|()| child.wait());
        usize::from(ran)
    }

    pub(crate) fn again(&self) -> Result<()> {
        self.kill();
        let mut command = Command::new(&self.program);
        // PgBouncer refuses to run as root, and reads its settings before it drops root.
        if std::fs::metadata("/proc/self")
            .is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0)
        {
            command.args(["--user", "nobody"]);
            open_to_all(&self.settings)?;
        }
        let folder = self.settings.parent().unwrap_or(Path::new("."));
        let child = command
            .arg(&self.settings)
            .env(watchdog::FOLDER, folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("pgbouncer does not start")?;
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
        Ok(())
    }
}

/// Lets another account write its log next to the settings.
fn open_to_all(settings: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = settings.parent().unwrap_or(Path::new("."));
    for path in [folder, &folder.join("logs")] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777))?;
    }
    Ok(())
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        self.kill();
    }
}
