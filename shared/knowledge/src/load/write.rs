//! Writes a batch within the caller's transaction.

use sqlx::PgConnection;

use super::batch::{Batch, Record, add_to_index};
use super::copy::CopyRows;
use super::rejects::Rejection;
use super::replace::deduplicate;
use super::target::Target;
use crate::error::{Error, Result};
use crate::index::{Segment, SegmentBuilder};

/// Result of a write.
pub(super) struct Written {
    pub(super) added: u64,
    pub(super) replaced: u64,
    pub(super) unchanged: u64,
    pub(super) empty: u64,
    pub(super) rejections: Vec<Rejection>,
    /// Number of rows read so far, from the start of the file.
    pub(super) rows: u64,
}

/// Writes the records, chunks and index of a batch.
pub(super) async fn write(
    connection: &mut PgConnection,
    target: &Target,
    batch: Batch,
) -> Result<Written> {
    let all = batch.records.len();
    let deduplicated = deduplicate(connection, target, batch.records).await?;
    let mut rejections = batch.rejections;
    rejections.extend(deduplicated.rejections);
    rejections.sort_by_key(|rejection| rejection.line);
    let written = Written {
        added: deduplicated.records.len() as u64 - deduplicated.replaced,
        replaced: deduplicated.replaced,
        unchanged: deduplicated.unchanged + batch.repeated,
        empty: batch.empty,
        rejections,
        rows: batch.rows,
    };
    if deduplicated.records.is_empty() {
        return Ok(written);
    }
    let (records, segment) = match deduplicated.records.len() == all {
        true => (deduplicated.records, batch.segment),
        false => rebuild_index(deduplicated.records).await?,
    };
    let chunks: usize = records.iter().map(|record| record.chunks.len()).sum();
    let (first_record, first_chunk) = take_ids(connection, records.len(), chunks).await?;
    copy_records(connection, target, &records, first_record, first_chunk).await?;
    copy_chunks(connection, &records, first_record, first_chunk).await?;
    add_segment(connection, target, &segment, first_chunk).await?;
    Ok(written)
}

/// Rebuilds the index of a batch for its remaining records.
async fn rebuild_index(records: Vec<Record>) -> Result<(Vec<Record>, Segment)> {
    let indexing = tokio::task::spawn_blocking(move || {
        let mut index = SegmentBuilder::new();
        for record in &records {
            add_to_index(&mut index, record);
        }
        (records, index.finish())
    });
    indexing.await.map_err(|_| Error::Interrupted)
}

async fn take_ids(
    connection: &mut PgConnection,
    records: usize,
    chunks: usize,
) -> Result<(i64, i32)> {
    let ids = sqlx::query_as(
        "update knowledge.next_ids set record_id = record_id + $1, chunk_id = chunk_id + $2
         returning record_id - $1, chunk_id - $2",
    )
    .bind(i64::try_from(records).unwrap_or(i64::MAX))
    .bind(i32::try_from(chunks).unwrap_or(i32::MAX))
    .fetch_one(connection)
    .await?;
    Ok(ids)
}

async fn copy_records(
    connection: &mut PgConnection,
    target: &Target,
    records: &[Record],
    first_record: i64,
    mut chunk: i32,
) -> Result<()> {
    let mut rows = CopyRows::new();
    for (id, record) in (first_record..).zip(records) {
        let count = i32::try_from(record.chunks.len()).unwrap_or(i32::MAX);
        rows.row(10)
            .int8(id)
            .int4(target.collection_id)
            .int4(target.load_id)
            .int4(target.load_id)
            .bytes(record.key.as_bytes())
            .bytes(&record.hash)
            .jsonb(&record.fields)
            .int8(i64::try_from(record.line).unwrap_or(i64::MAX))
            .int4(chunk)
            .int4(count);
        chunk += count;
    }
    let statement = "copy knowledge.records (record_id, collection_id, load_id, seen_load_id, record_key, content_hash,
        fields, source_line, first_chunk, chunk_count) from stdin (format binary)";
    rows.send(connection, statement).await
}

async fn copy_chunks(
    connection: &mut PgConnection,
    records: &[Record],
    first_record: i64,
    first_chunk: i32,
) -> Result<()> {
    let mut rows = CopyRows::new();
    let mut ids = first_chunk..;
    for (record_id, record) in (first_record..).zip(records) {
        for (ordinal, (text, chunk_id)) in (0..).zip(record.chunks.iter().zip(&mut ids)) {
            rows.row(4)
                .int4(chunk_id)
                .int8(record_id)
                .int4(ordinal)
                .bytes(text.as_bytes());
        }
    }
    let statement =
        "copy knowledge.chunks (chunk_id, record_id, ordinal, text) from stdin (format binary)";
    rows.send(connection, statement).await
}

async fn add_segment(
    connection: &mut PgConnection,
    target: &Target,
    segment: &Segment,
    first_chunk: i32,
) -> Result<()> {
    let lengths: Vec<u8> = segment
        .lengths
        .iter()
        .flat_map(|length| length.to_le_bytes())
        .collect();
    let words: i64 = segment
        .lengths
        .iter()
        .map(|length| i64::from(*length))
        .sum();
    let segment_id: i32 = sqlx::query_scalar(
        "insert into knowledge.segments (collection_id, first_chunk, live, words, lengths) values ($1, $2, $3, $4, $5)
         returning segment_id",
    )
    .bind(target.collection_id)
    .bind(first_chunk)
    .bind(i64::try_from(segment.lengths.len()).unwrap_or(i64::MAX))
    .bind(words)
    .bind(lengths)
    .fetch_one(&mut *connection)
    .await?;
    let mut rows = CopyRows::new();
    for term in &segment.terms {
        let chunks = i32::try_from(term.chunks).unwrap_or(i32::MAX);
        rows.row(4)
            .bytes(term.text.as_bytes())
            .int4(segment_id)
            .int4(chunks)
            .bytes(&term.data);
    }
    let statement =
        "copy knowledge.postings (term, segment_id, chunks, data) from stdin (format binary)";
    rows.send(connection, statement).await
}
