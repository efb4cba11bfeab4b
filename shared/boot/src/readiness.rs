//! Whether a process can do its work: database, schema, drain.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_store::{SchemaState, schema_state};
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
    last: Arc<Mutex<Option<(Instant, Option<SchemaState>)>>>,
}

/// The answer to a readiness probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Whether the database answered.
    pub database: bool,
    /// Its schema, if it answered.
    pub schema: Option<SchemaState>,
    /// Whether the process is told to end.
    pub draining: bool,
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
        }
    }

    /// Whether the process is told to end.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Connections of the pool, and how many of them are idle.
    pub(crate) fn connections(&self) -> (u32, u32) {
        let idle = u32::try_from(self.pool.num_idle()).unwrap_or(u32::MAX);
        (self.pool.size(), idle)
    }

    async fn schema(&self) -> Option<SchemaState> {
        let asked = Instant::now();
        let mut last = self.last.lock().await;
        if let Some((begun, schema)) = *last
            && begun >= asked
        {
            return schema;
        }
        let begun = Instant::now();
        let asking = async {
            let mut conn = self.pool.acquire().await?;
            schema_state(&mut conn).await
        };
        let schema = timeout(PATIENCE, asking).await.ok().and_then(Result::ok);
        *last = Some((begun, schema));
        schema
    }
}

impl Ready {
    /// Whether the process can take work.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.draining && self.schema.is_some_and(|schema| schema.is_usable())
    }

    /// As probes are answered: `status`, `database`, `schema`, `draining`, and `message` where something
    /// is to be said.
    #[must_use]
    pub fn document(&self) -> Value {
        let mut document = json!({
            "status": if self.is_ready() { "ready" } else { "not ready" },
            "database": self.database,
            "schema": self.schema.map(|schema| schema.word()),
            "draining": self.draining,
        });
        let message = match self.schema {
            None => Some("the database does not answer".to_owned()),
            Some(schema) => schema.advice(),
        };
        if let (Some(message), Some(fields)) = (message, document.as_object_mut()) {
            fields.insert("message".to_owned(), message.into());
        }
        document
    }
}
