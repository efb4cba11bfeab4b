//! Vectors of chunks.

use std::collections::HashMap;

use sqlx::PgConnection;

use super::nearest;
use super::vector_bytes::{packed, unpacked};
use crate::error::Result;

/// A chunk without a vector.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct PendingChunk {
    pub(crate) chunk_id: i32,
    pub(crate) text: String,
}

/// Returns the next chunks after `after` that have no vector of a model.
pub(crate) async fn pending(
    connection: &mut PgConnection,
    model: &str,
    collections: &[i32],
    after: i32,
    limit: i64,
) -> Result<Vec<PendingChunk>> {
    let chunks = sqlx::query_as(
        "select c.chunk_id, c.text from knowledge.chunks c join knowledge.records r using (record_id)
          where r.collection_id = any($1) and c.chunk_id > $2
            and not exists (select 1 from knowledge.embeddings e where e.model = $3 and e.chunk_id = c.chunk_id)
          order by c.chunk_id limit $4",
    )
    .bind(collections)
    .bind(after)
    .bind(model)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(chunks)
}

/// Returns the number of chunks without a vector of a model.
pub(crate) async fn count_pending(
    connection: &mut PgConnection,
    model: &str,
    collections: &[i32],
) -> Result<i64> {
    let count = sqlx::query_scalar(
        "select count(*) from knowledge.chunks c join knowledge.records r using (record_id)
          where r.collection_id = any($1)
            and not exists (select 1 from knowledge.embeddings e where e.model = $2 and e.chunk_id = c.chunk_id)",
    )
    .bind(collections)
    .bind(model)
    .fetch_one(connection)
    .await?;
    Ok(count)
}

/// Stores vectors, except those of chunks that a load has replaced meanwhile.
pub(crate) async fn put(
    connection: &mut PgConnection,
    model: &str,
    vectors: &[(i32, Vec<f32>)],
) -> Result<()> {
    let ids: Vec<i32> = vectors.iter().map(|(id, _)| *id).collect();
    let dimensions: Vec<i32> = vectors
        .iter()
        .map(|(_, vector)| i32::try_from(vector.len()).unwrap_or(i32::MAX))
        .collect();
    let bytes: Vec<Vec<u8>> = vectors.iter().map(|(_, vector)| packed(vector)).collect();
    let dimension = vectors.first().map_or(0, |(_, vector)| vector.len());
    let indexed = nearest::takes(connection, dimension).await?;
    // Fill the column in the insert, because a later update would leave a dead row for each vector.
    let (column, value, list) = match indexed {
        true => (", nearest", ", v.nearest::halfvec", ", $5::text[]"),
        false => ("", "", ""),
    };
    let insert = format!(
        "insert into knowledge.embeddings (model, chunk_id, dimension, vector{column})
         select $1, v.chunk_id, v.dimension, v.vector{value}
           from unnest($2::int[], $3::int[], $4::bytea[]{list}) v (chunk_id, dimension, vector{column})
           join (select chunk_id from knowledge.chunks where chunk_id = any($2) for key share) c using (chunk_id)
         on conflict do nothing"
    );
    let mut insert = sqlx::query(sqlx::AssertSqlSafe(insert))
        .bind(model)
        .bind(ids)
        .bind(dimensions)
        .bind(bytes);
    if indexed {
        let texts: Vec<String> = vectors
            .iter()
            .map(|(_, vector)| nearest::text(vector))
            .collect();
        insert = insert.bind(texts);
    }
    insert.execute(connection).await?;
    Ok(())
}

/// Returns the vectors of those chunks that have one.
pub(crate) async fn vectors(
    connection: &mut PgConnection,
    model: &str,
    chunks: &[i32],
) -> Result<HashMap<i32, Vec<f32>>> {
    let rows: Vec<(i32, Vec<u8>)> = sqlx::query_as(
        "select chunk_id, vector from knowledge.embeddings where model = $1 and chunk_id = any($2)",
    )
    .bind(model)
    .bind(chunks)
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(id, bytes)| (id, unpacked(&bytes)))
        .collect())
}

/// Returns the dimension of a model's vectors, if there are any.
pub(crate) async fn dimension(connection: &mut PgConnection, model: &str) -> Result<Option<i32>> {
    let dimension =
        sqlx::query_scalar("select dimension from knowledge.embeddings where model = $1 limit 1")
            .bind(model)
            .fetch_optional(connection)
            .await?;
    Ok(dimension)
}

/// Deletes the vectors of all other models. Returns their number.
///
/// # Errors
///
/// [`crate::Error::Database`].
pub async fn drop_other_embeddings(connection: &mut PgConnection, model: &str) -> Result<u64> {
    let deletion = sqlx::query("delete from knowledge.embeddings where model <> $1").bind(model);
    Ok(deletion.execute(connection).await?.rows_affected())
}
