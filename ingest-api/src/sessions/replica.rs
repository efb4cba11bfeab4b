//! Reads history from a replica if there is one, and from the primary if the replica can't be used.
//!
//! A read from the replica includes everything that was committed before the request. A connection
//! is handed out only after the replica has replayed what the primary had written by then. So
//! callers see their own changes regardless of the process that answers. A page that received an
//! event also finds its data. If a request fails on the replica, it is run again on the primary.
//! Reasons: `docs/decisions/0052-history-from-a-replica.md`.

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
/// Longest wait for a connection to the replica, or to the primary for its position.
const CONNECTING: Duration = Duration::from_secs(1);
/// Lag above which the replica is reported as `behind`.
const BEHIND: Duration = Duration::from_secs(5);

/// Application name of the connections in `pg_stat_activity`.
const NAME: &str = "ingest-api history";

/// Prefix of the paths whose `GET` requests may be run twice.
const PREFIX: &str = "/api/v1/";

tokio::task_local! {
    /// Whether the current request reads from the replica. Not set for requests that must not.
    static USED: Arc<AtomicBool>;
}

/// The replica with its connections and metrics.
#[derive(Debug)]
pub(crate) struct HistoryReplica {
    replica: Replica,
    pool: PgPool,
    reads: IntCounterVec,
    fallbacks: IntCounterVec,
    lag: Gauge,
    up: Gauge,
}

/// Health of the replica from which history is read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplicaHealth {
    /// `healthy`, `behind` or `unavailable`. If it is not `healthy`, history is read from the primary.
    #[schema(example = "healthy")]
    status: &'static str,
    /// How long there have been writes that the replica has not replayed, in seconds.
    lag_seconds: f64,
    /// Bytes of the write-ahead log that the replica has not replayed; absent until they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_bytes: Option<u64>,
    /// Why the replica is unavailable.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl ReplicaHealth {
    pub(crate) fn is_healthy(&self) -> bool {
        self.status == "healthy"
    }
}

impl HistoryReplica {
    /// Creates a pool to the replica, with as many connections as history has to the primary.
    /// `pool` is the primary's pool.
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

    /// Registers the metrics. All label values of the counters exist from the start.
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

    /// Updates the gauges.
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

    /// Polls the replica's position; never returns.
    pub(crate) async fn watch(&self) {
        self.replica.watch().await;
    }

    /// Returns a connection to the replica, if this request may read from it and it has replayed
    /// all that was written until now.
    pub(crate) async fn connection(&self, primary: &PgPool) -> Option<PoolConnection<Postgres>> {
        let used = USED.try_with(Arc::clone).ok()?;
        // Set before the replica's state is checked, because it may be lost from then on. A request
        // may take several connections.
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
            // The caller then asks the primary, which reports the actual error.
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

    /// Resolves when the replica is lost while this request reads from it.
    async fn lost(&self, used: &AtomicBool) {
        self.replica.lost().await;
        if !used.load(Ordering::Relaxed) {
            // The replica was lost before this request used it, so the request will not use it.
            std::future::pending::<()>().await;
        }
    }
}

/// Runs a request. Runs it again on the primary if the replica fails meanwhile: a query conflicts
/// with replay, the replica is killed, or it stops responding.
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
