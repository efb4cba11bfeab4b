//! History: the API over a database of many sessions, and how Postgres found its answers.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use reqwest::Client;
use serde_json::Value;
use sqlx::PgPool;
use tarsy_testing::TestDb;
use tarsy_testing::process::{Process, Program};

use crate::report::{Figure, percentile};
use crate::{database, ingest, seed};

/// How much to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Sessions to seed a database of its own with
    #[arg(long, default_value_t = 100_000)]
    sessions: i64,
    /// A seeded database to measure instead
    #[arg(long)]
    url: Option<String>,
    /// Requests of each kind
    #[arg(long, default_value_t = 200)]
    requests: usize,
}

/// Tables that grow with the number of sessions.
const LARGE: [&str; 5] = [
    "alert_sessions",
    "stage_executions",
    "llm_interactions",
    "mcp_interactions",
    "session_search",
];
/// Longest time for the 95th of 100 answers, in ms.
const GOAL: Option<f64> = Some(50.0);
const SEARCH_GOAL: Option<f64> = Some(300.0);

const ALERT_TYPES: [&str; 4] = [
    "KubePodCrashLooping",
    "HighMemory",
    "JobFailed",
    "BackupMissing",
];
const SEVERITIES: [&str; 4] = ["critical", "high", "warning", "info"];
/// From a text in every document to one in none.
const SEARCHES: [&str; 8] = [
    "does not become ready",
    "Overloaded",
    "team-17",
    "prod-3",
    "PVCPending",
    "10.0.24.",
    "pool timeout after 30 s`, 88",
    "nowhere at all",
];

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
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
    let known = known(&pool).await?;

    let before = scans(&pool).await?;
    let figures = {
        let (address, api) = start(url).await?;
        let figures = kinds(&address, &known, options.requests).await?;
        api.kill();
        figures
    };
    // A backend tells what it did when it ends.
    let mut scanned = scans(&pool).await?;
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        scanned = scans(&pool).await?;
    }
    let mut found = 0;
    for ((table, before), (_, after)) in before.iter().zip(&scanned) {
        if after > before {
            eprintln!("{table} was read from end to end {} times", after - before);
            found += after - before;
        }
    }
    ensure!(found == 0, "a large table was scanned sequentially");
    let mut figures = figures;
    figures.push(Figure::new(
        "history_sessions",
        known.sessions as f64,
        "rows",
        None,
    ));
    figures.push(Figure::new(
        "history_seq_scans",
        found as f64,
        "scans",
        Some(0.0),
    ));
    Ok(figures)
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

/// What the questions are made of.
struct Known {
    ids: Vec<String>,
    pods: Vec<String>,
    first_us: i64,
    last_us: i64,
    sessions: i64,
}

async fn known(pool: &PgPool) -> Result<Known> {
    let sessions: i64 = sqlx::query_scalar(
        "select reltuples::bigint from pg_class where oid = 'alert_sessions'::regclass",
    )
    .fetch_one(pool)
    .await?;
    let rows: Vec<(uuid::Uuid, Option<String>)> = sqlx::query_as(
        "select session_id, alert_data ->> 'pod' from alert_sessions tablesample system ($1) limit 500",
    )
    .bind((200_000.0 / sessions.max(1) as f32).clamp(0.1, 100.0))
    .fetch_all(pool)
    .await?;
    let (first_us, last_us): (i64, i64) =
        sqlx::query_as("select min(started_at_us), max(started_at_us) from alert_sessions")
            .fetch_one(pool)
            .await?;
    ensure!(!rows.is_empty(), "the database holds no sessions");
    Ok(Known {
        ids: rows.iter().map(|(id, _)| id.to_string()).collect(),
        pods: rows.into_iter().filter_map(|(_, pod)| pod).collect(),
        first_us,
        last_us,
        sessions,
    })
}

async fn kinds(address: &str, known: &Known, requests: usize) -> Result<Vec<Figure>> {
    let api = Api {
        http: Client::builder().build()?,
        base: format!("http://{address}"),
        requests,
    };
    let id = |n: usize| &known.ids[n * 7 % known.ids.len()];
    let mut figures = Vec::new();
    let mut add = |names: [&'static str; 2], millis: &[f64], goal: Option<f64>| {
        figures.push(Figure::new(names[0], percentile(millis, 0.50), "ms", None));
        figures.push(Figure::new(names[1], percentile(millis, 0.95), "ms", goal));
    };
    let list = "/api/v1/history/sessions";
    let millis = api
        .ask(|n| format!("{list}?page_size={}&page={}", 20 + n % 80, 1 + n % 5))
        .await?;
    add(["history_list_p50", "history_list_p95"], &millis, GOAL);
    let millis = api
        .ask(|n| format!("{list}?page_size=50&{}", filter(n, known)))
        .await?;
    add(["history_filter_p50", "history_filter_p95"], &millis, GOAL);
    let millis = api.deep(list, known).await?;
    add(["history_depth_p50", "history_depth_p95"], &millis, GOAL);
    let millis = api.ask(|n| format!("{list}/{}", id(n))).await?;
    add(["history_detail_p50", "history_detail_p95"], &millis, GOAL);
    let millis = api.ask(|n| format!("{list}/{}/summary", id(n))).await?;
    add(
        ["history_summary_p50", "history_summary_p95"],
        &millis,
        GOAL,
    );
    let millis = api
        .ask(|n| {
            let text = match n % 2 {
                0 => known.pods[n * 3 % known.pods.len()].clone(),
                _ => SEARCHES[n / 2 % SEARCHES.len()].replace(' ', "%20"),
            };
            let more = if n % 5 == 0 { "&severity=critical" } else { "" };
            format!("/api/v1/history/search?q={text}{more}")
        })
        .await?;
    add(
        ["history_search_p50", "history_search_p95"],
        &millis,
        SEARCH_GOAL,
    );
    let millis = api
        .ask(|n| format!("/api/v1/history/metrics?hours={}", [1, 24, 168, 720][n % 4]))
        .await?;
    add(
        ["history_metrics_p50", "history_metrics_p95"],
        &millis,
        GOAL,
    );
    let millis = api
        .ask(|n| format!("/api/v1/history/facets?{}", facet(n)))
        .await?;
    add(["history_facets_p50", "history_facets_p95"], &millis, None);
    let millis = api
        .ask(|n| {
            let paths = [
                "/api/v1/history/filter-options",
                "/api/v1/history/active-sessions",
                "/health",
            ];
            paths[n % 3].to_owned()
        })
        .await?;
    add(["history_others_p50", "history_others_p95"], &millis, GOAL);
    Ok(figures)
}

/// Each filter alone and some together, over all of the time and over parts of it.
fn filter(n: usize, known: &Known) -> String {
    let alert_type = ALERT_TYPES[n / 9 % ALERT_TYPES.len()];
    let severity = SEVERITIES[n / 9 % SEVERITIES.len()];
    let span = (known.last_us - known.first_us) / 100;
    let from = known.first_us + span * i64::try_from(n % 90).unwrap_or(0);
    match n % 9 {
        0 => format!("alert_type={alert_type}"),
        1 => "status=failed".to_owned(),
        2 => format!("severity={severity}&status=failed&status=cancelled"),
        3 => "outcome=partial&page=3".to_owned(),
        4 => format!("agent_type=chain:chain-{}", n / 9 % 20),
        5 => format!("start_date_us={from}&end_date_us={}", from + 5 * span),
        6 => format!("alert_type={alert_type}&severity={severity}&start_date_us={from}"),
        7 => "sort_by=duration_ms&sort_order=desc&status=completed".to_owned(),
        _ => format!("status=failed&alert_type={alert_type}&sort_by=completed_at_us"),
    }
}

/// As the list's filters are opened.
fn facet(n: usize) -> String {
    match n % 3 {
        0 => String::new(),
        1 => format!("severity={}", SEVERITIES[n % SEVERITIES.len()]),
        _ => format!(
            "alert_type={}&status=failed",
            ALERT_TYPES[n % ALERT_TYPES.len()]
        ),
    }
}

/// One client that asks one thing after another.
struct Api {
    http: Client,
    base: String,
    requests: usize,
}

impl Api {
    /// Milliseconds of each answer, sorted.
    async fn ask(&self, path: impl Fn(usize) -> String) -> Result<Vec<f64>> {
        let mut millis = Vec::with_capacity(self.requests);
        for n in 0..self.requests {
            millis.push(self.get(&path(n)).await?.1);
        }
        millis.sort_by(f64::total_cmp);
        Ok(millis)
    }

    /// Pages by cursor, from places all over the table.
    async fn deep(&self, list: &str, known: &Known) -> Result<Vec<f64>> {
        let (mut millis, mut cursor) = (Vec::with_capacity(self.requests), None::<String>);
        for n in 0..self.requests {
            let path = match &cursor {
                Some(cursor) if n % 10 != 0 => format!("{list}?page_size=50&cursor={cursor}"),
                _ => {
                    let part = i64::try_from(n).unwrap_or(0) * 61 % 100;
                    let at = known.last_us - (known.last_us - known.first_us) / 100 * part;
                    format!("{list}?page_size=50&cursor={at}_{}", uuid::Uuid::max())
                }
            };
            let (page, took) = self.get(&path).await?;
            millis.push(took);
            cursor = page
                .pointer("/pagination/next_cursor")
                .and_then(Value::as_str)
                .map(str::to_owned);
        }
        millis.sort_by(f64::total_cmp);
        Ok(millis)
    }

    async fn get(&self, path: &str) -> Result<(Value, f64)> {
        let begun = Instant::now();
        let answer = self.http.get(format!("{}{path}", self.base)).send().await?;
        let status = answer.status();
        let body = answer.bytes().await?;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        if !status.is_success() {
            bail!("GET {path}: {status}: {}", String::from_utf8_lossy(&body));
        }
        Ok((serde_json::from_slice(&body).unwrap_or_default(), took))
    }
}

/// How often each large table has been read from end to end.
async fn scans(pool: &PgPool) -> Result<Vec<(String, i64)>> {
    Ok(sqlx::query_as(
        "select relname::text, seq_scan from pg_stat_user_tables where relname = any($1) order by relname",
    )
    .bind(LARGE.map(str::to_owned).to_vec())
    .fetch_all(pool)
    .await?)
}
