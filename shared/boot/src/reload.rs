//! Reloads the configuration on SIGHUP and when its file has changed (docs/decisions/0033-reload.md).

use std::sync::Arc;

use tarsy_config::{Config, Environment, Problems, Settings, Source, Variables};
use tokio::signal::unix::Signal;
use tokio_util::sync::CancellationToken;

use crate::file_watch::FileWatch;
use crate::log_filter::LogControl;

/// An error with which a role rejects a configuration.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Switches to a prepared configuration. It can't fail.
pub type Apply = Box<dyn FnOnce() + Send>;

/// Builds what a role needs from a configuration, without switching to it yet.
type Prepare = Box<dyn Fn(&Arc<Config>) -> Result<Apply, BoxError> + Send + Sync>;

/// Reason why the configuration was not reloaded.
enum Refused {
    /// The mistakes of the file.
    Problems(Problems),
    /// A role can't work with it.
    Role(BoxError),
}

/// Reloads the configuration for all roles of a process. Either all of them switch to the new one, or none does.
pub(crate) struct Reloader {
    pub(crate) environment: Environment,
    pub(crate) settings: Settings,
    pub(crate) variables: Variables,
    pub(crate) roles: Vec<Prepare>,
    pub(crate) logs: LogControl,
    /// Hash of the file that the process started with.
    pub(crate) started_with: String,
}

impl Reloader {
    /// Reloads on changes until `stop` is cancelled.
    pub(crate) async fn run(self, mut hang_ups: Signal, stop: CancellationToken) {
        let reloader = Arc::new(self);
        let mut watch = FileWatch::new(&reloader.settings, &reloader.started_with);
        loop {
            let trigger = tokio::select! {
                () = stop.cancelled() => return,
                Some(()) = hang_ups.recv() => "SIGHUP",
                () = watch.changed() => "the file has changed",
            };
            watch.take_as_loaded();
            let reloader = Arc::clone(&reloader);
            // Reading the file and compiling patterns takes some milliseconds, which must not block the runtime's
            // threads.
            let loading = tokio::task::spawn_blocking(move || reloader.reload(trigger));
            if let Err(error) = loading.await {
                tarsy_metrics::config::reload_failed();
                tracing::error!(
                    ?error,
                    "loading the configuration panicked; the process goes on with the one it has"
                );
            }
        }
    }

    fn reload(&self, trigger: &'static str) {
        match self.prepare() {
            Ok((config, applies)) => {
                self.logs.follow(&config);
                applies.into_iter().for_each(|apply| apply());
                tarsy_metrics::config::loaded(&config.hash);
                for warning in &config.warnings {
                    tracing::warn!(config.source = %config.source, "{warning}");
                }
                tracing::info!(
                    trigger, config.source = %config.source, config.hash,
                    "the configuration was loaded again; new work uses it"
                );
            }
            Err(refused) => {
                tarsy_metrics::config::reload_failed();
                refused.log(trigger);
            }
        }
    }

    fn prepare(&self) -> Result<(Arc<Config>, Vec<Apply>), Refused> {
        let source = Source::chosen_by(&self.settings);
        // Files with secrets may have been replaced, so read them again.
        let environment = self.environment.reread();
        let config =
            Config::load_with(&source, &environment, self.variables).map_err(Refused::Problems)?;
        let config = Arc::new(config);
        let prepared = self.roles.iter().map(|prepare| prepare(&config));
        let applies = prepared.collect::<Result<_, _>>().map_err(Refused::Role)?;
        Ok((config, applies))
    }
}

impl Refused {
    /// Logs one line for each mistake, so that a log query finds it.
    fn log(&self, trigger: &'static str) {
        match self {
            Self::Problems(problems) => {
                for problem in problems.iter() {
                    tracing::error!(
                        config.file = problem.file,
                        config.line = problem.at.line,
                        config.column = problem.at.column,
                        hint = problem.hint,
                        "configuration not loaded: {}",
                        problem.message
                    );
                }
                let mistakes = problems.len();
                tracing::error!(
                    trigger,
                    mistakes,
                    "the configuration has mistakes; the process goes on with the one it has"
                );
            }
            Self::Role(error) => tracing::error!(
                trigger,
                ?error,
                "the configuration can't be used; the process goes on with the one it has"
            ),
        }
    }
}
