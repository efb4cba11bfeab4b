//! Reads the postings of query terms.

use std::collections::HashMap;

use sqlx::{PgConnection, Row as _};

use crate::error::Result;

/// Packed postings by segment and term.
pub(super) struct TermPostings {
    by_segment: HashMap<i32, HashMap<String, Vec<u8>>>,
    chunks: HashMap<String, u64>,
}

impl TermPostings {
    pub(super) async fn read(
        connection: &mut PgConnection,
        terms: &[&str],
        segments: &[i32],
    ) -> Result<Self> {
        let rows = sqlx::query(
            "select term, segment_id, chunks, data from knowledge.postings where term = any($1) and segment_id = any($2)",
        )
        .bind(terms)
        .bind(segments)
        .fetch_all(connection)
        .await?;
        let mut postings = Self {
            by_segment: HashMap::new(),
            chunks: HashMap::new(),
        };
        for row in rows {
            let (term, chunks): (String, i32) = (row.try_get(0)?, row.try_get(2)?);
            *postings.chunks.entry(term.clone()).or_default() += u64::try_from(chunks).unwrap_or(0);
            let of_segment = postings.by_segment.entry(row.try_get(1)?).or_default();
            of_segment.insert(term, row.try_get(3)?);
        }
        Ok(postings)
    }

    /// Returns the number of chunks with a term, including deleted ones.
    pub(super) fn chunks(&self, term: &str) -> u64 {
        self.chunks.get(term).copied().unwrap_or(0)
    }

    /// Returns the packed postings of a term in a segment, or empty bytes if there are none.
    pub(super) fn postings(&self, segment_id: i32, term: &str) -> &[u8] {
        let of_segment = self.by_segment.get(&segment_id);
        of_segment
            .and_then(|terms| terms.get(term))
            .map_or(&[], Vec::as_slice)
    }
}
