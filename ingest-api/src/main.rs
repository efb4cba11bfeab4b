//! The `ingest-api` process.

use std::process::ExitCode;

use tarsy_config::{Environment, Settings, Source};
use tarsy_ingest_api::{App, Catalog, Config};
use tarsy_telemetry::{LogSettings, Telemetry};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(error.as_ref());
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let env = Environment::of_process();
    let logs = LogSettings::from_vars("ingest-api", |name| env.get(name).map(str::to_owned))?;
    let telemetry = Telemetry::init(&logs)?;
    let served = serve(&env).await;
    telemetry.shutdown().await;
    served
}

async fn serve(env: &Environment) -> Result<(), Failure> {
    let settings = Settings::read(env)?;
    let config = tarsy_config::Config::load(&Source::chosen_by(&settings), env)?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let pool = tarsy_ingest_api::connect(&settings.database)?;
    let app = App::bind(Config {
        ingest: settings.ingest,
        history: settings.history,
        catalog: Catalog::of(&config)?,
        pool,
    })
    .await?;
    tracing::info!(address = %app.address()?, "listening");
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    app.serve(stop).await?;
    tracing::info!("drained");
    Ok(())
}

/// Cancel `stop` at SIGTERM or SIGINT.
fn stop_on_signal(stop: CancellationToken) -> Result<(), Failure> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("asked to end; finishing the requests under way");
        stop.cancel();
    });
    Ok(())
}

#[expect(clippy::print_stderr, reason = "the log may not be on yet, and a person started this")]
fn report(error: &dyn std::error::Error) {
    eprintln!("ingest-api: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  because {error}");
        cause = error.source();
    }
}
