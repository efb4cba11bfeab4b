//! History is read from a replica where there is one, and from the primary where it can't be.
//!
//! What is read from the replica holds all that was committed when the request came: a connection to it is handed out only once it
//! has replayed what the primary had written by then. So a caller sees what they have just changed, whichever process
//! they ask, and a page that was told of an event finds it. A request that fails on the replica is carried out
//! again on the primary. Why: `docs/decisions/0052-history-from-a-replica.md`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use prometheus::{Gauge, IntCounterVec, Opts, Registry};
use serde::Serialize;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, PgPoolOptions, Postgres};
use tarsy_postgres::{Lsn, Replica, Unfit};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::sessions::connections::history_plans;

/// Longest wait for the replica to replay what the primary has written.
const CATCHING_UP: Duration = Duration::from_millis(300);
/// Longest wait for a connection to it.
const CONNECTING: Duration = Duration::from_secs(1);
/// Lag from which it is said to be behind.
const BEHIND: Duration = Duration::from_secs(5);

/// What its sessions are called in `pg_stat_activity`.
const NAME: &str = "ingest-api history";

/// Where the paths begin whose `GET` may be carried out twice.
const PREFIX: &str = "/api/v1/";

tokio::task_local! {
    /// Whether this request reads from the replica; not set for those that must not.
    static USED: Arc<AtomicBool>;
}

/// The replica, connections to it, and how often it was read.
#[derive(Debug)]
pub(crate) struct HistoryReplica {
    replica: Replica,
    pool: PgPool,
    reads: IntCounterVec,
    fallbacks: IntCounterVec,
    lag: Gauge,
    up: Gauge,
}

/// Health of the replica that history is read from.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplicaHealth {
    /// `healthy`; `behind` or `unavailable`: history is read from the primary.
    #[schema(example = "healthy")]
    status: &'static str,
    /// For how long something has been written that it did not replay.
    lag_seconds: f64,
    /// Bytes of the write-ahead log that it did not replay; absent until it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_bytes: Option<u64>,
    /// Why it is unavailable.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl ReplicaHealth {
    pub(crate) fn is_healthy(&self) -> bool {
        self.status == "healthy"
    }
}

impl HistoryReplica {
    /// As many connections as history has to the primary whose pool is `pool`.
    pub(crate) fn new(replica: Replica, pool: &PgPool) -> prometheus::Result<Self> {
        let options = replica.options().clone().application_name(NAME);
        let options = history_plans(tarsy_queue::steady_plans(options));
        let own = PgPoolOptions::new()
            .max_connections(pool.options().get_max_connections().div_ceil(2))
            .acquire_timeout(CONNECTING);
        let host = options.clone().into();
        Ok(Self {
            replica,
            pool: tarsy_queue::wary_pool(&host, own, options),
            reads: IntCounterVec::new(
                Opts::new(
                    "tarsy_history_reads_total",
                    "Reads of history by the server that was asked: replica, primary.",
                ),
                &["server"],
            )?,
            fallbacks: IntCounterVec::new(
                Opts::new(
                    "tarsy_history_fallbacks_total",
                    "Reads of history that went to the primary because the replica was away, behind, or failed.",
                ),
                &["reason"],
            )?,
            lag: Gauge::new(
                "tarsy_history_replica_lag_seconds",
                "For how long the primary has written something that the replica did not replay.",
            )?,
            up: Gauge::new(
                "tarsy_history_replica_up",
                "Whether the replica can be read from, however far it is behind.",
            )?,
        })
    }

    /// Adds its metrics; both labels of each counter are there from the start.
    pub(crate) fn register(&self, registry: &Registry) -> prometheus::Result<()> {
        for server in ["replica", "primary"] {
            self.reads.with_label_values(&[server]);
        }
        for reason in ["away", "behind", "failed"] {
            self.fallbacks.with_label_values(&[reason]);
        }
        registry.register(Box::new(self.reads.clone()))?;
        registry.register(Box::new(self.fallbacks.clone()))?;
        registry.register(Box::new(self.lag.clone()))?;
        registry.register(Box::new(self.up.clone()))
    }

    /// Brings the gauges up to date.
    pub(crate) fn measure(&self) {
        let standing = self.replica.standing();
        self.lag.set(standing.lag.as_secs_f64());
        self.up.set(f64::from(u8::from(standing.trouble.is_none())));
    }

    pub(crate) fn health(&self) -> ReplicaHealth {
        let standing = self.replica.standing();
        ReplicaHealth {
            status: match &standing.trouble {
                Some(_) => "unavailable",
                None if standing.lag > BEHIND => "behind",
                None => "healthy",
            },
            lag_seconds: standing.lag.as_secs_f64(),
            lag_bytes: standing.lag_bytes,
            message: standing.trouble.map(|trouble| trouble.to_string()),
        }
    }

    /// Asks the replica how far it is, for ever.
    pub(crate) async fn watch(&self) {
        self.replica.watch().await;
    }

    /// A connection to it, if this request may read from it and it has all that was written until now.
    pub(crate) async fn connection(&self, primary: &PgPool) -> Option<PoolConnection<Postgres>> {
        let used = USED.try_with(Arc::clone).ok()?;
        // Before it is asked how it stands: from then on it may be lost. A request may take several connections.
        let used_before = used.swap(true, Ordering::Relaxed);
        match self.caught_up(primary).await {
            Ok(conn) => {
                self.reads.with_label_values(&["replica"]).inc();
                Some(conn)
            }
            Err(unfit) => {
                used.store(used_before, Ordering::Relaxed);
                self.falls_back(match unfit {
                    Unfit::Away => "away",
                    Unfit::Behind => "behind",
                });
                None
            }
        }
    }

    async fn caught_up(&self, primary: &PgPool) -> Result<PoolConnection<Postgres>, Unfit> {
        self.replica.is_fit()?;
        let written = async { Lsn::written(&mut *primary.acquire().await?).await };
        let written = timeout(CONNECTING, written).await;
        let Ok(Ok(written)) = written else {
            // The primary will tell what it suffers from.
            return Err(Unfit::Behind);
        };
        let mut conn = self.pool.acquire().await.map_err(|_| Unfit::Away)?;
        Replica::reach(&mut conn, written, CATCHING_UP).await?;
        Ok(conn)
    }

    fn falls_back(&self, reason: &str) {
        self.reads.with_label_values(&["primary"]).inc();
        self.fallbacks.with_label_values(&[reason]).inc();
    }

    /// Resolves once the replica is lost that this request reads from.
    async fn lost(&self, used: &AtomicBool) {
        self.replica.lost().await;
        if !used.load(Ordering::Relaxed) {
            // It was lost before it was asked, so it won't be.
            std::future::pending::<()>().await;
        }
    }
}

/// Carries out a request, again on the primary if the replica fails in the middle of it: it conflicts with what it replays, is killed
/// or falls silent.
pub(crate) async fn read(
    replica: Option<&HistoryReplica>,
    request: Request,
    next: Next,
) -> Response {
    let may_read = |request: &Request| {
        matches!(*request.method(), Method::GET | Method::HEAD)
            && request.uri().path().starts_with(PREFIX)
    };
    let Some(replica) = replica.filter(|_| may_read(&request)) else {
        return next.run(request).await;
    };
    let (parts, body) = request.into_parts();
    let again = Request::from_parts(parts.clone(), Body::empty());
    let first = Request::from_parts(parts, body);
    let used = Arc::new(AtomicBool::new(false));
    let reading = USED.scope(Arc::clone(&used), next.clone().run(first));
    let response = tokio::select! {
        response = reading => Some(response),
        () = replica.lost(&used) => None,
    };
    match response {
        Some(response)
            if !(used.load(Ordering::Relaxed) && response.status().is_server_error()) =>
        {
            response
        }
        _ => {
            tracing::warn!(
                path = again.uri().path(),
                "the replica failed; reading history from the primary"
            );
            replica.falls_back("failed");
            next.run(again).await
        }
    }
}
