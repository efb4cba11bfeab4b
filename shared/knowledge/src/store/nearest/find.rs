//! Questions to the index of vectors.

use sqlx::{Connection as _, PgConnection, Row as _};

use super::{index_name, text};
use crate::error::Result;

/// Vectors that a walk keeps in view, at least and at most: `hnsw.ef_search`.
const BEAM: [usize; 2] = [200, 400];
/// Vectors that a walk visits before it only hands on what it has seen, and how many times `work_mem` it may keep.
const VISITED: usize = 40_000;
const MEMORY: usize = 8;

/// The index of a model's vectors.
#[derive(Debug)]
pub(crate) struct NearestIndex {
    /// The model as SQL: the planner only uses a partial index whose condition it can read.
    model: String,
    dimension: usize,
    /// Vectors in it, about.
    vectors: f64,
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Chunks that are wanted.
    pub(crate) wanted: usize,
    /// Rows that will probably hold as many.
    pub(crate) expected: usize,
    /// Rows after which it ends.
    pub(crate) most: usize,
}

impl Walk {
    /// Rows to read next, where `read` rows held `found` chunks, fewer than are wanted: as many again as it took so far
    /// for each; if there was none, twice as many.
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
    /// The index, if there is one.
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

    /// Number of its vectors, as of its last vacuum or `analyze`.
    pub(crate) const fn vectors(&self) -> f64 {
        self.vectors
    }

    /// The nearest of these chunks, nearest first: all are compared, by number instead of by the index.
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
        // Not an order that an index has; the question's vector is read once, whatever the plan.
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

    /// Chunks that pass `is_result`, about nearest first: goes from vector to vector until there are enough.
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
        // The plan has to be the index's, whatever statistics say; a scan goes on until there are enough.
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
    fn however_few_are_wanted_a_walk_goes_on_and_ends() {
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
