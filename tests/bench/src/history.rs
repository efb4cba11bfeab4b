//! Latency of the history API over many sessions, and the plans of its statements.

mod known_values;
mod plans;
mod requests;
mod scans;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use reqwest::Client;
use tarsy_testing::TestDb;
use tarsy_testing::process::{Process, Program};

use crate::report::{Figure, Printer, percentile};
use crate::{database, ingest, seed};
use known_values::Known;
use requests::Kind;

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of sessions to seed a separate database with
    #[arg(long, default_value_t = 100_000)]
    sessions: i64,
    /// URL of a seeded database to measure instead
    #[arg(long)]
    url: Option<String>,
    /// Number of requests of each kind
    #[arg(long, default_value_t = 200)]
    requests: usize,
    /// Time limit for the requests of one kind, in seconds; the figure covers the requests answered by then
    #[arg(long, default_value_t = 30)]
    seconds: u64,
}

/// Request timeout.
const ANSWER: Duration = Duration::from_secs(30);
/// Number of requests of each kind that only warm caches.
const WARM_UP: usize = 20;

/// Number of requests of each kind whose statements are explained.
const EXPLAINED: usize = 60;

/// Measures each kind with a separate API process, so that table scans can be attributed to the kind. Then repeats the
/// requests with a process whose statements are explained.
pub(crate) async fn measure(options: &Options, printer: &mut Printer) -> Result<()> {
    let own: Option<TestDb> = match &options.url {
        Some(_) => None,
        None => Some(database::fresh().await?),
    };
    if let Some(db) = &own {
        seed::sessions(db.url(), options.sessions).await?;
    }
    let url = own
        .as_ref()
        .map(TestDb::url)
        .or(options.url.as_deref())
        .context("a database")?;
    let pool = database::pool(url, 1).await?;
    let known = Known::read(&pool).await?;
    printer.print(Figure::new(
        "history_sessions",
        known.sessions as f64,
        "rows",
        None,
    ));
    let mut found = 0;
    let shown = plans::are_shown(&pool).await;
    for kind in Kind::ALL {
        if shown {
            for (table, statement) in explain(url, kind, &known, options).await? {
                eprintln!(
                    "{}: planned to read {table} from end to end: {statement}",
                    kind.p95
                );
                found += 1;
            }
        }
        let before = scans::counted(&pool).await?;
        let (address, api) = start(url).await?;
        let millis = ask(&address, kind, &known, options).await?;
        api.kill();
        scans::await_disconnects(&pool).await?;
        for (table, times) in scans::since(&pool, &before).await? {
            eprintln!(
                "{}: {table} was read from end to end {times} times",
                kind.p95
            );
            found += times;
        }
        printer.print(Figure::new(kind.p50, percentile(&millis, 0.50), "ms", None));
        printer.print(Figure::new(
            kind.p95,
            percentile(&millis, 0.95),
            "ms",
            kind.goal,
        ));
    }
    printer.print(Figure::new(
        "history_seq_scans",
        found as f64,
        "scans",
        Some(0.0),
    ));
    ensure!(
        found == 0,
        "a large table was read from end to end, or was to be"
    );
    Ok(())
}

/// Returns the large tables that Postgres plans to scan for requests of this kind.
async fn explain(
    url: &str,
    kind: &Kind,
    known: &Known,
    options: &Options,
) -> Result<Vec<(&'static str, String)>> {
    let (address, api) = start(&plans::explained(url)).await?;
    let http = Client::builder().timeout(ANSWER).build()?;
    for n in 0..EXPLAINED.min(options.requests) {
        get(&http, &format!("http://{address}{}", (kind.path)(n, known))).await?;
    }
    let found = plans::read_whole(&api.log());
    api.kill();
    found
}

async fn start(url: &str) -> Result<(String, Process)> {
    let address = ingest::free_address()?;
    let api = Program::new("ingest-api")
        .env("DATABASE_URL", url)
        .env("TARSY_LISTEN", &address)
        .env("OPENAI_API_KEY", "not-used")
        .env("LOG_LEVEL", "warning")
        .start()?;
    ingest::ready(&address).await?;
    Ok((address, api))
}

/// Returns the latencies of one client with sequential requests, in ms, sorted.
async fn ask(address: &str, kind: &Kind, known: &Known, options: &Options) -> Result<Vec<f64>> {
    let http = Client::builder().timeout(ANSWER).build()?;
    let until = Instant::now() + Duration::from_secs(options.seconds);
    let mut slowest = (0.0, String::new());
    let mut millis = Vec::with_capacity(options.requests);
    for n in (0..WARM_UP.min(options.requests)).chain(0..options.requests) {
        if Instant::now() > until && !millis.is_empty() {
            eprintln!("{}: {} answers in time", kind.p95, millis.len());
            break;
        }
        let path = (kind.path)(n, known);
        let took = get(&http, &format!("http://{address}{path}")).await?;
        if n == 0 {
            millis.clear();
            slowest.0 = 0.0;
        }
        if took > slowest.0 {
            slowest = (took, path);
        }
        millis.push(took);
    }
    eprintln!("slowest: {:.1} ms  GET {}", slowest.0, slowest.1);
    millis.sort_by(f64::total_cmp);
    Ok(millis)
}

async fn get(http: &Client, url: &str) -> Result<f64> {
    let begun = Instant::now();
    let answer = http.get(url).send().await?;
    let status = answer.status();
    let body = answer.bytes().await?;
    if !status.is_success() {
        bail!("GET {url}: {status}: {}", String::from_utf8_lossy(&body));
    }
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}
