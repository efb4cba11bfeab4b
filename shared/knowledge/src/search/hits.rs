//! Search results.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use sqlx::PgConnection;
use sqlx::types::Json;

use super::score::ScoredChunk;
use crate::error::Result;
use crate::store::Collection;

/// A matching record with its best chunk.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Hit {
    /// Its collection.
    pub collection: String,
    /// Its key.
    pub key: String,
    /// Id of the matching chunk, for citations.
    pub chunk_id: i32,
    /// Number of the chunk within its record, from 0.
    pub chunk: i32,
    /// BM25 score of the chunk.
    pub score: f32,
    /// Number of identifiers of the question that match. Hits with more matches come first.
    pub exact: u32,
    /// Cosine of the vectors of question and chunk, if both have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<f32>,
    /// Both scores, each scaled to 0..1, weighted and added, if there are vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fused: Option<f32>,
    /// Rank by words among the candidates, from 1, if words found it and vectors were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_dense: Option<usize>,
    /// Score of the reranker. Hits without one come last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f32>,
    /// Rank before reranking, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_rerank: Option<usize>,
    /// Text of the chunk.
    pub text: String,
    /// Source file.
    pub source: String,
    /// Line in the source file.
    pub line: i64,
}

/// A chunk of a record.
#[derive(Clone, Debug, serde::Serialize, sqlx::FromRow)]
pub struct SearchChunk {
    /// Id for citations.
    pub chunk_id: i32,
    /// Its text.
    pub text: String,
}

/// A whole record.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Record {
    /// Its collection.
    pub collection: String,
    /// Its key.
    pub key: String,
    /// Values by field.
    pub fields: Map<String, Value>,
    /// Chunks, in order.
    pub chunks: Vec<SearchChunk>,
    /// Source file.
    pub source: String,
    /// Line in the source file.
    pub line: i64,
}

type Row = (i32, i64, i32, String, String, String, String, i64);
type RecordRow = (Json<Map<String, Value>>, String, i64, i32, i32);

/// Number of chunks read in addition to the wanted number of records, because some records have several.
const SPARE: usize = 10;

/// Reads the texts of the best chunks, in the same order, until there are enough records.
pub(super) async fn read(
    connection: &mut PgConnection,
    best: &[ScoredChunk],
    limit: usize,
) -> Result<Vec<Hit>> {
    let mut records = HashSet::new();
    let mut hits = Vec::new();
    for part in best.chunks(limit + SPARE) {
        read_part(connection, part, limit, &mut records, &mut hits).await?;
        if hits.len() == limit {
            break;
        }
    }
    Ok(hits)
}

async fn read_part(
    connection: &mut PgConnection,
    best: &[ScoredChunk],
    limit: usize,
    records: &mut HashSet<i64>,
    hits: &mut Vec<Hit>,
) -> Result<()> {
    let ids: Vec<i32> = best.iter().map(|scored| scored.chunk_id).collect();
    let rows: Vec<Row> = sqlx::query_as(
        "select c.chunk_id, c.record_id, c.ordinal, c.text, r.record_key, k.name, l.source, r.source_line
           from knowledge.chunks c
           join knowledge.records r on r.record_id = c.record_id
           join knowledge.collections k on k.collection_id = r.collection_id
           join knowledge.loads l on l.load_id = r.load_id
          where c.chunk_id = any($1)",
    )
    .bind(&ids)
    .fetch_all(connection)
    .await?;
    let mut by_chunk: HashMap<i32, Row> = rows.into_iter().map(|row| (row.0, row)).collect();
    for scored in best {
        let Some(row) = by_chunk.remove(&scored.chunk_id) else {
            continue;
        };
        let (chunk_id, record_id, chunk, text, key, collection, source, line) = row;
        if hits.len() == limit || !records.insert(record_id) {
            continue;
        }
        hits.push(Hit {
            collection,
            key,
            chunk_id,
            chunk,
            score: scored.score,
            exact: scored.exact,
            dense: scored.dense,
            fused: scored.fused,
            before_dense: scored.before_dense,
            rerank: None,
            before_rerank: None,
            text,
            source,
            line,
        });
    }
    Ok(())
}

/// Reads a record by key.
pub(super) async fn record(
    connection: &mut PgConnection,
    collection: &Collection,
    key: &str,
) -> Result<Option<Record>> {
    let row: Option<RecordRow> = sqlx::query_as(
        "select r.fields, l.source, r.source_line, r.first_chunk, r.chunk_count
           from knowledge.records r join knowledge.loads l on l.load_id = r.load_id
          where r.collection_id = $1 and r.record_key = $2",
    )
    .bind(collection.collection_id)
    .bind(key)
    .fetch_optional(&mut *connection)
    .await?;
    let Some((Json(fields), source, line, first, count)) = row else {
        return Ok(None);
    };
    let chunks = sqlx::query_as(
        "select chunk_id, text from knowledge.chunks where chunk_id >= $1 and chunk_id < $1 + $2 order by chunk_id",
    )
    .bind(first)
    .bind(count)
    .fetch_all(connection)
    .await?;
    Ok(Some(Record {
        collection: collection.name.clone(),
        key: key.to_owned(),
        fields,
        chunks,
        source,
        line,
    }))
}
