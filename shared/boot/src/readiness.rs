//! Whether a process is ready for work: database, schema, drain.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection, PgPool};
use tarsy_metrics::ProcessState;
use tarsy_store::diagnosis::FEWEST_CONNECTIONS;
use tarsy_store::schema::{Schema, SchemaState};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Longest time that the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// SQLSTATE of a refused connection: the server, the database or the role has too many.
const TOO_MANY: &str = "53300";

/// Answers readiness probes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Readiness {
    pool: PgPool,
    draining: CancellationToken,
    last: Arc<Mutex<Option<DatabaseCheck>>>,
}

/// Result of a database check.
#[derive(Clone, Debug)]
struct DatabaseCheck {
    begun: Instant,
    database: Database,
}

/// State of the database and of the login.
#[derive(Clone, Debug, Default)]
struct Database {
    /// `None`: the database did not answer.
    schema: Option<Schema>,
    too_few_connections: Option<String>,
}

/// Result of a readiness probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Whether the database answered.
    pub database: bool,
    /// Its schema, if it answered.
    pub schema: Option<Schema>,
    /// Reason why the database allows this process too few connections, if it does.
    pub too_few_connections: Option<String>,
    /// Whether the process was asked to stop.
    pub draining: bool,
    /// Resource that the machine is short of, if its workers therefore claim nothing.
    pub shortage: Option<String>,
}

impl Readiness {
    /// Creates the readiness of a process. It is no longer ready once `draining` is cancelled.
    #[must_use]
    pub fn new(pool: PgPool, draining: CancellationToken) -> Self {
        Self {
            pool,
            draining,
            last: Arc::default(),
        }
    }

    /// Checks the database. Concurrent callers share one result. So probes, which anyone may send, use at most one
    /// connection.
    pub async fn check(&self) -> Ready {
        let database = self.database().await;
        Ready {
            database: database.schema.is_some(),
            schema: database.schema,
            too_few_connections: database.too_few_connections,
            draining: self.draining.is_cancelled(),
            shortage: tarsy_queue::current_shortage().map(|shortage| shortage.to_string()),
        }
    }

    /// Returns the state of the process for a scrape of metrics.
    #[must_use]
    pub fn process_state(&self) -> ProcessState {
        ProcessState {
            connections: self.pool.size(),
            idle_connections: u32::try_from(self.pool.num_idle()).unwrap_or(u32::MAX),
            max_connections: self.pool.options().get_max_connections(),
            is_draining: self.draining.is_cancelled(),
            dropped_log_lines: tarsy_telemetry::dropped_log_lines(),
        }
    }

    async fn database(&self) -> Database {
        let requested = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(last) = &*last
            && last.begun >= requested
        {
            return last.database.clone();
        }
        let begun = Instant::now();
        let check = async {
            let mut conn = self.pool.acquire().await.ok()?;
            let schema = Schema::read(&mut conn).await.ok()?;
            let limit = tarsy_store::diagnosis::connection_limit(&mut conn)
                .await
                .ok()?;
            let limit = limit.filter(|limit| *limit < FEWEST_CONNECTIONS);
            Some(Database {
                schema: Some(schema),
                too_few_connections: limit
                    .map(|limit| format!("the database user may hold {limit} connections")),
            })
        };
        let database = match timeout(PATIENCE, check).await.ok().flatten() {
            Some(database) => database,
            None => Database {
                schema: None,
                too_few_connections: self.refusal().await,
            },
        };
        let answer = database.clone();
        *last = Some(DatabaseCheck { begun, database });
        answer
    }

    /// Returns why the server refuses another connection, if the reason is the number of connections. The pool can't
    /// report this, because it keeps waiting for a connection.
    async fn refusal(&self) -> Option<String> {
        let options = self.pool.connect_options();
        let connecting = PgConnection::connect_with(&options);
        match timeout(PATIENCE, connecting).await.ok()? {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(TOO_MANY) => {
                Some(error.message().to_owned())
            }
            Err(_) => None,
            Ok(connection) => {
                let _ = connection.close().await;
                None
            }
        }
    }
}

impl Ready {
    /// Whether the process can accept work.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.draining
            && self.shortage.is_none()
            && self.too_few_connections.is_none()
            && self.schema.as_ref().is_some_and(is_usable)
    }

    /// Returns the response to probes: `status`, `database`, `schema`, `draining`, and `message` if there is something
    /// to report.
    #[must_use]
    pub fn document(&self) -> Value {
        let mut document = json!({
            "status": if self.is_ready() { "ready" } else { "not ready" },
            "database": self.database,
            "schema": self.schema.as_ref().map(word),
            "draining": self.draining,
        });
        let message = match (&self.schema, &self.shortage) {
            (_, Some(shortage)) => Some(shortage.clone()),
            _ if self.too_few_connections.is_some() => {
                self.too_few_connections.as_deref().map(connection_advice)
            }
            (None, None) => Some("the database does not answer".to_owned()),
            (Some(schema), None) => advice(schema),
        };
        if let (Some(message), Some(fields)) = (message, document.as_object_mut()) {
            fields.insert("message".to_owned(), message.into());
        }
        document
    }
}

/// Whether this version can work with the schema.
fn is_usable(schema: &Schema) -> bool {
    matches!(schema.state(), SchemaState::UpToDate | SchemaState::Ahead)
}

/// Returns the word for the schema's state in responses to probes.
fn word(schema: &Schema) -> &'static str {
    match schema.state() {
        SchemaState::UpToDate => "current",
        SchemaState::Behind if schema.version.is_none() => "unmigrated",
        SchemaState::Behind => "behind",
        SchemaState::Ahead => "newer",
        SchemaState::Diverged => "diverged",
    }
}

/// Returns the advice for a login that may open too few connections.
fn connection_advice(found: &str) -> String {
    format!(
        "{found}; a process needs at least {FEWEST_CONNECTIONS}: raise `connection limit` of the role or the database, \
         or max_connections"
    )
}

/// Returns the advice for the schema's state, if anything must be done.
fn advice(schema: &Schema) -> Option<String> {
    let number =
        |version: Option<i64>| version.map_or_else(|| "-".to_owned(), |one| one.to_string());
    let (applied, needed) = (number(schema.version), number(Schema::of_program()));
    match schema.state() {
        SchemaState::UpToDate => None,
        SchemaState::Behind if schema.version.is_none() => {
            Some("the database has no tables of tarsy: run `tarsy migrate`".to_owned())
        }
        SchemaState::Behind => Some(format!(
            "the schema is at {applied}, this version needs {needed}: run `tarsy migrate` of this version"
        )),
        SchemaState::Ahead => Some(format!(
            "`tarsy migrate` of a later version has run ({applied}; this version needs {needed}): \
             this one goes on; finish the rollout of the later one"
        )),
        SchemaState::Diverged => Some(
            "the database was migrated by another build: check DATABASE_URL and the version"
                .to_owned(),
        ),
    }
}
