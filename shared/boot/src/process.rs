//! Starts and ends a process of the fleet.

use std::sync::Arc;

use sqlx::PgPool;
use tarsy_config::settings::{LogFormat, LogSettings as ConfiguredLogs};
use tarsy_config::{Config, Environment, Settings, Source, Variables};
use tarsy_postgres::{Primary, Replica};
use tarsy_queue::{Connections, Sweeper, supervise};
use tarsy_telemetry::{LogSettings, Telemetry};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::log_filter::{LogControl, directives};
use crate::reload::{Apply, BoxError, Reloader};
use crate::{Error, Readiness, Signals, database, file_limit, ops};

/// A started process: settings, configuration, connections and signals.
pub struct Process {
    /// The environment that it was started in.
    pub environment: Environment,
    /// Its settings.
    pub settings: Settings,
    /// The fleet's configuration, as loaded at the start.
    pub config: Arc<Config>,
    /// Connections to Postgres, which are opened when first used.
    pub pool: PgPool,
    /// Connections of the same pool, for series of short transactions.
    pub connections: Connections,
    /// Set off by SIGTERM and SIGINT.
    pub signals: Signals,
    telemetry: Telemetry,
    /// Present until `follow_config` is called. SIGHUP is handled from the start, so that it never ends the process.
    reloader: Option<(Reloader, Signal)>,
    reloading: Option<JoinHandle<()>>,
    sweeping: Option<Sweeping>,
    ops: Option<JoinHandle<()>>,
}

/// A running sweeper.
struct Sweeping {
    stop: CancellationToken,
    run: JoinHandle<()>,
}

impl Process {
    /// Reads the configuration, sets up logs, and prepares connections. Must be called inside a runtime.
    ///
    /// `variables` states whether each `${VAR}` of the configuration must be set. A process that connects to no MCP
    /// server does not need the secrets of MCP servers.
    ///
    /// # Errors
    ///
    /// [`Error`], with every mistake in the configuration at once.
    pub fn start(service: &str, variables: Variables) -> Result<Self, Error> {
        let environment = Environment::of_process();
        tarsy_failpoint::obey(|variable| environment.value(variable));
        tarsy_telemetry::install_crypto();
        tarsy_metrics::start();
        tarsy_metrics::trace_id_by(tarsy_telemetry::current_trace_id);
        let settings = Settings::read(&environment)?;
        let telemetry = Telemetry::init(&logs(service, &settings.log))?;
        file_limit::raise();
        let hang_ups = signal(SignalKind::hangup()).map_err(Error::Signals)?;
        let config = Config::load_with(&Source::chosen_by(&settings), &environment, variables)?;
        let logs = LogControl::new(&settings.log, telemetry.filter());
        logs.follow(&config);
        tarsy_metrics::config::started(&config.hash);
        for warning in &config.warnings {
            tracing::warn!(config.source = %config.source, "{warning}");
        }
        tracing::info!(service, version = env!("CARGO_PKG_VERSION"), config.source = %config.source, config.hash, "starting");
        let pool = database::connect(&settings.database, service)?;
        let reloader = Reloader {
            environment: environment.clone(),
            settings: settings.clone(),
            variables,
            roles: Vec::new(),
            logs,
            started_with: config.hash.clone(),
        };
        Ok(Self {
            connections: Connections::shared(pool.clone()),
            pool,
            signals: Signals::listen()?,
            config: Arc::new(config),
            reloader: Some((reloader, hang_ups)),
            reloading: None,
            environment,
            settings,
            telemetry,
            sweeping: None,
            ops: None,
        })
    }

    /// Returns the primary that `DATABASE_URL` leads to: the host that accepts writes.
    ///
    /// # Errors
    ///
    /// [`Error::NoDatabase`], [`Error::DatabaseUrl`].
    pub fn primary(&self) -> Result<Primary, Error> {
        database::primary(&self.settings.database)
    }

    /// Returns the replica that history is read from, if `HISTORY_DATABASE_URL` names one.
    ///
    /// # Errors
    ///
    /// [`Error::NoDatabase`], [`Error::DatabaseUrl`], [`Error::HistoryUrl`].
    pub fn replica(&self) -> Result<Option<Replica>, Error> {
        database::replica(&self.settings.database)
    }

    /// Returns the URL that leads to Postgres without a pooler.
    ///
    /// # Errors
    ///
    /// [`Error::NoDatabase`].
    pub fn direct_url(&self) -> Result<String, Error> {
        database::direct_url(&self.settings.database).map(str::to_owned)
    }

    /// Starts a sweeper that runs until the process ends. Every process of the fleet runs one.
    ///
    /// It continues during the drain, so that dead processes are found even while the whole fleet restarts.
    ///
    /// # Errors
    ///
    /// [`Error::NoDatabase`], [`Error::Sweeper`].
    pub fn sweep(&mut self) -> Result<(), Error> {
        let sweeper = Sweeper::new(&self.direct_url()?).map_err(Error::Sweeper)?;
        let stop = CancellationToken::new();
        let ended = stop.clone();
        let run = tokio::spawn(supervise("the sweeper", async move || {
            sweeper.run(&ended).await;
        }));
        self.sweeping = Some(Sweeping { stop, run });
        Ok(())
    }

    /// Serves `/livez`, `/readyz` and `/metrics` until the process ends, on `TARSY_OPS_LISTEN` or else on this port of
    /// loopback.
    ///
    /// # Errors
    ///
    /// [`Error::Ops`] if a configured address is not available.
    pub async fn serve_ops(&mut self, default_port: u16) -> Result<(), Error> {
        let readiness = Readiness::new(self.pool.clone(), self.signals.stop.clone());
        let served = ops::serve(self.settings.ops_listen, default_port, readiness).await?;
        self.ops = served;
        Ok(())
    }

    /// Registers a role of this process for reloads. `prepare` builds what the role needs from a new configuration, or
    /// returns an error. The function that it returns is called once every role is prepared. It switches new work to
    /// the new configuration.
    pub fn on_reload(
        &mut self,
        prepare: impl Fn(&Arc<Config>) -> Result<Apply, BoxError> + Send + Sync + 'static,
    ) {
        if let Some((reloader, _)) = &mut self.reloader {
            reloader.roles.push(Box::new(prepare));
        }
    }

    /// Reloads the configuration on SIGHUP and when its file changes, until the process is asked to stop. Call it once
    /// all roles are registered.
    pub fn follow_config(&mut self) {
        if let Some((reloader, hang_ups)) = self.reloader.take() {
            let stop = self.signals.stop.clone();
            self.reloading = Some(tokio::spawn(reloader.run(hang_ups, stop)));
        }
    }

    /// Stops the sweeper and flushes telemetry. It is the last call of a process.
    pub async fn end(self) {
        if let Some(sweeping) = self.sweeping {
            sweeping.stop.cancel();
            let _ = sweeping.run.await;
        }
        if let Some(ops) = self.ops {
            ops.abort();
        }
        if let Some(reloading) = self.reloading {
            reloading.abort();
        }
        tracing::info!("stopped");
        self.telemetry.shutdown().await;
    }
}

/// Converts the settings of logs and traces.
fn logs(service: &str, configured: &ConfiguredLogs) -> LogSettings {
    let name = configured.service_name.clone();
    LogSettings {
        service_name: name.unwrap_or_else(|| service.to_owned()),
        format: match configured.format {
            LogFormat::Json => tarsy_telemetry::LogFormat::Json,
            LogFormat::Text => tarsy_telemetry::LogFormat::Text,
        },
        filter: directives(configured, None),
        otlp_endpoint: configured.otlp_endpoint.clone(),
    }
}
