//! A primary and its streaming standby.

use std::path::Path;

use sqlx::postgres::{PgPool, PgPoolOptions};
use tempfile::TempDir;
use url::Url;

use crate::TestDb;
use crate::postgres::{Cluster, Installation};

/// Two servers for one test, with a migrated database on both.
#[derive(Debug)]
pub struct Pair {
    /// Server that takes writes.
    pub primary: Cluster,
    /// Server that follows the primary, under the name `b`.
    pub standby: Cluster,
    database: String,
    _folder: TempDir,
}

impl Pair {
    /// Starts both servers and creates a database. Prints a reason and returns `None` if there is no `pg_basebackup`.
    /// Needs a multi-threaded runtime.
    ///
    /// # Panics
    ///
    /// When a server doesn't start.
    #[expect(clippy::print_stderr, reason = "says why a test was skipped")]
    pub async fn start() -> Option<(Self, TestDb)> {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
        let installation = Installation::find_or_install(&tools, &|_| ()).expect("a PostgreSQL");
        if !installation.has("pg_basebackup") {
            eprintln!("skipped: this PostgreSQL comes without pg_basebackup");
            return None;
        }
        let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
        let place = |name| folder.path().join(name);
        let start = || Cluster::start(&installation, &place("a"), &|_| ());
        let primary = tokio::task::block_in_place(start).expect("a primary");
        let admin = Url::parse(&primary.url("postgres")).expect("a URL");
        let db = TestDb::create_on(&admin).await.expect("a database");
        let db = db.until_its_server_ends();
        let start = || primary.standby(&installation, &place("b"), "b", &|_| ());
        let standby = tokio::task::block_in_place(start).expect("a standby");
        let pair = Self {
            primary,
            standby,
            database: db.name().to_owned(),
            _folder: folder,
        };
        Some((pair, db))
    }

    /// Makes commits on the primary wait for the standby.
    ///
    /// # Panics
    ///
    /// When the primary refuses.
    pub async fn make_synchronous(&self, primary: &PgPool) {
        for set in [
            "alter system set synchronous_standby_names = 'b'",
            "select pg_reload_conf()",
        ] {
            sqlx::query(set).execute(primary).await.expect("a setting");
        }
        let synchronous = async || {
            let state = "select count(*) from pg_stat_replication where sync_state = 'sync'";
            let count: i64 = sqlx::query_scalar(state)
                .fetch_one(primary)
                .await
                .expect("a count");
            count == 1
        };
        let soon = std::time::Duration::from_secs(60);
        crate::wait::until("the standby to be synchronous", soon, synchronous).await;
    }

    /// Returns the URL of the database with both hosts. The standby comes first, so that clients must skip it.
    #[must_use]
    pub fn list(&self) -> String {
        let one = self.primary.url(&self.database);
        let port = self.primary.port();
        let both = format!("127.0.0.1:{},127.0.0.1:{port}", self.standby.port());
        one.replace(&format!("127.0.0.1:{port}"), &both)
    }

    /// Returns the URL of the database on the primary.
    #[must_use]
    pub fn primary_url(&self) -> String {
        self.primary.url(&self.database)
    }

    /// Returns the URL of the database on the standby.
    #[must_use]
    pub fn standby_url(&self) -> String {
        self.standby.url(&self.database)
    }

    /// Connects to the standby, promoted or not.
    ///
    /// # Panics
    ///
    /// When it doesn't answer.
    pub async fn standby_pool(&self) -> PgPool {
        let pool = PgPoolOptions::new().max_connections(4);
        pool.connect(&self.standby_url())
            .await
            .expect("the standby")
    }
}
