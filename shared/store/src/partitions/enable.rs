//! Converts plain tables to partitioned ones while tarsy is running.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};

use super::bounds::aligned;
use super::ddl::{check_name, is_locked, run};
use super::swap::swap;
use super::{
    EVENTS_WIDTH, LOCK_TIMEOUT, PARTITIONABLE_TABLES, PartitionKey, PartitionableTable, catalog,
};
use crate::Error;

/// How often a lock is tried. With the pause in between this takes a minute.
const TRIES: u32 = 120;
const PAUSE: &str = "select pg_sleep(0.3)";

/// Reason why a table was not converted. Its conversion is undone; tables that were already converted stay
/// partitioned.
#[derive(Debug, thiserror::Error)]
pub enum EnablePartitionsError {
    /// Other transactions held locks on the table all the time.
    #[error(
        "`{0}` was in use for a minute: wait until long transactions on it have ended (pg_stat_activity, ordered by \
         xact_start), then run this again"
    )]
    Locked(&'static str),
    /// The check constraint that keeps rows below the bound was dropped or not validated.
    #[error(
        "the check `{0}` was dropped while rows were still checked: run this again; if it comes back, choose wider \
         partitions"
    )]
    CheckMissing(String),
    /// The database refused a statement.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<sqlx::Error> for EnablePartitionsError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Partitions each plain table of [`PARTITIONABLE_TABLES`]: interactions by ranges of `width`, events by numbers.
/// Calls `tell` with the progress. All rows are read once, without a lock that blocks others. Each table is then
/// locked for some milliseconds. If that takes longer, it is tried again.
///
/// # Errors
///
/// [`EnablePartitionsError`].
pub async fn enable(
    conn: &mut PgConnection,
    width: Duration,
    report: &mut (dyn FnMut(String) + Send),
) -> Result<(), EnablePartitionsError> {
    // No time limit, because reading all rows of a large table may take long.
    run(conn, "set statement_timeout = 0".to_owned()).await?;
    for table in PARTITIONABLE_TABLES {
        if catalog::read(conn, table).await?.is_partitioned() {
            report(format!("{}: partitioned already", table.name));
            continue;
        }
        let enabled = enable_one(conn, table, width, report).await;
        if enabled.is_err() {
            // If it stayed, the check would reject rows once they reach the bound. Chain workers drop it too.
            drop_check(conn, table).await?;
        }
        enabled?;
    }
    Ok(())
}

async fn enable_one(
    conn: &mut PgConnection,
    table: PartitionableTable,
    width: Duration,
    report: &mut (dyn FnMut(String) + Send),
) -> Result<(), EnablePartitionsError> {
    let name = table.name;
    let width = width_of(table.key, width);
    let position = catalog::position(conn, table.key).await?;
    // At least one width away, because new rows must stay below the bound until the table is swapped.
    let bound = aligned(position + width, width);
    let (check, literal) = (check_name(name), table.key.literal(bound));
    drop_check(conn, table).await?;
    let add = format!(
        "alter table {name} add constraint {check} check ({} < {literal}) not valid",
        table.column
    );
    under_lock(conn, table, Step::Run(&add)).await?;
    report(format!("{name}: reading all rows once"));
    run(
        conn,
        format!("alter table {name} validate constraint {check}"),
    )
    .await?;
    under_lock(conn, table, Step::Swap { bound, width }).await?;
    report(format!("{name}: partitioned; collecting statistics"));
    run(conn, format!("analyze {name}")).await?;
    Ok(())
}

/// A step that runs under a lock.
#[derive(Clone, Copy)]
enum Step<'a> {
    Run(&'a str),
    Swap { bound: i64, width: i64 },
}

/// Runs a step in a transaction, and repeats it until its locks are free.
async fn under_lock(
    conn: &mut PgConnection,
    table: PartitionableTable,
    step: Step<'_>,
) -> Result<(), EnablePartitionsError> {
    for _ in 0..TRIES {
        let mut tx = conn.begin().await?;
        run(&mut tx, LOCK_TIMEOUT.to_owned()).await?;
        let done = match step {
            Step::Run(statement) => run(&mut tx, statement.to_owned()).await,
            Step::Swap { bound, width } => {
                if !is_checked(&mut tx, table).await? {
                    return Err(EnablePartitionsError::CheckMissing(check_name(table.name)));
                }
                swap(&mut tx, table, bound, width).await
            }
        };
        match done {
            Ok(()) => return Ok(tx.commit().await?),
            Err(error) if is_locked(&error) => tx.rollback().await?,
            Err(error) => return Err(error.into()),
        }
        run(conn, PAUSE.to_owned()).await?;
    }
    Err(EnablePartitionsError::Locked(table.name))
}

async fn drop_check(
    conn: &mut PgConnection,
    table: PartitionableTable,
) -> Result<(), EnablePartitionsError> {
    let (name, check) = (table.name, check_name(table.name));
    let drop = format!("alter table {name} drop constraint if exists {check}");
    under_lock(conn, table, Step::Run(&drop)).await
}

/// Returns whether the check constraint exists and is validated, so that all rows are below its bound.
async fn is_checked(
    conn: &mut PgConnection,
    table: PartitionableTable,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists(select from pg_constraint
                  where conrelid = to_regclass($1) and conname = $2 and convalidated) as "checked!""#,
        table.name,
        check_name(table.name),
    )
    .fetch_one(conn)
    .await
}

fn width_of(key: PartitionKey, width: Duration) -> i64 {
    match key {
        PartitionKey::Time => i64::try_from(width.as_millis()).unwrap_or(i64::MAX / 1_024),
        PartitionKey::Number => EVENTS_WIDTH,
    }
}
