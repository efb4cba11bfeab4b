//! Turns plain tables into partitioned ones while a fleet works on them.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};

use super::bounds::aligned;
use super::ddl::{check_name, is_locked, run};
use super::swap::swap;
use super::{
    EVENTS_WIDTH, LOCK_TIMEOUT, PARTITIONABLE_TABLES, PartitionKey, PartitionableTable, catalog,
};
use crate::Error;

/// Times a lock is asked for, and the pause between them: a minute in all.
const TRIES: u32 = 120;
const PAUSE: &str = "select pg_sleep(0.3)";

/// Why a table stays as it is. What was begun is taken back; other tables that were done stay partitioned.
#[derive(Debug, thiserror::Error)]
pub enum EnablePartitionsError {
    /// Others held the table all the time.
    #[error(
        "`{0}` was in use for a minute: wait until long transactions on it have ended (pg_stat_activity, ordered by \
         xact_start), then run this again"
    )]
    Locked(&'static str),
    /// The check that holds rows below the bound was dropped or not validated.
    #[error(
        "the check `{0}` was dropped while rows were still checked: run this again; if it comes back, choose wider \
         partitions"
    )]
    CheckGone(String),
    /// The database refused.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<sqlx::Error> for EnablePartitionsError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Partitions each table of [`PARTITIONABLE_TABLES`] that is plain: interactions by ranges of `width`, events by
/// numbers. `tell` hears what is done. Rows are read once, without a lock that others wait for; each table is locked for
/// some milliseconds, and asked for again if that takes longer.
///
/// # Errors
///
/// [`EnablePartitionsError`].
pub async fn enable(
    conn: &mut PgConnection,
    width: Duration,
    tell: &mut (dyn FnMut(String) + Send),
) -> Result<(), EnablePartitionsError> {
    // Reading all rows of a large table takes as long as it takes.
    run(conn, "set statement_timeout = 0".to_owned()).await?;
    for table in PARTITIONABLE_TABLES {
        if catalog::read(conn, table).await?.is_partitioned() {
            tell(format!("{}: partitioned already", table.name));
            continue;
        }
        let enabled = enable_one(conn, table, width, tell).await;
        if enabled.is_err() {
            // Left behind, it would refuse rows once they reach the bound. Chain workers drop it too.
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
    tell: &mut (dyn FnMut(String) + Send),
) -> Result<(), EnablePartitionsError> {
    let name = table.name;
    let width = width_of(table.key, width);
    let position = catalog::position(conn, table.key).await?;
    // At least one width away: new rows must stay below it until the table is swapped.
    let bound = aligned(position + width, width);
    let (check, literal) = (check_name(name), table.key.literal(bound));
    drop_check(conn, table).await?;
    let add = format!(
        "alter table {name} add constraint {check} check ({} < {literal}) not valid",
        table.column
    );
    under_lock(conn, table, Step::Run(&add)).await?;
    tell(format!("{name}: reading all rows once"));
    run(
        conn,
        format!("alter table {name} validate constraint {check}"),
    )
    .await?;
    under_lock(conn, table, Step::Swap { bound, width }).await?;
    tell(format!("{name}: partitioned; collecting statistics"));
    run(conn, format!("analyze {name}")).await?;
    Ok(())
}

/// What is done while others wait.
#[derive(Clone, Copy)]
enum Step<'a> {
    Run(&'a str),
    Swap { bound: i64, width: i64 },
}

/// Does a step in a transaction, again and again until its locks are free.
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
                    return Err(EnablePartitionsError::CheckGone(check_name(table.name)));
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

/// Whether the check that a killed [`enable`] left stands, and has held all rows below its bound.
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
