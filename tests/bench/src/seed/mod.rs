//! A database as a fleet of some size leaves it: sessions with stages, interactions and
//! search documents, made by Postgres itself.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, PgPool};

/// Sessions of one statement.
const BATCH: i64 = 10_000;
/// Statements at the same time.
const CONNECTIONS: u32 = 2;
/// Documents that one step of the search index reads.
const DOCUMENTS: i64 = 20_000;

/// What to make, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Sessions to make; each has about ten interactions
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(i64).range(1..=100_000_000))]
    sessions: i64,
    /// The database; it is migrated first
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    url: String,
    /// Fill a database that holds sessions already
    #[arg(long)]
    add: bool,
}

/// `tarsy-bench seed`.
pub(crate) async fn run(options: &Options) -> Result<()> {
    let pool = pool(&options.url).await?;
    tarsy_store::MIGRATOR.run(&pool).await?;
    let filled: bool = sqlx::query_scalar("select exists (select from alert_sessions)")
        .fetch_one(&pool)
        .await?;
    if filled && !options.add {
        bail!("this database holds sessions already; seed an empty one, or say --add");
    }
    fill(&pool, options.sessions).await
}

async fn pool(url: &str) -> Result<PgPool> {
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .after_connect(|conn, _| {
            Box::pin(async move {
                sqlx::raw_sql("set synchronous_commit = off; set maintenance_work_mem = '1GB'")
                    .execute(&mut *conn)
                    .await?;
                // Rows that belong together are made together: a superuser need not have each checked.
                let _ = sqlx::raw_sql("set session_replication_role = replica")
                    .execute(&mut *conn)
                    .await;
                Ok(())
            })
        })
        .connect(url)
        .await
        .context("cannot connect to the database")?;
    Ok(pool)
}

/// Make `sessions` sessions in a migrated database.
pub(crate) async fn sessions(url: &str, sessions: i64) -> Result<()> {
    fill(&pool(url).await?, sessions).await
}

async fn fill(pool: &PgPool, sessions: i64) -> Result<()> {
    let begun = Instant::now();
    let say = |what: &str| eprintln!("{:>6.1} s  {what}", begun.elapsed().as_secs_f64());
    // Thrice as fast as keeping it while rows come.
    let trigrams: String = sqlx::query_scalar(
        "select indexdef from pg_indexes where schemaname = 'public' and indexname = 'session_search_document'",
    )
    .fetch_one(pool)
    .await?;
    sqlx::raw_sql("drop index session_search_document")
        .execute(pool)
        .await?;
    let made = make(pool, sessions, &say).await;
    if made.is_ok() {
        document(pool, &say).await?;
        tally(pool).await?;
        sum_up(pool).await?;
    }
    say("building the trigram index");
    sqlx::raw_sql(AssertSqlSafe(trigrams)).execute(pool).await?;
    made?;
    say("vacuum and analyze");
    sqlx::raw_sql("vacuum analyze").execute(pool).await?;
    let (rows, size): (i64, String) = sqlx::query_as(
        "select (select count(*) from llm_interactions) + (select count(*) from mcp_interactions),
                pg_size_pretty(pg_database_size(current_database()))",
    )
    .fetch_one(pool)
    .await?;
    say(&format!(
        "{sessions} sessions made; {rows} interactions, {size} in all"
    ));
    Ok(())
}

async fn make(pool: &PgPool, sessions: i64, say: &impl Fn(&str)) -> Result<()> {
    let salt = uuid::Uuid::now_v7().to_string();
    let step = usize::try_from(BATCH)?;
    let done = stream::iter((1..=sessions).step_by(step))
        .map(|first| {
            let salt = &salt;
            async move {
                sqlx::query(include_str!("sessions.sql"))
                    .bind(first)
                    .bind((first + BATCH - 1).min(sessions))
                    .bind(sessions)
                    .bind(salt)
                    .execute(pool)
                    .await
            }
        })
        .buffer_unordered(CONNECTIONS as usize);
    let mut made = 0;
    done.try_for_each(|_| {
        made = sessions.min(made + BATCH);
        if made % (10 * BATCH) == 0 || made == sessions {
            say(&format!("{made} of {sessions} sessions"));
        }
        async { Ok(()) }
    })
    .await?;
    Ok(())
}

/// Let the product's own indexer read them.
async fn document(pool: &PgPool, say: &impl Fn(&str)) -> Result<()> {
    sqlx::query("update search_cursor set started_at_us = 0, completed_at_us = 0")
        .execute(pool)
        .await?;
    let mut read = 0;
    loop {
        let mut conn = pool.acquire().await?;
        let more =
            tarsy_store::index_for_search(&mut conn, DOCUMENTS, Duration::ZERO, str::to_owned)
                .await?;
        if more == 0 {
            return Ok(());
        }
        let before = read / 100_000;
        read += more;
        if read / 100_000 > before {
            say(&format!("{read} documents for search"));
        }
    }
}

/// Let the product tally the ended sessions, from the first on.
async fn tally(pool: &PgPool) -> Result<()> {
    sqlx::query("update session_tallies_cursor set completed_at_us = 0")
        .execute(pool)
        .await?;
    let mut conn = pool.acquire().await?;
    while tarsy_store::tally_ended_sessions(&mut conn, DOCUMENTS, Duration::ZERO).await? > 0 {}
    Ok(())
}

/// Let the product sum up the past hours, from the first on.
async fn sum_up(pool: &PgPool) -> Result<()> {
    sqlx::query("update session_hours_state set rolled_until_us = 0, seen_until_us = 0")
        .execute(pool)
        .await?;
    loop {
        let mut tx = pool.begin().await?;
        let hours = tarsy_store::sum_up_hours(&mut tx, 24).await?;
        tx.commit().await?;
        if hours < 24 {
            return Ok(());
        }
    }
}
