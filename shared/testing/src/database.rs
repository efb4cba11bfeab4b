//! A database per test, copied from a migrated template.

mod template;

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor, PgConnection};
use url::Url;

use crate::{Error, Result};

/// Variables that may name the test server; the first one set wins.
pub const ADMIN_URL_VARIABLES: [&str; 2] = ["TARSY_TEST_DATABASE_URL", "DATABASE_URL"];

/// Default test server.
pub const DEFAULT_ADMIN_URL: &str = "postgres://postgres@127.0.0.1:5433/postgres";

/// Environment variable that keeps test databases, if set to any value.
pub const KEEP: &str = "TARSY_TEST_KEEP";

const POOL_SIZE: u32 = 10;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// A migrated database for one test.
///
/// Dropped together with this value, even if other clients are still connected. Set `TARSY_TEST_KEEP` to keep it: to
/// look at it after the test, or because the whole server is removed anyway. Dropping a database waits half a second
/// for a checkpoint.
#[derive(Debug)]
pub struct TestDb {
    admin: Url,
    name: String,
    url: String,
    pool: PgPool,
    keep: Keep,
}

/// How the database ends when its value is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    Dropped,
    GoesWithServer,
}

impl TestDb {
    /// Creates a database on the server that [`admin_url`] names.
    ///
    /// # Panics
    ///
    /// When the server cannot be reached or a migration fails. The message names the error and what to do.
    pub async fn new() -> Self {
        match Self::create().await {
            Ok(db) => db,
            Err(error) => panic!(
                "no database for this test: {error}: {:?}\n\
                 `cargo xtask test` starts a PostgreSQL; for a single test, set DATABASE_URL.",
                std::error::Error::source(&error)
            ),
        }
    }

    /// Creates a database like [`TestDb::new`], but returns the error.
    ///
    /// # Errors
    ///
    /// [`Error::Address`], [`Error::Database`], [`Error::Migrate`], or [`Error::Io`] if the migrations can't be read.
    pub async fn create() -> Result<Self> {
        Self::create_on(&admin_url()?).await
    }

    /// Creates a database like [`TestDb::create`], on the server of URL `admin`. Must be called inside a runtime.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], [`Error::Migrate`] or [`Error::Io`].
    pub async fn create_on(admin: &Url) -> Result<Self> {
        let mut server = Server::connect(admin).await?;
        let template = template::ensure(&mut server).await?;
        Self::copy(server, &template, Keep::Dropped).await
    }

    /// Keeps the database until its server is removed. A server whose commits wait for a lost standby would never drop it.
    #[must_use]
    pub fn until_its_server_ends(mut self) -> Self {
        self.keep = Keep::GoesWithServer;
        self
    }

    /// Creates a database without tables on a test's own server. It is removed together with that server.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn empty_on(admin: &Url) -> Result<Self> {
        let server = Server::connect(admin).await?;
        Self::copy(server, "template1", Keep::GoesWithServer).await
    }

    /// Creates a database without tables in an encoding other than UTF-8, e.g. `LATIN1`.
    ///
    /// # Errors
    ///
    /// As [`TestDb::create`].
    pub async fn empty_in(encoding: &str) -> Result<Self> {
        let admin = admin_url()?;
        let server = Server::connect(&admin).await?;
        let template = format!("template0 encoding '{encoding}' lc_collate 'C' lc_ctype 'C'");
        Self::copy(server, &template, Keep::Dropped).await
    }

    async fn copy(mut server: Server<'_>, template: &str, keep: Keep) -> Result<Self> {
        let name = format!("tarsy_test_{}", uuid::Uuid::now_v7().simple());
        let statement = format!("create database {name} template {template}");
        server.run("create a test database", statement).await?;
        let admin = server.url.clone();
        server.close().await?;

        let url = with_database(&admin, &name);
        let pool = PgPoolOptions::new()
            .max_connections(POOL_SIZE)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_lazy(url.as_str())
            .map_err(database_error("open a test database", &admin))?;
        Ok(Self {
            admin,
            name,
            url: url.into(),
            pool,
            keep,
        })
    }

    /// Drops the database now, even if clients are connected or `TARSY_TEST_KEEP` is set.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] when the server refuses.
    pub async fn remove(self) -> Result<()> {
        drop_database(&self.admin, &self.name).await
    }

    /// Returns a pool of at most 10 connections to this database.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Returns the URL of this database, for processes and for pools that a test creates itself.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Name of this database.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        if self.keep == Keep::GoesWithServer || std::env::var_os(KEEP).is_some() {
            return;
        }
        let (admin, name) = (self.admin.clone(), self.name.clone());
        // Uses a separate thread, because the drop happens inside a test's runtime, which must not be blocked.
        let dropper = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(drop_database(&admin, &name)).ok();
            std::io::Result::Ok(())
        });
        dropper.join().ok();
    }
}

async fn drop_database(admin: &Url, name: &str) -> Result<()> {
    let mut server = Server::connect(admin).await?;
    let statement = format!("drop database if exists {name} with (force)");
    server.run("drop a test database", statement).await?;
    server.close().await
}

/// Returns the URL of the test server: the first of [`ADMIN_URL_VARIABLES`] that is set, else [`DEFAULT_ADMIN_URL`].
///
/// # Errors
///
/// [`Error::Address`] when it is not a URL.
pub fn admin_url() -> Result<Url> {
    let named = ADMIN_URL_VARIABLES.into_iter().find_map(|variable| {
        Some((
            variable,
            std::env::var(variable).ok().filter(|url| !url.is_empty())?,
        ))
    });
    let (variable, url) = named.unwrap_or(("the default address", DEFAULT_ADMIN_URL.to_owned()));
    Url::parse(&url).map_err(|source| Error::Address { variable, source })
}

fn with_database(server: &Url, name: &str) -> Url {
    let mut url = server.clone();
    url.set_path(name);
    url
}

fn database_error(action: &'static str, server: &Url) -> impl FnOnce(sqlx::Error) -> Error {
    let server = format!(
        "{}:{}",
        server.host_str().unwrap_or("?"),
        server.port().unwrap_or(5432)
    );
    move |source| Error::Database {
        action,
        server,
        source,
    }
}

/// A connection to the test server. Its errors name the server.
struct Server<'a> {
    url: &'a Url,
    connection: PgConnection,
}

impl<'a> Server<'a> {
    async fn connect(url: &'a Url) -> Result<Self> {
        match connect(url).await {
            Ok(connection) => Ok(Self { url, connection }),
            Err(source) => Err(database_error("connect to the test server", url)(source)),
        }
    }

    async fn run(&mut self, action: &'static str, statement: String) -> Result<()> {
        let outcome = self.connection.execute(sqlx::AssertSqlSafe(statement));
        outcome
            .await
            .map(drop)
            .map_err(database_error(action, self.url))
    }

    async fn close(self) -> Result<()> {
        let failed = database_error("leave the test server", self.url);
        self.connection.close().await.map_err(failed)
    }
}

async fn connect(url: &Url) -> sqlx::Result<PgConnection> {
    PgConnectOptions::from_str(url.as_str())?.connect().await
}
