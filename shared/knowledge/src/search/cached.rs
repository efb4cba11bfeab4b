//! Cached part of an index: the chunk lengths.

use sqlx::PgConnection;

use crate::error::Result;
use crate::store::Collection;

/// Segments of a collection at one generation.
pub(super) struct CachedIndex {
    generation: i64,
    pub(super) segments: Vec<CachedSegment>,
    pub(super) live: u64,
    pub(super) words: u64,
}

pub(super) struct CachedSegment {
    pub(super) segment_id: i32,
    pub(super) first_chunk: i32,
    /// Words of each chunk; 0: deleted.
    pub(super) lengths: Vec<u16>,
}

impl CachedIndex {
    pub(super) async fn read(
        connection: &mut PgConnection,
        collection: &Collection,
    ) -> Result<Self> {
        let rows: Vec<(i32, i32, i64, i64, Vec<u8>)> = sqlx::query_as(
            "select segment_id, first_chunk, live, words, lengths from knowledge.segments
              where collection_id = $1 order by segment_id",
        )
        .bind(collection.collection_id)
        .fetch_all(connection)
        .await?;
        let mut index = Self {
            generation: collection.generation,
            segments: Vec::with_capacity(rows.len()),
            live: 0,
            words: 0,
        };
        for (segment_id, first_chunk, live, words, lengths) in rows {
            index.live += u64::try_from(live).unwrap_or(0);
            index.words += u64::try_from(words).unwrap_or(0);
            let lengths = lengths.chunks_exact(2);
            index.segments.push(CachedSegment {
                segment_id,
                first_chunk,
                lengths: lengths
                    .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                    .collect(),
            });
        }
        Ok(index)
    }

    pub(super) const fn generation(&self) -> i64 {
        self.generation
    }

    pub(super) fn segment_ids(&self) -> impl Iterator<Item = i32> {
        self.segments.iter().map(|segment| segment.segment_id)
    }
}
