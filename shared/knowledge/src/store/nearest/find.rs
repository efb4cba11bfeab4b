//! Queries of the index of vectors.

use sqlx::{Connection as _, PgConnection, Row as _};

use super::{index_name, text};
use crate::error::Result;

/// Smallest and largest number of candidates that a walk keeps: `hnsw.ef_search`.
const BEAM: [usize; 2] = [200, 400];
/// Number of vectors after which a walk visits no more and only returns those it has seen. The second constant is the
/// memory that it may use, in multiples of `work_mem`.
const VISITED: usize = 40_000;
const MEMORY: usize = 8;

/// The index of a model's vectors.
#[derive(Debug)]
pub(crate) struct NearestIndex {
    /// The model's name as an SQL literal. The planner uses a partial index only if it can read the condition.
    model: String,
    dimension: usize,
    /// Approximate number of its vectors.
    vectors: f64,
}

/// Limits of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Number of wanted chunks.
    pub(crate) wanted: usize,
    /// Number of rows that probably contain them.
    pub(crate) expected: usize,
    /// Number of rows after which it ends.
    pub(crate) most: usize,
}

impl Walk {
    /// Returns how many rows to read next, after `read` rows contained `found` chunks, fewer than wanted. It assumes
    /// that each missing chunk takes as many rows as each found one. If none was found, it doubles the number of rows.
    fn more(&self, read: usize, found: usize) -> usize {
        let [least, _] = BEAM;
        let missing = self.wanted - found;
        let next = match found {
            0 => read,
            _ => (read * missing).div_ceil(found),
        };
        next.clamp(least, least.max(2 * read)).min(self.most - read)
    }
}

impl NearestIndex {
    /// Returns the index, if it exists.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Database`].
    pub(crate) async fn find(
        connection: &mut PgConnection,
        model: &str,
        dimension: usize,
    ) -> Result<Option<Self>> {
        let row: Option<(String, f32)> = sqlx::query_as(
            "select quote_literal($2), c.reltuples from pg_index i join pg_class c on c.oid = i.indexrelid
              where i.indexrelid = to_regclass('knowledge.' || $1) and i.indisvalid",
        )
        .bind(index_name(model, dimension))
        .bind(model)
        .fetch_optional(connection)
        .await?;
        Ok(row.map(|(model, vectors)| Self {
            model,
            dimension,
            vectors: f64::from(vectors),
        }))
    }

    /// Returns the number of its vectors at the time of its last vacuum or `analyze`.
    pub(crate) const fn vectors(&self) -> f64 {
        self.vectors
    }

    /// Returns the nearest of these chunks, nearest first. It compares all of them and does not use the index.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Database`].
    pub(crate) async fn nearest_of(
        &self,
        connection: &mut PgConnection,
        vector: &[f32],
        chunks: &[i32],
        most: usize,
    ) -> Result<Vec<i32>> {
        let Self {
            model, dimension, ..
        } = self;
        // `+ 0` makes the order one that no index has. The subquery makes every plan parse the question's vector only
        // once.
        let select = format!(
            "select chunk_id from knowledge.embeddings where model = {model} and chunk_id = any($2)
              order by (nearest::halfvec({dimension}) <=> (select $1::halfvec({dimension}))) + 0 limit $3"
        );
        let found = sqlx::query_scalar(sqlx::AssertSqlSafe(select))
            .persistent(false)
            .bind(text(vector))
            .bind(chunks)
            .bind(i64::try_from(most).unwrap_or(i64::MAX))
            .fetch_all(connection)
            .await?;
        Ok(found)
    }

    /// Returns chunks that pass `is_result`, approximately nearest first. It follows the index from vector to vector
    /// until there are enough.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Database`].
    pub(crate) async fn walk(
        &self,
        connection: &mut PgConnection,
        vector: &[f32],
        walk: Walk,
        is_result: impl Fn(i32) -> bool,
    ) -> Result<Vec<i32>> {
        let Self {
            model, dimension, ..
        } = self;
        let beam = walk.expected.clamp(BEAM[0], BEAM[1]);
        let mut rows = walk.expected.clamp(walk.wanted, walk.most);
        let mut tx = connection.begin().await?;
        // The plan must use the index, regardless of statistics, and the scan must continue until there are enough
        // rows.
        let begin = format!(
            "set local hnsw.ef_search = {beam}; set local hnsw.iterative_scan = relaxed_order;
             set local hnsw.max_scan_tuples = {VISITED}; set local hnsw.scan_mem_multiplier = {MEMORY};
             set local enable_seqscan = off; set local enable_sort = off;
             declare walk no scroll cursor for select chunk_id from knowledge.embeddings where model = {model}
               order by nearest::halfvec({dimension}) <=> '{}'::halfvec({dimension});",
            text(vector)
        );
        let (mut found, mut read) = (Vec::new(), 0);
        let mut statement = format!("{begin} fetch {rows} from walk");
        loop {
            let answer = sqlx::raw_sql(sqlx::AssertSqlSafe(statement));
            let answer = answer.fetch_all(&mut *tx).await?;
            for row in &answer {
                let chunk: i32 = row.try_get(0)?;
                if is_result(chunk) {
                    found.push(chunk);
                }
            }
            read += answer.len();
            if found.len() >= walk.wanted || answer.len() < rows || read >= walk.most {
                break;
            }
            rows = walk.more(read, found.len());
            statement = format!("fetch {rows} from walk");
        }
        tx.commit().await?;
        found.truncate(walk.wanted);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_for_few_results_continues_and_ends() {
        let most = 10_000;
        for wanted in [1, 2, 3, 9, 15, 30, 200] {
            let walk = Walk {
                wanted,
                expected: wanted,
                most,
            };
            for first in [1, 7, 99, 100, 101, 5_000, 9_999] {
                for found in [0, 1, wanted / 2, wanted - 1] {
                    let mut read = first;
                    let mut steps = 0;
                    while read < most {
                        let more = walk.more(read, found.min(wanted - 1));
                        assert!(more > 0 && read + more <= most, "{walk:?} {read} {found}");
                        read += more;
                        steps += 1;
                    }
                    assert!(steps <= most / BEAM[0] + 1, "{walk:?} {first} {found}");
                }
            }
        }
    }
}
