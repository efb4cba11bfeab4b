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
    /// The environment it was started in.
    pub environment: Environment,
    /// Its settings.
    pub settings: Settings,
    /// The fleet's configuration, as the process started.
    pub config: Arc<Config>,
    /// Connections to Postgres, made when first used.
    pub pool: PgPool,
    /// The same, for short transactions one after another.
    pub connections: Connections,
    /// Fired by SIGTERM and SIGINT.
    pub signals: Signals,
    telemetry: Telemetry,
    /// Until it runs; SIGHUP ends no process, so it is heard from the start.
    reloader: Option<(Reloader, Signal)>,
    reloading: Option<JoinHandle<()>>,
    sweeping: Option<Sweeping>,
    ops: Option<JoinHandle<()>>,
}

/// A sweeper at work.
struct Sweeping {
    stop: CancellationToken,
    run: JoinHandle<()>,
}

impl Process {
    /// Reads the configuration, sets up logs, prepares connections. Must be called inside a runtime.
    ///
    /// A process that reaches no MCP server need not be given their secrets: `variables` says
    /// whether each `${VAR}` of the configuration must be set.
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

    /// Where `DATABASE_URL` takes writes.
    ///
    /// # Errors
    ///
    /// [`Error::NoDatabase`], [`Error::DatabaseUrl`].
    pub fn primary(&self) -> Result<Primary, Error> {
        database::primary(&self.settings.database)
    }

    /// Where history is read from, if `HISTORY_DATABASE_URL` names a replica.
    ///
    /// # Errors
    ///
    /// [`Error::NoDatabase`], [`Error::DatabaseUrl`], [`Error::HistoryUrl`].
    pub fn replica(&self) -> Result<Option<Replica>, Error> {
        database::replica(&self.settings.database)
    }

    /// The URL that reaches Postgres itself.
    ///
    /// # Errors
    ///
    /// [`Error::NoDatabase`].
    pub fn direct_url(&self) -> Result<String, Error> {
        database::direct_url(&self.settings.database).map(str::to_owned)
    }

    /// Starts a sweeper, which runs until the process ends. Every process of the fleet runs one.
    ///
    /// It outlives the drain, so that a fleet that restarts is swept.
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

    /// Answers `/livez`, `/readyz` and `/metrics` until the process ends, on `TARSY_OPS_LISTEN`, else on
    /// this port of loopback.
    ///
    /// # Errors
    ///
    /// [`Error::Ops`] if an address that was set can't be had.
    pub async fn serve_ops(&mut self, default_port: u16) -> Result<(), Error> {
        let readiness = Readiness::new(self.pool.clone(), self.signals.stop.clone());
        let served = ops::serve(self.settings.ops_listen, default_port, readiness).await?;
        self.ops = served;
        Ok(())
    }

    /// Has a role of this process follow the configuration. `prepare` makes what it needs of a new one, or says why it
    /// can't; what it returns is called once every role is prepared, and has new work use it.
    pub fn on_reload(
        &mut self,
        prepare: impl Fn(&Arc<Config>) -> Result<Apply, BoxError> + Send + Sync + 'static,
    ) {
        if let Some((reloader, _)) = &mut self.reloader {
            reloader.roles.push(Box::new(prepare));
        }
    }

    /// Loads the configuration again on SIGHUP and when its file changes, until the process is told to end. Call it once
    /// all roles are there.
    pub fn follow_config(&mut self) {
        if let Some((reloader, hang_ups)) = self.reloader.take() {
            let stop = self.signals.stop.clone();
            self.reloading = Some(tokio::spawn(reloader.run(hang_ups, stop)));
        }
    }

    /// Stops the sweeper and flushes telemetry. The last call of a process.
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

/// What the environment says about logs and traces, as they are set up with.
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
