//! Tests of the store against a real Postgres. Each test has a separate database.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fake_models;
mod load;
mod local;
mod masked;
mod models;
mod nearest;
mod rerank;
mod search;
mod sql;

use std::path::{Path, PathBuf};

use sqlx::PgConnection;
use sqlx::pool::PoolConnection;
use tarsy_knowledge::{LoadOptions, Mapping, Progress, Query, Searcher, load as load_file, store};
use tarsy_masking::{DEFAULT_GROUP, Masker};
use tarsy_testing::postgres::{Cluster, Installation};
use tarsy_testing::{TestDb, tools};
use tempfile::TempDir;
use url::Url;

pub(crate) const MAPPING: &str = "
key: id
title: title
fields:
- {name: id, column: Test ID, identifier: true}
- {name: title, column: Title}
- {name: model, column: Model, filter: true}
- {name: slot, column: Slot, type: integer}
- {name: steps, column: Steps}
";

/// A database with the store, and a folder for files.
pub(crate) struct Scene {
    pub(crate) db: TestDb,
    pub(crate) folder: TempDir,
    /// Stopped after the database is dropped.
    _server: Option<Server>,
}

/// A server for a single test, stopped before its folder is removed.
struct Server {
    _cluster: Cluster,
    _folder: TempDir,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with_server(TestDb::new().await, None).await
    }

    /// The same on a server with pgvector that is started for this test. `None`, and a printed reason, if there is no
    /// pgvector.
    #[expect(clippy::print_stderr, reason = "says why a test was skipped")]
    pub(crate) async fn with_pgvector() -> Option<Self> {
        let tools = tools::workspace().join("target/tools");
        let Some(installation) = Installation::with_pgvector(&tools) else {
            eprintln!("NOT RUN: no PostgreSQL with pgvector; `cargo xtask setup` fetches it");
            return None;
        };
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let server = Cluster::start(&installation, folder.path(), &|_| ()).unwrap();
        let admin = Url::parse(&server.url("postgres")).unwrap();
        let db = TestDb::empty_on(&admin).await.unwrap();
        Some(
            Self::with_server(
                db,
                Some(Server {
                    _cluster: server,
                    _folder: folder,
                }),
            )
            .await,
        )
    }

    async fn with_server(db: TestDb, server: Option<Server>) -> Self {
        let mut connection = db.pool().acquire().await.unwrap();
        store::enable(&mut connection).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self {
            db,
            folder,
            _server: server,
        }
    }

    pub(crate) async fn connection(&self) -> PoolConnection<sqlx::Postgres> {
        self.db.pool().acquire().await.unwrap()
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn options(&self, mapping: &str) -> LoadOptions {
        LoadOptions {
            collection: "tests".to_owned(),
            mapping: Mapping::parse("mapping", mapping).unwrap(),
            rejects: self.folder.path().join("rejected.jsonl"),
            again: false,
            masker: Masker::group(DEFAULT_GROUP).unwrap(),
        }
    }

    pub(crate) async fn load(&self, file: &Path, mapping: &str) -> Progress {
        let mut connection = self.connection().await;
        let options = self.options(mapping);
        load_file(&mut connection, file, &options, |_| ())
            .await
            .unwrap()
    }

    pub(crate) async fn rows(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql)
            .fetch_one(self.db.pool())
            .await
            .unwrap()
    }

    /// Returns the keys of the search results.
    pub(crate) async fn found(&self, searcher: &Searcher, text: &str) -> Vec<String> {
        let query = Query {
            text: text.to_owned(),
            ..Query::default()
        };
        let hits = searcher.search(&query).await.unwrap().results;
        hits.into_iter().map(|hit| hit.key).collect()
    }

    pub(crate) fn searcher(&self) -> Searcher {
        Searcher::new(self.db.pool().clone())
    }
}

/// Compares the tables of two states of the store.
pub(crate) async fn content(connection: &mut PgConnection) -> Vec<String> {
    let rows = "select record_key || ' ' || fields::text || ' ' || c.text
                  from knowledge.records r join knowledge.chunks c using (record_id) order by 1";
    sqlx::query_scalar(rows)
        .fetch_all(connection)
        .await
        .unwrap()
}
