//! Benchmark of loading and search, in a separate database on the Postgres of `DATABASE_URL`.
//!
//! `cargo run --release -p tarsy-knowledge --example knowledge_bench -- [ROWS] [DIMENSION]` loads rows of 100 words
//! over one connection. Their words are distributed as in natural text (Zipf). Then it asks questions of 3 to 8 words
//! from the same distribution. With a dimension it also measures hybrid search, over generated vectors in clusters. A
//! server in this process returns them without delay. Each search is repeated with filters that 1 in 5, in 50 and in
//! 1,000 rows passes. It also measures how many results of an exact comparison the vectors' arm finds.
//!
//! With `TARSY_KNOWLEDGE_BENCH_URL` it fills that database if it has no store, and keeps the data for the next run.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints its findings and fails by panicking"
)]

mod data;
mod recall;
mod vectors;

use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::PgPool;
use tarsy_knowledge::{
    Arm, Embedder, LoadOptions, Mapping, Models, Query, Searcher, embed, load, store,
};
use tarsy_testing::TestDb;

use data::FILTERS;

const QUESTIONS: usize = 500;

#[tokio::main]
async fn main() {
    let argument = |number| std::env::args().nth(number);
    let rows = argument(1).map_or(100_000, |rows| rows.parse().unwrap());
    let dimension = argument(2).map(|text| text.parse().unwrap());
    let url = std::env::var("TARSY_KNOWLEDGE_BENCH_URL").ok();
    let (pool, _db) = match url {
        Some(url) => (PgPool::connect(&url).await.unwrap(), None),
        None => {
            let db = TestDb::new().await;
            (db.pool().clone(), Some(db))
        }
    };
    let mut connection = pool.acquire().await.unwrap();
    let is_filled = store::check(&mut connection).await.is_ok();
    drop(connection);
    if !is_filled {
        fill(&pool, rows).await;
    }

    let searcher = Searcher::new(pool.clone());
    let questions = data::questions(QUESTIONS);
    let identifiers: Vec<String> = (0..QUESTIONS as u64)
        .map(|number| format!("where is id-{:08}?", number * 7 % rows))
        .collect();
    measure(&searcher, "words, first pass", &questions, None).await;
    measure_all(&searcher, "words", &questions).await;
    measure(&searcher, "identifiers", &identifiers, None).await;

    let Some(dimension) = dimension else {
        return;
    };
    let embedder = || Embedder::new("bench", &vectors::endpoint(dimension)).unwrap();
    vectors::serve(dimension).await;
    if !is_filled {
        let begun = Instant::now();
        vectors::add(&pool, dimension).await;
        println!("vectors: {:.1} s", begun.elapsed().as_secs_f64());
    }
    let begun = Instant::now();
    let mut connection = pool.acquire().await.unwrap();
    embed(&mut connection, &embedder(), &[], |_| ())
        .await
        .unwrap();
    drop(connection);
    println!("their index: {:.1} s", begun.elapsed().as_secs_f64());
    let searcher = searcher.with_models(Models {
        embedder: Some(embedder()),
        reranker: None,
    });
    measure(&searcher, "hybrid, first pass", &questions, None).await;
    measure_all(&searcher, "hybrid", &questions).await;
    recall::measure(&pool, &searcher, &questions, dimension).await;
}

/// Loads the rows into a new store.
async fn fill(pool: &PgPool, rows: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let bytes = data::write_rows(&path, rows);
    let mut connection = pool.acquire().await.unwrap();
    store::enable(&mut connection).await.unwrap();
    let options = LoadOptions {
        collection: "rows".to_owned(),
        mapping: Mapping::parse("mapping", data::MAPPING).unwrap(),
        rejects: folder.path().join("rejected.jsonl"),
        again: false,
        masker: tarsy_masking::Masker::group(tarsy_masking::DEFAULT_GROUP).unwrap(),
    };
    let begun = Instant::now();
    let progress = load(&mut connection, &path, &options, |_| ())
        .await
        .unwrap();
    let elapsed = begun.elapsed().as_secs_f64();
    assert_eq!(progress.added, rows);
    println!(
        "load: {rows} rows of 100 words, {:.0} MB, in {elapsed:.1} s: {:.0} rows/s",
        bytes as f64 / 1e6,
        rows as f64 / elapsed
    );
    println!("peak memory of this process: {}", peak_memory());
    let size: i64 = sqlx::query_scalar("select pg_database_size(current_database())")
        .fetch_one(pool)
        .await
        .unwrap();
    println!("database: {:.0} MB", size as f64 / 1e6);
}

/// Measures a search without a filter, and with each filter.
async fn measure_all(searcher: &Searcher, what: &str, questions: &[String]) {
    measure(searcher, what, questions, None).await;
    for (field, value, each) in FILTERS {
        let what = format!("{what}, filter of 1 in {each}");
        measure(searcher, &what, questions, Some((field, value))).await;
    }
}

fn query(text: &str, filter: Option<(&str, &str)>) -> Query {
    let filters = filter.map(|(field, value)| (field.to_owned(), vec![value.to_owned()]));
    Query {
        text: text.to_owned(),
        filters: filters.into_iter().collect(),
        ..Query::default()
    }
}

async fn measure(
    searcher: &Searcher,
    what: &str,
    questions: &[String],
    filter: Option<(&str, &str)>,
) {
    let mut times: Vec<Duration> = Vec::new();
    let mut found = 0;
    let mut compared = None;
    for text in questions {
        let query = query(text, filter);
        let begun = Instant::now();
        let answer = searcher.search_by(&query, Arm::Hybrid).await.unwrap();
        times.push(begun.elapsed());
        found += answer.results.len();
        compared = answer.trace.compared;
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "search, {what}: p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms ({found} records, compared {})",
        at(0.5),
        at(0.95),
        at(0.99),
        json!(compared)
    );
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().to_owned()
}
