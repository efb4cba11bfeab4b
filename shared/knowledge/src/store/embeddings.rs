//! Vectors of chunks.

use std::collections::HashMap;

use sqlx::PgConnection;

use crate::error::Result;

/// A chunk without a vector.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct PendingChunk {
    pub(crate) chunk_id: i32,
    pub(crate) text: String,
}

/// The next chunks behind `after` that have no vector of a model.
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

/// Number of chunks without a vector of a model.
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

/// Keeps vectors; of chunks that a load has replaced meanwhile none.
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
    sqlx::query(
        "insert into knowledge.embeddings (model, chunk_id, dimension, vector)
         select $1, v.chunk_id, v.dimension, v.vector
           from unnest($2::int[], $3::int[], $4::bytea[]) v (chunk_id, dimension, vector)
           join (select chunk_id from knowledge.chunks where chunk_id = any($2) for key share) c using (chunk_id)
         on conflict do nothing",
    )
    .bind(model)
    .bind(ids)
    .bind(dimensions)
    .bind(bytes)
    .execute(connection)
    .await?;
    Ok(())
}

/// Vectors of chunks, as far as there are any.
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

/// Dimension of a model's vectors, if it has any.
pub(crate) async fn dimension(connection: &mut PgConnection, model: &str) -> Result<Option<i32>> {
    let dimension =
        sqlx::query_scalar("select dimension from knowledge.embeddings where model = $1 limit 1")
            .bind(model)
            .fetch_optional(connection)
            .await?;
    Ok(dimension)
}

/// Deletes the vectors of all models but one. Returns their number.
///
/// # Errors
///
/// [`crate::Error::Database`].
pub async fn drop_other_embeddings(connection: &mut PgConnection, model: &str) -> Result<u64> {
    let gone = sqlx::query("delete from knowledge.embeddings where model <> $1").bind(model);
    Ok(gone.execute(connection).await?.rows_affected())
}

fn packed(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub(super) fn unpacked(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.as_chunks::<4>().0.iter();
    numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect()
}
