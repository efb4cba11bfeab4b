//! Shared state of handlers.

use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use tarsy_boot::Readiness;
use tarsy_config::settings::{HistorySettings, IngestSettings};
use tarsy_intake::webhooks::Sns;
use tarsy_intake::{Bounds, Intake};
use tarsy_queue::Waker;
use tokio_util::sync::CancellationToken;

use crate::access::Authenticator;
use crate::alerts::rejected::Journal;
use crate::alerts::runbook_check::RunbookCheck;
use crate::alerts::upstreams::UpstreamHealth;
use crate::live::Hub;
use crate::problem::Problem;
use crate::server::body::LargeBodies;
use crate::server::catalog::Catalog;
use crate::server::metrics::Metrics;
use crate::server::screens::Screens;
use crate::sessions::HistoryReplica;
use crate::sessions::facets::RecentFacets;
use crate::sessions::totals::RecentTotals;

/// State of the HTTP service. Cheap to clone.
///
/// A request keeps the configuration that it began with. A later configuration is in the state of
/// later requests.
#[derive(Clone, Debug)]
pub(crate) struct AppState {
    /// Chains, webhook sources, providers.
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) runbooks: Arc<RunbookCheck>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) pool: PgPool,
    /// Connections that read history.
    pub(crate) history_pool: PgPool,
    /// Replica that history is read from, if not from the primary.
    pub(crate) replica: Option<HistoryReplica>,
    pub(crate) authenticator: Authenticator,
    pub(crate) intake: Intake,
    pub(crate) metrics: Metrics,
    /// Journal of rejected alerts.
    pub(crate) journal: Journal,
    pub(crate) hub: Hub,
    pub(crate) waker: Waker,
    /// Client of Amazon SNS.
    pub(crate) sns: Sns,
    pub(crate) facets: RecentFacets,
    /// Totals of long lists.
    pub(crate) totals: RecentTotals,
    /// Providers that fail every call.
    pub(crate) upstreams: UpstreamHealth,
    pub(crate) screens: Screens,
    pub(crate) ingest: IngestSettings,
    /// Large request bodies in memory.
    pub(crate) large_bodies: LargeBodies,
    pub(crate) history: HistorySettings,
    pub(crate) readiness: Readiness,
    /// Cancelled when the process is asked to end. Probes then report it, but requests are still accepted.
    pub(crate) leaving: CancellationToken,
    /// Cancelled after the drain delay. From then on no requests are accepted.
    pub(crate) draining: CancellationToken,
}

impl AppState {
    /// Creates the state of handlers that use this configuration.
    #[must_use]
    pub(crate) fn new(shared: Shared, catalog: Arc<Catalog>, runbooks: RunbookCheck) -> Self {
        Self {
            catalog,
            runbooks: Arc::new(runbooks),
            shared: Arc::new(shared),
        }
    }

    /// Returns the same state with another configuration.
    ///
    /// # Errors
    ///
    /// [`tarsy_runbook::Error`] if the runbook fetcher can't be set up. The configuration is then not used.
    pub(crate) fn with_catalog(&self, catalog: Arc<Catalog>) -> Result<Self, tarsy_runbook::Error> {
        Ok(Self {
            runbooks: Arc::new(RunbookCheck::new(catalog.runbooks())?),
            catalog,
            shared: Arc::clone(&self.shared),
        })
    }

    /// Returns whether the database answers now, regardless of its schema.
    pub(crate) async fn database_answers(&self) -> bool {
        self.readiness.check().await.database
    }

    /// Returns a connection for reading history. It leads to the replica if that has the data which
    /// this request must see.
    pub(crate) async fn history(&self) -> Result<PoolConnection<Postgres>, Problem> {
        if !self.history.enabled {
            return Err(Problem::HistoryDisabled);
        }
        if let Some(replica) = &self.replica
            && let Some(conn) = replica.connection(&self.pool).await
        {
            return Ok(conn);
        }
        Ok(self.history_pool.acquire().await?)
    }

    /// Returns the limits of an alert's JSON.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::from_settings(&self.ingest)
    }
}

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}
