//! Compares a batch with existing records, which are unchanged or replaced.

use std::collections::{HashMap, HashSet};

use sqlx::PgConnection;

use super::batch::{Record, rejection, repeated_key};
use super::rejects::Rejection;
use super::target::Target;
use crate::error::Result;

#[derive(sqlx::FromRow)]
struct Existing {
    record_key: String,
    record_id: i64,
    content_hash: Vec<u8>,
    seen_load_id: i32,
    first_chunk: i32,
    chunk_count: i32,
}

/// Result of the comparison.
pub(super) struct Deduplicated {
    pub(super) records: Vec<Record>,
    pub(super) rejections: Vec<Rejection>,
    pub(super) unchanged: u64,
    pub(super) replaced: u64,
}

/// Removes unchanged records from a batch, and deletes the stored records that it replaces.
pub(super) async fn deduplicate(
    connection: &mut PgConnection,
    target: &Target,
    records: Vec<Record>,
) -> Result<Deduplicated> {
    let keys: Vec<&str> = records.iter().map(|record| record.key.as_str()).collect();
    let existing: Vec<Existing> = sqlx::query_as(
        "select record_key, record_id, content_hash, seen_load_id, first_chunk, chunk_count
           from knowledge.records where collection_id = $1 and record_key = any($2)",
    )
    .bind(target.collection_id)
    .bind(&keys)
    .fetch_all(&mut *connection)
    .await?;
    let mut deduplicated = Deduplicated {
        records: Vec::with_capacity(records.len()),
        rejections: Vec::new(),
        unchanged: 0,
        replaced: 0,
    };
    if existing.is_empty() {
        deduplicated.records = records;
        return Ok(deduplicated);
    }
    let existing: HashMap<&str, &Existing> = existing
        .iter()
        .map(|one| (one.record_key.as_str(), one))
        .collect();
    let (mut seen, mut removed, mut removed_chunks) = (Vec::new(), Vec::new(), Vec::new());
    for record in records {
        match existing.get(record.key.as_str()) {
            None => deduplicated.records.push(record),
            Some(before) if before.content_hash == record.hash => {
                deduplicated.unchanged += 1;
                seen.push(before.record_id);
            }
            Some(before) if before.seen_load_id == target.load_id => {
                let reason = repeated_key(&record.key, None);
                deduplicated.rejections.push(rejection(&record, reason));
            }
            Some(before) => {
                deduplicated.replaced += 1;
                removed.push(before.record_id);
                removed_chunks.extend(before.first_chunk..before.first_chunk + before.chunk_count);
                deduplicated.records.push(record);
            }
        }
    }
    sqlx::query("update knowledge.records set seen_load_id = $1 where record_id = any($2) and seen_load_id <> $1")
        .bind(target.load_id)
        .bind(&seen)
        .execute(&mut *connection)
        .await?;
    if !removed.is_empty() {
        remove(connection, target, &removed, &removed_chunks).await?;
    }
    Ok(deduplicated)
}

/// Deletes records and their chunks, and sets the chunks' length in the index to 0.
async fn remove(
    connection: &mut PgConnection,
    target: &Target,
    records: &[i64],
    chunks: &[i32],
) -> Result<()> {
    sqlx::query("delete from knowledge.records where record_id = any($1)")
        .bind(records)
        .execute(&mut *connection)
        .await?;
    for statement in [
        "delete from knowledge.chunks where chunk_id = any($1)",
        "delete from knowledge.embeddings where chunk_id = any($1)",
    ] {
        sqlx::query(statement)
            .bind(chunks)
            .execute(&mut *connection)
            .await?;
    }
    let segments: Vec<(i32, i32, Vec<u8>)> = sqlx::query_as(
        "select segment_id, first_chunk, lengths from knowledge.segments where collection_id = $1 for update",
    )
    .bind(target.collection_id)
    .fetch_all(&mut *connection)
    .await?;
    let chunks: HashSet<i32> = chunks.iter().copied().collect();
    for (segment_id, first, mut lengths) in segments {
        let (mut removed, mut words) = (0_i64, 0_i64);
        for (number, length) in (first..).zip(lengths.chunks_exact_mut(2)) {
            if chunks.contains(&number) && length != [0, 0] {
                removed += 1;
                words += i64::from(u16::from_le_bytes([length[0], length[1]]));
                length.fill(0);
            }
        }
        if removed > 0 {
            sqlx::query(
                "update knowledge.segments set lengths = $2, live = live - $3, words = words - $4 where segment_id = $1",
            )
            .bind(segment_id)
            .bind(lengths)
            .bind(removed)
            .bind(words)
            .execute(&mut *connection)
            .await?;
        }
    }
    Ok(())
}
