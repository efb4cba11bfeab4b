//! Whether a process can do its work: database, schema, drain.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_metrics::ProcessState;
use tarsy_store::{Schema, SchemaState};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Timeout of the database.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers readiness probes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Readiness {
    pool: PgPool,
    draining: CancellationToken,
    last: Arc<Mutex<Option<Asked>>>,
}

/// An answer of the database.
#[derive(Clone, Debug)]
struct Asked {
    begun: Instant,
    /// `None`: it did not answer.
    schema: Option<Schema>,
}

/// The answer to a readiness probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Whether the database answered.
    pub database: bool,
    /// Its schema, if it answered.
    pub schema: Option<Schema>,
    /// Whether the process is told to end.
    pub draining: bool,
    /// What its machine is short of, if its workers claim nothing for that reason.
    pub shortage: Option<String>,
}

impl Readiness {
    /// Of a process that is not ready any more once `draining` has fired.
    #[must_use]
    pub fn new(pool: PgPool, draining: CancellationToken) -> Self {
        Self {
            pool,
            draining,
            last: Arc::default(),
        }
    }

    /// Asks the database. Those who ask at once share an answer: probes, which anybody may send, hold
    /// one connection at most.
    pub async fn check(&self) -> Ready {
        let schema = self.schema().await;
        Ready {
            database: schema.is_some(),
            schema,
            draining: self.draining.is_cancelled(),
            shortage: tarsy_queue::current_shortage().map(|shortage| shortage.to_string()),
        }
    }

    /// What a scrape is told of the process.
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

    async fn schema(&self) -> Option<Schema> {
        let asked = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(last) = &*last
            && last.begun >= asked
        {
            return last.schema.clone();
        }
        let begun = Instant::now();
        let asking = async {
            let mut conn = self.pool.acquire().await.ok()?;
            Schema::read(&mut conn).await.ok()
        };
        let schema = timeout(PATIENCE, asking).await.ok().flatten();
        let answer = schema.clone();
        *last = Some(Asked { begun, schema });
        answer
    }
}

impl Ready {
    /// Whether the process can take work.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.draining && self.shortage.is_none() && self.schema.as_ref().is_some_and(is_usable)
    }

    /// As probes are answered: `status`, `database`, `schema`, `draining`, and `message` if there is something to
    /// report.
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
            (None, None) => Some("the database does not answer".to_owned()),
            (Some(schema), None) => advice(schema),
        };
        if let (Some(message), Some(fields)) = (message, document.as_object_mut()) {
            fields.insert("message".to_owned(), message.into());
        }
        document
    }
}

/// Whether this version can work with it.
fn is_usable(schema: &Schema) -> bool {
    matches!(schema.state(), SchemaState::UpToDate | SchemaState::Ahead)
}

/// As probes name it.
fn word(schema: &Schema) -> &'static str {
    match schema.state() {
        SchemaState::UpToDate => "current",
        SchemaState::Behind if schema.version.is_none() => "unmigrated",
        SchemaState::Behind => "behind",
        SchemaState::Ahead => "newer",
        SchemaState::Diverged => "diverged",
    }
}

/// What to do, if anything is to be done.
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
