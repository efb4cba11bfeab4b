//! Health of each dependency.

pub(crate) mod handlers;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::alerts::upstreams::{FailingUpstreams, RefusingProvider, UnreachableServer};
use crate::problem::Problem;
use crate::server::state::AppState;
use crate::sessions::{HistoryReplica, ReplicaHealth};

/// Timeout of the database.
const PATIENCE: Duration = Duration::from_secs(2);

/// Response of `GET /`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Root {
    #[schema(example = "Tarsy is running")]
    pub(crate) message: &'static str,
    #[schema(example = "healthy")]
    pub(crate) status: &'static str,
}

/// Response of `GET /health`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `healthy`, or `degraded` if a component is not healthy.
    status: &'static str,
    #[schema(example = "tarsy")]
    service: &'static str,
    version: &'static str,
    /// Current time, RFC 3339.
    timestamp: String,
    services: Services,
}

/// Health of each component.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Services {
    /// `healthy`, or why alerts are not processed.
    alert_processing: &'static str,
    /// `healthy`, `disabled` or `unavailable`.
    history_service: &'static str,
    /// The replica from which history is read; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    history_replica: Option<ReplicaHealth>,
    database: Database,
    llm: Llm,
    mcp: Mcp,
    knowledge: Knowledge,
    queue: Queue,
}

/// Postgres.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Database {
    /// Whether history is enabled.
    enabled: bool,
    connected: bool,
    /// Retention of ended sessions in days.
    retention_days: u64,
}

/// Language models.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Llm {
    /// Whether any provider is available.
    provider_available: bool,
    /// Providers that failed every call in the last minutes.
    #[schema(value_type = Vec<RefusingProvider>)]
    refusing: Arc<[RefusingProvider]>,
}

/// MCP servers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Mcp {
    /// Servers whose tools could not be listed by stages in the last minutes.
    #[schema(value_type = Vec<UnreachableServer>)]
    unreachable: Arc<[UnreachableServer]>,
}

/// Knowledge store.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Knowledge {
    /// Whether questions are accepted, because the configuration has a section `knowledge`.
    enabled: bool,
}

/// Queue state; empty while the database is unavailable.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Queue {
    /// Jobs that are due.
    ready: i64,
    /// Running jobs.
    running: i64,
    /// Dead jobs.
    dead: i64,
    /// Age of the oldest job that is due.
    oldest_ready_seconds: f64,
    /// Paused queues.
    paused: Vec<String>,
    /// Number of workers that report regularly, by role.
    workers: BTreeMap<String, usize>,
    /// Number of live workers that have not reported for 15 seconds, by role. Not included in `workers`.
    workers_not_answering: BTreeMap<String, usize>,
    /// Number of workers that report a problem, by role.
    workers_in_trouble: BTreeMap<String, usize>,
}

impl AppState {
    pub(crate) async fn health(&self, timestamp: String) -> Health {
        let queue = timeout(PATIENCE, self.queue())
            .await
            .ok()
            .and_then(Result::ok);
        let connected = queue.is_some();
        let queue = queue.unwrap_or_default();
        let provider_available = self.catalog.chains.has_provider();
        let FailingUpstreams {
            refusing,
            unreachable,
        } = self.upstreams.failing();
        let upstreams_work = refusing.is_empty() && unreachable.is_empty();
        let has = |role| count(&queue.workers, role) > 0;
        let works = |role| count(&queue.workers, role) > count(&queue.workers_in_trouble, role);
        let alert_processing = match (connected, provider_available) {
            (false, _) => "database unavailable",
            (_, false) => "no LLM provider",
            _ if !has("chain-worker") => "no chain-worker",
            _ if !has("stage-worker") => "no stage-worker",
            _ if !works("chain-worker") => "every chain-worker is in trouble",
            _ if !works("stage-worker") => "every stage-worker is in trouble",
            _ => "healthy",
        };
        let history_service = match (self.history.enabled, connected) {
            (false, _) => "disabled",
            (true, false) => "unavailable",
            (true, true) => "healthy",
        };
        let history_replica = self.replica.as_ref().map(HistoryReplica::health);
        let replica_works = history_replica
            .as_ref()
            .is_none_or(ReplicaHealth::is_healthy);
        Health {
            status: if alert_processing == "healthy" && upstreams_work && replica_works {
                "healthy"
            } else {
                "degraded"
            },
            service: "tarsy",
            version: env!("CARGO_PKG_VERSION"),
            timestamp,
            services: Services {
                alert_processing,
                history_service,
                history_replica,
                database: Database {
                    enabled: self.history.enabled,
                    connected,
                    retention_days: self.catalog.retention_days(),
                },
                llm: Llm {
                    provider_available,
                    refusing,
                },
                mcp: Mcp { unreachable },
                knowledge: Knowledge {
                    enabled: self.catalog.knowledge().is_some(),
                },
                queue,
            },
        }
    }

    async fn queue(&self) -> Result<Queue, Problem> {
        let mut conn = self.pool.acquire().await?;
        let stats = tarsy_queue::queue_stats(&mut conn).await?;
        let (mut workers, mut workers_in_trouble) = (BTreeMap::new(), BTreeMap::new());
        let mut workers_not_answering = BTreeMap::new();
        for worker in tarsy_queue::list_workers(&mut conn).await? {
            if worker.is_silent() {
                // A worker whose process is gone is not counted. The next sweep removes it from the list.
                if worker.alive {
                    *workers_not_answering.entry(worker.role).or_default() += 1;
                }
                continue;
            }
            if worker.trouble.is_some() {
                *workers_in_trouble.entry(worker.role.clone()).or_default() += 1;
            }
            *workers.entry(worker.role).or_default() += 1;
        }
        Ok(Queue {
            ready: stats.iter().map(|queue| queue.ready).sum(),
            running: stats.iter().map(|queue| queue.running).sum(),
            dead: stats.iter().map(|queue| queue.dead).sum(),
            oldest_ready_seconds: stats
                .iter()
                .filter_map(|queue| queue.oldest_ready_seconds)
                .fold(0.0, f64::max),
            paused: stats
                .iter()
                .filter(|queue| queue.paused_at.is_some())
                .map(|queue| queue.queue.clone())
                .collect(),
            workers,
            workers_not_answering,
            workers_in_trouble,
        })
    }
}

fn count(workers: &BTreeMap<String, usize>, role: &str) -> usize {
    workers.get(role).copied().unwrap_or(0)
}
