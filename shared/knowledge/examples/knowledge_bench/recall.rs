//! Measures how many results of an exact comparison the vectors' arm finds.

use sqlx::PgPool;
use tarsy_knowledge::{Arm, Searcher};

use crate::data::{FILTERS, question_vector};
use crate::query;

/// Number of questions. Each one reads the vectors of all rows that pass the filter.
const QUESTIONS: usize = 10;

pub(crate) async fn measure(
    pool: &PgPool,
    searcher: &Searcher,
    questions: &[String],
    dimension: usize,
) {
    for (field, value, each) in FILTERS {
        let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(
            "select r.record_key, e.vector from knowledge.records r
               join knowledge.embeddings e on e.chunk_id = r.first_chunk where r.fields->>$1 = $2",
        )
        .bind(field)
        .bind(value)
        .fetch_all(pool)
        .await
        .unwrap();
        let mut found = 0;
        for text in &questions[..QUESTIONS] {
            let vector = question_vector(text, dimension);
            let cosine = |bytes: &[u8]| -> f32 {
                let numbers = bytes.as_chunks::<4>().0.iter();
                let numbers = numbers.map(|bytes| f32::from_le_bytes(*bytes));
                numbers.zip(&vector).map(|(a, b)| a * b).sum()
            };
            let mut exact: Vec<(f32, &str)> = rows
                .iter()
                .map(|(key, bytes)| (cosine(bytes), key.as_str()))
                .collect();
            exact.sort_by(|a, b| b.0.total_cmp(&a.0));
            let query = query(text, Some((field, value)));
            let results = searcher
                .search_by(&query, Arm::Dense)
                .await
                .unwrap()
                .results;
            let is_exact = |key: &str| exact[..10].iter().any(|(_, other)| *other == key);
            found += results.iter().filter(|hit| is_exact(&hit.key)).count();
        }
        println!(
            "recall@10 of vectors, filter of 1 in {each}: {:.3} of {QUESTIONS} questions",
            found as f64 / (10 * QUESTIONS) as f64
        );
    }
}
