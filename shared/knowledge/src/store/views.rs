//! SQL views of collections, with a typed column for each field.

use std::fmt::Write as _;

use sqlx::{AssertSqlSafe, PgConnection};

use crate::error::Result;
use crate::mapping::{Mapping, ValueKind};

/// Creates or replaces the view of a collection. Its names are validated and need no quotes.
pub(super) async fn make(
    connection: &mut PgConnection,
    collection_id: i32,
    name: &str,
    mapping: &Mapping,
) -> Result<()> {
    drop(connection, name).await?;
    let mut columns = "record_key".to_owned();
    for field in &mapping.fields {
        let name = &field.name;
        let _ = match field.kind {
            ValueKind::Text => write!(columns, ", fields ->> '{name}' as \"{name}\""),
            kind => write!(
                columns,
                ", (fields ->> '{name}')::{} as \"{name}\"",
                kind.sql()
            ),
        };
    }
    let view = format!(
        "create view knowledge_views.\"{name}\" as select {columns} from knowledge.records where collection_id = {collection_id}"
    );
    sqlx::raw_sql(AssertSqlSafe(view))
        .execute(connection)
        .await?;
    Ok(())
}

/// Drops the view of a collection.
pub(super) async fn drop(connection: &mut PgConnection, name: &str) -> Result<()> {
    let statement = format!("drop view if exists knowledge_views.\"{name}\"");
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(connection)
        .await?;
    Ok(())
}
