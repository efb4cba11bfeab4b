//! Throughput of the real API process: alerts of two kilobytes over keep-alive connections.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::{Result, bail};
use tarsy_testing::process::Program;

use crate::report::{Figure, percentile};
use crate::{database, floor, limits, load};

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Duration of the load, in seconds
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Number of keep-alive connections
    #[arg(long, default_value_t = 32)]
    connections: usize,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let seconds = u32::try_from(options.seconds)?;
    let limit = {
        let db = database::fresh().await?;
        limits::single_row_ingest(
            db.pool(),
            db.url(),
            u32::try_from(options.connections)?,
            seconds,
        )
        .await?
    };
    let floor = floor::ingest(options.connections, options.seconds, alert).await?;
    let db = database::fresh().await?;
    database::vacuum_and_checkpoint(db.pool()).await?;
    let address = free_address()?;
    let _api = Program::new("ingest-api")
        .env("DATABASE_URL", db.url())
        .env("TARSY_LISTEN", &address)
        .env("OPENAI_API_KEY", "not-used")
        .env("LOG_LEVEL", "warning")
        // No worker runs, and a fast machine exceeds the default limit.
        .env("TARSY_BACKLOG_LIMIT", "1000000")
        .start()?;
    ready(&address).await?;

    let idle = load::post(&address, "/alerts", 1, Duration::from_secs(2), alert).await?;
    let run = load::post(
        &address,
        "/alerts",
        options.connections,
        Duration::from_secs(options.seconds),
        alert,
    )
    .await?;
    if run.refused > 0 {
        bail!(
            "{} of {} alerts were refused",
            run.refused,
            run.refused + run.accepted
        );
    }
    let committed: i64 = sqlx::query_scalar("select count(*) from alert_sessions")
        .fetch_one(db.pool())
        .await?;
    if committed != i64::try_from(run.accepted + idle.accepted)? {
        bail!(
            "{} alerts were acknowledged and {committed} committed",
            run.accepted + idle.accepted
        );
    }
    let rate = run.accepted as f64 / run.seconds;
    Ok(vec![
        Figure::new("ingest_rps", rate, "req/s", Some(limit)),
        Figure::new("ingest_rps_floor", rate, "req/s", Some(floor)),
        Figure::new("ingest_p50", percentile(&run.millis, 0.50), "ms", None),
        Figure::new(
            "ingest_p99",
            percentile(&run.millis, 0.99),
            "ms",
            Some(15.0),
        ),
        Figure::new(
            "ingest_idle_p50",
            percentile(&idle.millis, 0.50),
            "ms",
            None,
        ),
    ])
}

/// Creates alerts with different content, so that none is a duplicate.
fn alert(n: usize) -> String {
    let (data, run) = (limits::alert_data(), std::process::id());
    let data = data.trim_start_matches('{');
    format!(
        r#"{{"alert_type":"kubernetes","runbook":"https://github.com/example/runbooks/blob/main/a.md","severity":"warning","data":{{"number":"{run}-{n}-{}",{data}}}"#,
        uuid::Uuid::now_v7()
    )
}

pub(crate) fn free_address() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}

pub(crate) async fn ready(address: &str) -> Result<()> {
    for _ in 0..300 {
        if tokio::net::TcpStream::connect(address).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    bail!("the API did not listen within 15 s");
}
