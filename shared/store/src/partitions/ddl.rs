//! Runs statements that change the structure of a table.

use sqlx::{AssertSqlSafe, PgConnection};

use super::{PartitionKey, PartitionableTable};

/// Runs a statement built from names and numbers of this code and the catalog.
pub(super) async fn run(tx: &mut PgConnection, statement: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(tx)
        .await
        .map(drop)
}

/// Returns whether a statement failed because it could not get a lock.
pub(super) fn is_locked(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code == "55P03") // lock_not_available
}

/// Returns the name of the check constraint that keeps all rows of a table below the bound of its first partition.
pub(super) fn check_name(table: &str) -> String {
    format!("{table}_below_next_partition")
}

/// Adds the partition of a range, and returns its name. It copies everything from `model`, another partition,
/// including unique indexes that exist only per partition.
pub(super) async fn add_partition(
    tx: &mut PgConnection,
    table: PartitionableTable,
    model: &str,
    from: i64,
    to: i64,
) -> Result<String, sqlx::Error> {
    let PartitionableTable { name, key, .. } = table;
    let suffix = match key {
        PartitionKey::Number => from.to_string(),
        PartitionKey::Time => sqlx::query_scalar!(
            r#"select to_char(to_timestamp($1::float8 / 1000) at time zone 'utc', 'YYYYMMDD') as "at!""#,
            from as f64
        )
        .fetch_one(&mut *tx)
        .await?,
    };
    let partition = format!("{name}_{suffix}");
    let (from, to) = (key.literal(from), key.literal(to));
    run(
        tx,
        format!("create table {partition} (like {model} including all excluding identity)"),
    )
    .await?;
    run(
        tx,
        format!(
            "alter table {name} attach partition {partition} for values from ({from}) to ({to})"
        ),
    )
    .await?;
    Ok(partition)
}

/// Adds the default partition. It takes rows that fit no other, after all chain workers were down for a long time.
pub(super) async fn add_default(
    tx: &mut PgConnection,
    table: PartitionableTable,
    model: &str,
) -> Result<(), sqlx::Error> {
    let name = table.name;
    run(
        tx,
        format!("create table {name}_default (like {model} including all excluding identity)"),
    )
    .await?;
    run(
        tx,
        format!("alter table {name} attach partition {name}_default default"),
    )
    .await
}
