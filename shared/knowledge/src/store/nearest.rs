//! Index of vectors, if Postgres has pgvector. It finds the chunks nearest to a question among any number of chunks.
//!
//! The column `nearest` contains the vectors in half precision, only to find candidates. Scores use the full vectors.

mod find;

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};

use super::vector_bytes::unpacked;
use crate::error::Result;

pub(crate) use find::{NearestIndex, Walk};

/// Oldest supported version. It has scans that continue until enough rows are found, and the fixes of parallel builds.
const VERSION: [u32; 3] = [0, 8, 2];
/// Largest dimension that pgvector can index in half precision.
const MAX_DIMENSION: usize = 4_000;
/// Number of rows per transaction that fills the column.
const BATCH: i64 = 500;

/// Adds the column if this server has pgvector. Returns whether the column exists.
pub(super) async fn enable(connection: &mut PgConnection) -> Result<bool> {
    let offered: Option<String> = sqlx::query_scalar(
        "select coalesce(installed_version, default_version)
           from pg_available_extensions where name = 'vector'",
    )
    .fetch_optional(&mut *connection)
    .await?;
    if !offered.is_some_and(|version| is_new_enough(&version)) {
        return Ok(false);
    }
    // Without the right to create the extension, search compares only the chunks that words found.
    let mut savepoint = connection.begin().await?;
    let created = sqlx::query("create extension if not exists vector");
    if created.execute(&mut *savepoint).await.is_err() {
        savepoint.rollback().await?;
        return Ok(false);
    }
    savepoint.commit().await?;
    if !is_usable(connection).await? {
        return Ok(false);
    }
    // Both forms of a vector should stay in the row. By default, the longer one would be moved out of it (TOAST).
    sqlx::raw_sql(
        "alter table knowledge.embeddings add column if not exists nearest halfvec;
         alter table knowledge.embeddings set (toast_tuple_target = 8160)",
    )
    .execute(connection)
    .await?;
    Ok(true)
}

fn is_new_enough(version: &str) -> bool {
    let parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    parts.chain([0, 0]).take(3).ge(VERSION)
}

/// Whether the type can be referred to, because extensions may be in schemas that are not in the search path.
async fn is_usable(connection: &mut PgConnection) -> Result<bool> {
    let usable = sqlx::query_scalar("select to_regtype('halfvec') is not null");
    Ok(usable.fetch_one(connection).await?)
}

/// Indexes the vectors of a model, including those from before the column existed.
///
/// # Errors
///
/// [`crate::Error::Database`].
pub(crate) async fn index(
    connection: &mut PgConnection,
    model: &str,
    dimension: usize,
) -> Result<()> {
    if !takes(connection, dimension).await? {
        return Ok(());
    }
    let mut after = 0;
    while let Some(last) = fill(connection, model, after).await? {
        after = last;
    }
    let name = index_name(model, dimension);
    let valid: Option<bool> = sqlx::query_scalar(
        "select i.indisvalid from pg_index i where i.indexrelid = to_regclass('knowledge.' || $1)",
    )
    .bind(&name)
    .fetch_optional(&mut *connection)
    .await?;
    if valid == Some(true) {
        return Ok(());
    }
    if valid == Some(false) {
        let drop = format!("drop index concurrently if exists knowledge.{name}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(drop))
            .execute(&mut *connection)
            .await?;
    }
    let model = literal(connection, model).await?;
    let create = format!(
        "create index concurrently {name} on knowledge.embeddings
         using hnsw ((nearest::halfvec({dimension})) halfvec_cosine_ops) where model = {model}"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(create))
        .execute(connection)
        .await?;
    Ok(())
}

/// Whether the column exists and can hold vectors of this dimension.
pub(super) async fn takes(connection: &mut PgConnection, dimension: usize) -> Result<bool> {
    let has_column = sqlx::query_scalar(
        "select exists (select 1 from pg_attribute
                         where attrelid = to_regclass('knowledge.embeddings') and attname = 'nearest' and not attisdropped)",
    );
    Ok(dimension <= MAX_DIMENSION && has_column.fetch_one(connection).await?)
}

/// Fills the column of the next rows after `after`. Returns the chunk of the last one.
async fn fill(connection: &mut PgConnection, model: &str, after: i32) -> Result<Option<i32>> {
    let rows: Vec<(i32, Vec<u8>)> = sqlx::query_as(
        "select chunk_id, vector from knowledge.embeddings
          where model = $1 and chunk_id > $2 and nearest is null order by chunk_id limit $3",
    )
    .bind(model)
    .bind(after)
    .bind(BATCH)
    .fetch_all(&mut *connection)
    .await?;
    let ids: Vec<i32> = rows.iter().map(|(id, _)| *id).collect();
    let texts: Vec<String> = rows
        .iter()
        .map(|(_, bytes)| text(&unpacked(bytes)))
        .collect();
    sqlx::query(
        "update knowledge.embeddings e set nearest = v.vector::halfvec
           from unnest($2::int[], $3::text[]) v (chunk_id, vector)
          where e.model = $1 and e.chunk_id = v.chunk_id",
    )
    .bind(model)
    .bind(&ids)
    .bind(texts)
    .execute(connection)
    .await?;
    Ok(ids.last().copied())
}

/// Returns the name of the index of a model's vectors.
fn index_name(model: &str, dimension: usize) -> String {
    let mut name = "nearest_".to_owned();
    for byte in &Sha256::digest(model.as_bytes())[..6] {
        let _ = write!(name, "{byte:02x}");
    }
    let _ = write!(name, "_{dimension}");
    name
}

/// Returns a model's name as an SQL literal. The planner uses a partial index only if it can read the condition.
async fn literal(connection: &mut PgConnection, model: &str) -> Result<String> {
    let quoted = sqlx::query_scalar("select quote_literal($1)").bind(model);
    Ok(quoted.fetch_one(connection).await?)
}

/// Formats a vector as pgvector reads it.
pub(super) fn text(vector: &[f32]) -> String {
    let mut text = "[".to_owned();
    for (place, x) in vector.iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        let _ = write!(text, "{comma}{x}");
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::{index_name, is_new_enough, text};

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, expected) in [
            ("0.8.2", true),
            ("0.8.10", true),
            ("0.9", true),
            ("1.0.0", true),
            ("0.8.1", false),
            ("0.4.4", false),
            ("", false),
        ] {
            assert_eq!(is_new_enough(version), expected, "{version}");
        }
    }

    #[test]
    fn names_and_vectors_are_plain_sql() {
        let name = index_name("a'; drop table x; --", 384);
        assert!(
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
            "{name}"
        );
        assert_ne!(index_name("a", 384), index_name("b", 384));
        assert_eq!(text(&[0.5, -1.0, 1e-8]), "[0.5,-1,0.00000001]");
    }
}
