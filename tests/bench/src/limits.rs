//! Limits of Postgres on this machine with minimal SQL, by pgbench.
//!
//! The benchmark creates and drops these tables. Their rows have none of the product's indexes, checks and events, so
//! the figure is an upper limit and not a competing design.

use std::io::Write as _;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use sqlx::PgPool;

const TABLES: &str = "
    create schema if not exists floor;
    drop table if exists floor.session, floor.job, floor.stage;
    create table floor.session (id uuid primary key default gen_random_uuid(), payload jsonb not null,
                                status text not null default 'pending', finished_at timestamptz);
    create table floor.job (id bigint generated always as identity primary key, sid uuid not null, stage int not null,
                            state int not null default 0, epoch int not null default 0, owner text,
                            lease_until timestamptz);
    create index on floor.job (id) where state = 0;
    create table floor.stage (sid uuid not null, stage int not null, status text not null, owner text,
                              started_at timestamptz default clock_timestamp(), finished_at timestamptz, output jsonb,
                              primary key (sid, stage));
";

/// Returns an alert of about two kilobytes, as in the posted requests.
pub(crate) fn alert_data() -> String {
    format!(
        r#"{{"cluster":"bench","namespace":"team-a","message":"{}"}}"#,
        "pod stuck in CrashLoopBackOff ".repeat(62)
    )
}

/// Creates the bare tables.
pub(crate) async fn prepare(pool: &PgPool) -> Result<()> {
    sqlx::raw_sql(TABLES).execute(pool).await?;
    Ok(())
}

/// Measures transactions per second, each of which inserts a session and its job, over `clients` connections.
pub(crate) async fn single_row_ingest(
    pool: &PgPool,
    url: &str,
    clients: u32,
    seconds: u32,
) -> Result<f64> {
    prepare(pool).await?;
    let data = alert_data();
    pgbench(
        url,
        &format!(
            "begin;\n\
             insert into floor.session (payload) values ('{data}'::jsonb);\n\
             insert into floor.job (sid, stage) values (gen_random_uuid(), 1);\n\
             commit;\n"
        ),
        clients,
        seconds,
    )
}

/// Measures stages per second, claimed and finished one at a time.
pub(crate) async fn single_row_stages(pool: &PgPool, url: &str, seconds: u32) -> Result<f64> {
    stages(pool, url, 1, 20, seconds).await
}

/// Measures stages per second, claimed and finished fifty per transaction.
pub(crate) async fn batched_stages(pool: &PgPool, url: &str, seconds: u32) -> Result<f64> {
    Ok(stages(pool, url, 50, 2, seconds).await? * 50.0)
}

async fn stages(pool: &PgPool, url: &str, batch: u32, clients: u32, seconds: u32) -> Result<f64> {
    prepare(pool).await?;
    let rows = 600_000;
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
        "insert into floor.job (sid, stage) select gen_random_uuid(), 2 from generate_series(1, {rows}); analyze floor.job"
    )))
    .execute(pool)
    .await?;
    pgbench(
        url,
        &format!(
            "with c as (select id from floor.job where state = 0 order by id limit {batch} for update skip locked),\n\
               u as (update floor.job j set state = 1, epoch = epoch + 1, owner = :client_id::text,\n\
                     lease_until = clock_timestamp() + interval '60 s' from c where j.id = c.id returning j.sid, j.stage)\n\
             insert into floor.stage (sid, stage, status, owner) select sid, stage, 'active', :client_id::text from u;\n\
             with x as (delete from floor.job where id in (select id from floor.job where state = 1 and\n\
                          owner = :client_id::text order by id limit {batch}) returning sid, stage),\n\
               s as (update floor.stage t set status = 'completed', finished_at = clock_timestamp(),\n\
                     output = '{{\"result\":\"done\"}}' from x where t.sid = x.sid and t.stage = x.stage)\n\
             insert into floor.job (sid, stage) select sid, stage + 1 from x;\n"
        ),
        clients,
        seconds,
    )
}

/// Returns the transactions per second of a script.
fn pgbench(url: &str, script: &str, clients: u32, seconds: u32) -> Result<f64> {
    let program = tarsy_testing::tools::find("pgbench")
        .or_else(|| {
            ["18", "17", "16", "15"]
                .iter()
                .map(|v| std::path::PathBuf::from(format!("/usr/lib/postgresql/{v}/bin/pgbench")))
                .find(|path| path.exists())
        })
        .context("pgbench is not installed: apt-get install postgresql-contrib (or postgresql-15) brings it")?;
    let mut file = tempfile()?;
    file.1.write_all(script.as_bytes())?;
    let output = Command::new(program)
        .args([
            "-n",
            "-M",
            "prepared",
            "-j",
            "2",
            "-c",
            &clients.to_string(),
            "-T",
            &seconds.to_string(),
            "-f",
        ])
        .arg(&file.0)
        .arg(url)
        .env(
            "PGOPTIONS",
            "-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off",
        )
        .output()?;
    std::fs::remove_file(&file.0)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(rate) = text
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
    else {
        bail!(
            "pgbench gave no rate: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    Ok(rate)
}

fn tempfile() -> Result<(std::path::PathBuf, std::fs::File)> {
    let path = std::env::temp_dir().join(format!("tarsy-bench-{}.sql", std::process::id()));
    let file = std::fs::File::create(&path)?;
    Ok((path, file))
}
