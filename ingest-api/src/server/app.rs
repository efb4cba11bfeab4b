//! The service: is built from settings and runs until shutdown.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use sqlx::PgPool;
use tarsy_boot::Readiness;
use tarsy_config::settings::{HistorySettings, IngestSettings};
use tarsy_intake::webhooks::Sns;
use tarsy_intake::{Intake, LoadShedder};
use tarsy_postgres::{Primary, Replica};
use tarsy_queue::{Waker, supervise};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::access::Authenticator;
use crate::alerts::rejected::Journal;
use crate::alerts::runbook_check::RunbookCheck;
use crate::alerts::upstreams::UpstreamHealth;
use crate::live::{Feed, Hub, pulse};
use crate::server::body::LargeBodies;
use crate::server::catalog::Catalog;
use crate::server::metrics::Metrics;
use crate::server::router::router;
use crate::server::screens::Screens;
use crate::server::serve;
use crate::server::state::{AppState, Shared};
use crate::sessions as history;
use crate::sessions::facets::RecentFacets;
use crate::sessions::totals::RecentTotals;

/// Send buffer of a connection; the kernel doubles it.
const SEND_BUFFER: u32 = 128 * 1024;

/// Error of starting or running the service.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A public address while access control is off.
    #[error(
        "`TARSY_LISTEN` is {0}, a public address, but `TARSY_AUTH` is off: \
         set `TARSY_AUTH=on`, or listen on 127.0.0.1"
    )]
    Exposed(SocketAddr),
    /// Setting up TLS to the identity provider failed.
    #[error("failed to set up token verification")]
    Tokens(#[source] reqwest::Error),
    /// Invalid Prometheus metrics.
    #[error("failed to set up metrics")]
    Metrics(#[from] prometheus::Error),
    /// Invalid masking patterns.
    #[error("invalid `alert_masking`: {0}")]
    Masking(String),
    /// Setting up the runbook fetcher failed.
    #[error("failed to set up the runbook fetcher")]
    Runbooks(#[from] tarsy_runbook::Error),
    /// The direct database URL is invalid.
    #[error("the direct URL of the database is not a PostgreSQL URL")]
    DirectUrl(#[source] tarsy_postgres::Error),
    /// The address is in use or not local.
    #[error("failed to listen on {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: std::io::Error,
    },
    /// The listener failed while serving.
    #[error("the HTTP server failed")]
    Serve(#[source] std::io::Error),
}

/// Configuration of the service.
#[derive(Debug)]
pub struct Config {
    /// Address and limits.
    pub ingest: IngestSettings,
    /// History settings.
    pub history: HistorySettings,
    /// Grace period of running requests on shutdown.
    pub drain_grace: Duration,
    /// Chains, webhook sources, providers; may change while the service runs.
    pub catalog: watch::Receiver<Arc<Catalog>>,
    /// The Postgres host that `pool` connects to.
    pub primary: Primary,
    /// Connection pool. The database need not be reachable yet.
    pub pool: PgPool,
    /// Replica that history is read from, if not from the primary.
    pub replica: Option<Replica>,
    /// Wakes chain workers; workers in this process are woken directly.
    pub waker: Waker,
}

/// The HTTP service, listening.
#[derive(Debug)]
pub struct App {
    listener: TcpListener,
    drain_grace: Duration,
    state: AppState,
    catalogs: watch::Receiver<Arc<Catalog>>,
    watch: Arc<LoadShedder>,
    primary: Primary,
    direct: Primary,
}

impl App {
    /// Binds the address. The database need not be reachable yet.
    ///
    /// # Errors
    ///
    /// [`Error::Exposed`], [`Error::Tokens`], [`Error::Metrics`], [`Error::Runbooks`] or [`Error::Listen`].
    pub async fn bind(config: Config) -> Result<Self, Error> {
        let address = config.ingest.listen;
        let authenticator = Authenticator::new(
            &config.ingest.access,
            &config.ingest.allowed_origins,
            config.pool.clone(),
        )
        .map_err(Error::Tokens)?;
        if authenticator.is_open() && !address.ip().is_loopback() {
            return Err(Error::Exposed(address));
        }
        let listener = listen(address).map_err(|source| Error::Listen { address, source })?;
        let mut catalogs = config.catalog;
        let catalog = Arc::clone(&catalogs.borrow_and_update());
        for note in &catalog.refusal_notes {
            tracing::warn!("{note}");
        }
        let watch = LoadShedder::new(config.ingest.backlog_limit);
        let intake = Intake::new(
            &config.primary,
            &config.pool,
            config.waker.clone(),
            watch.clone(),
        )?;
        let journal = Journal::new(catalog.masker().map_err(Error::Masking)?)?;
        let replica = config.replica;
        let replica = replica.map(|replica| history::HistoryReplica::new(replica, &config.pool));
        let replica = replica.transpose()?;
        let metrics = Metrics::new(intake.group_sizes(), journal.figures(), replica.as_ref())?;
        let leaving = CancellationToken::new();
        let readiness = Readiness::new(config.pool.clone(), leaving.clone());
        let runbooks = RunbookCheck::new(catalog.runbooks())?;
        let shared = Shared {
            metrics,
            journal,
            authenticator,
            waker: config.waker,
            intake,
            history_pool: history::connections(&config.primary, &config.pool),
            replica,
            pool: config.pool,
            screens: Screens::candidates(config.ingest.screens_dir.as_deref()),
            ingest: config.ingest,
            large_bodies: LargeBodies::default(),
            history: config.history,
            hub: Hub::default(),
            upstreams: UpstreamHealth::default(),
            facets: RecentFacets::default(),
            totals: RecentTotals::default(),
            sns: Sns::default(),
            readiness,
            leaving,
            draining: CancellationToken::new(),
        };
        Ok(Self {
            listener,
            drain_grace: config.drain_grace,
            state: AppState::new(shared, catalog, runbooks),
            catalogs,
            watch,
            direct: config.primary.clone(),
            primary: config.primary,
        })
    }

    /// Listens for events over this URL, which must reach Postgres directly. Without this call the
    /// pool's URL is used; if that leads to a pooler, events are polled.
    ///
    /// # Errors
    ///
    /// [`Error::DirectUrl`].
    pub fn listening_over(mut self, direct_url: &str) -> Result<Self, Error> {
        self.direct = Primary::from_url(direct_url).map_err(Error::DirectUrl)?;
        Ok(self)
    }

    /// The bound address, with the actual port.
    ///
    /// # Errors
    ///
    /// [`Error::Serve`] if the operating system fails.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        self.listener.local_addr().map_err(Error::Serve)
    }

    /// Serves requests until `stop` and for the drain delay after it. Then finishes the running
    /// ones, for at most the grace period or until `hurry`.
    ///
    /// # Errors
    ///
    /// [`Error::Serve`].
    pub async fn serve(
        self,
        stop: CancellationToken,
        hurry: CancellationToken,
    ) -> Result<(), Error> {
        let Self {
            listener,
            drain_grace,
            state,
            catalogs,
            watch,
            primary,
            direct,
        } = self;
        let draining = state.draining.clone();
        let database_watch = tokio::spawn({
            let (pool, draining) = (state.pool.clone(), draining.clone());
            supervise("the watch over the database", async move || {
                watch.run(&pool, &draining).await;
            })
        });
        let upstreams_watch = tokio::spawn({
            let (app, draining) = (state.clone(), draining.clone());
            supervise("the watch over LLM providers", async move || {
                app.upstreams.run(&app.history_pool, &draining).await;
            })
        });
        let replica_watch = tokio::spawn({
            let (app, draining) = (state.clone(), draining.clone());
            supervise("the watch over the replica", async move || {
                if let Some(replica) = &app.replica {
                    draining.run_until_cancelled(replica.watch()).await;
                }
            })
        });
        let key_refresh = tokio::spawn({
            let (authenticator, draining) = (state.authenticator.clone(), draining.clone());
            supervise("keeping keys fresh", async move || {
                authenticator.run(&draining).await
            })
        });
        let rejected_alerts = tokio::spawn({
            let (app, draining) = (state.clone(), draining.clone());
            supervise("keeping rejected alerts", async move || {
                app.journal.run(&app.pool, &draining).await;
            })
        });
        let feed = Feed::new(state.hub.clone(), &primary, &state.pool, direct);
        let live = tokio::spawn(feed.run(draining.clone()));
        let (states, current_state) = watch::channel(state.clone());
        let fleet_pulse = tokio::spawn({
            let (hub, draining) = (state.hub.clone(), draining.clone());
            supervise("the pulse of the fleet", async move || {
                pulse(&current_state, &hub, &draining).await;
            })
        });
        let begin_drain = {
            let (stop, hurry, draining) = (stop.clone(), hurry.clone(), draining.clone());
            let (leaving, delay) = (state.leaving.clone(), state.ingest.drain_delay);
            async move {
                stop.cancelled().await;
                leaving.cancel();
                let _ = hurry.run_until_cancelled(tokio::time::sleep(delay)).await;
                draining.cancel();
            }
        };
        let begin_drain = tokio::spawn(begin_drain);
        let connections = state.ingest.connections.clone();
        let (routers, current) = watch::channel(router(state));
        let reloading = tokio::spawn(follow(catalogs, states, routers));
        let overdue = async {
            draining.cancelled().await;
            tokio::select! {
                () = tokio::time::sleep(drain_grace) => {}
                () = hurry.cancelled() => {}
            }
        };
        tokio::select! {
            () = serve::serve(listener, &current, &connections, &draining) => {}
            () = overdue => tracing::warn!("requests are still running; aborting them"),
        }
        begin_drain.abort();
        reloading.abort();
        draining.cancel();
        for side_work in [
            database_watch,
            upstreams_watch,
            replica_watch,
            key_refresh,
            rejected_alerts,
            live,
            fleet_pulse,
        ] {
            let _ = side_work.await;
        }
        Ok(())
    }
}

/// Makes new requests use each newly loaded catalog.
async fn follow(
    mut catalogs: watch::Receiver<Arc<Catalog>>,
    states: watch::Sender<AppState>,
    routers: watch::Sender<Router>,
) {
    while catalogs.changed().await.is_ok() {
        let catalog = Arc::clone(&catalogs.borrow_and_update());
        let masker = catalog.masker();
        let state = states.borrow().with_catalog(catalog);
        match (state, masker) {
            (Ok(state), Ok(masker)) => {
                state.journal.mask_with(masker);
                routers.send_modify(|current| *current = router(state.clone()));
                states.send_replace(state);
            }
            // A reload checks both before it is applied, so these errors are not expected.
            (Err(error), _) => tracing::error!(?error, "runbook checks can't be set up"),
            (_, Err(error)) => tracing::error!(error, "the masking patterns can't be used"),
        }
    }
}

/// Binds an address. Connections inherit the send buffer's size. By default the system would keep
/// megabytes for each socket whose client does not read.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(1024)
}
