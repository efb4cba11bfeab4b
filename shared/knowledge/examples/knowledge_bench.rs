//! Benchmark of loading and search, in a database of its own on the Postgres of `DATABASE_URL`.
//!
//! `cargo run --release -p tarsy-knowledge --example knowledge_bench -- [ROWS] [DIMENSION]`: rows of 100 words, drawn as
//! in natural text (Zipf), over one connection; then questions of 3 to 8 words, each from the same distribution. With a
//! dimension also hybrid search, over made-up vectors in clusters; they come from a server in this process, in no time.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints its findings and fails by panicking"
)]

use std::io::Write as _;
use std::time::{Duration, Instant};

use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_knowledge::{
    Arm, Embedder, EndpointConfig, LoadOptions, Mapping, Models, Query, Searcher, embed, load,
    store,
};
use tarsy_testing::TestDb;

const MAPPING: &str =
    "key: id\nfields: [{name: id, identifier: true}, {name: rack, filter: true}, {name: text}]";
const WORDS: usize = 100;
const VOCABULARY: f64 = 50_000.0;
const QUESTIONS: usize = 500;
const CLUSTERS: u64 = 1_000;
/// Vectors of a statement.
const BATCH: usize = 2_000;

/// Pseudo-random numbers with a fixed seed (xorshift).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A vector of length 1 near the centre of a cluster.
    fn vector(&mut self, cluster: u64, dimension: usize) -> Vec<f32> {
        let mut centre = Self(cluster.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut vector: Vec<f64> = (0..dimension)
            .map(|_| centre.unit() - 0.5 + (self.unit() - 0.5) * 0.7)
            .collect();
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        vector.into_iter().map(|x| x as f32).collect()
    }

    /// A word; the rank is log-uniform, which is Zipf's law.
    fn word(&mut self) -> String {
        let rank = VOCABULARY.powf(self.unit()) as u64;
        // Letters that no stemmer cuts.
        let mut word = String::from("w");
        let mut rest = rank;
        while rest > 0 {
            word.push(char::from(b"bcdfghjkmnpqrtvz"[(rest % 16) as usize]));
            rest /= 16;
        }
        word
    }
}

#[tokio::main]
async fn main() {
    let rows = std::env::args()
        .nth(1)
        .map_or(100_000, |rows| rows.parse().unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    writeln!(file, "id,rack,text").unwrap();
    for row in 0..rows {
        let text: Vec<String> = (0..WORDS).map(|_| random.word()).collect();
        writeln!(
            file,
            "ID-{row:08},R{},\"{}\n{}\"",
            row % 50,
            text[..50].join(" "),
            text[50..].join(" ")
        )
        .unwrap();
    }
    file.flush().unwrap();
    drop(file);
    let bytes = std::fs::metadata(&path).unwrap().len();

    let db = TestDb::new().await;
    let mut connection = db.pool().acquire().await.unwrap();
    store::enable(&mut connection).await.unwrap();
    let options = LoadOptions {
        collection: "rows".to_owned(),
        mapping: Mapping::parse("mapping", MAPPING).unwrap(),
        rejects: folder.path().join("rejected.jsonl"),
        again: false,
    };
    let begun = Instant::now();
    let progress = load(&mut connection, &path, &options, |_| ())
        .await
        .unwrap();
    let elapsed = begun.elapsed().as_secs_f64();
    assert_eq!(progress.added, rows);
    println!(
        "load: {rows} rows of {WORDS} words, {:.0} MB, in {elapsed:.1} s: {:.0} rows/s",
        bytes as f64 / 1e6,
        rows as f64 / elapsed
    );
    println!("peak memory of this process: {}", peak_memory());
    let size: i64 = sqlx::query_scalar("select pg_database_size(current_database())")
        .fetch_one(db.pool())
        .await
        .unwrap();
    println!("database: {:.0} MB", size as f64 / 1e6);
    drop(connection);

    let searcher = Searcher::new(db.pool().clone());
    let mut questions = Vec::new();
    for number in 0..QUESTIONS {
        let words = 3 + number % 6;
        questions.push(
            (0..words)
                .map(|_| random.word())
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
    for pass in ["first pass", "second pass"] {
        measure(&searcher, pass, &questions, false).await;
    }
    measure(&searcher, "with a filter of 1 in 50", &questions, true).await;
    let identifiers: Vec<String> = (0..QUESTIONS as u64)
        .map(|number| format!("where is id-{:08}?", number * 7 % rows))
        .collect();
    measure(&searcher, "identifiers", &identifiers, false).await;

    let Some(dimension) = std::env::args().nth(2).map(|text| text.parse().unwrap()) else {
        return;
    };
    let embedder = || Embedder::new("bench", &endpoint(dimension)).unwrap();
    serve(dimension).await;
    let begun = Instant::now();
    add_vectors(&db, dimension).await;
    println!("vectors: {:.1} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let mut connection = db.pool().acquire().await.unwrap();
    embed(&mut connection, &embedder(), &[], |_| ())
        .await
        .unwrap();
    drop(connection);
    println!("their index: {:.1} s", begun.elapsed().as_secs_f64());
    let searcher = searcher.with_models(Models {
        embedder: Some(embedder()),
        reranker: None,
    });
    let query = Query {
        text: questions[0].clone(),
        ..Query::default()
    };
    let trace = searcher.search_by(&query, Arm::Hybrid).await.unwrap().trace;
    println!("hybrid: {}", json!(trace));
    for pass in ["hybrid, first pass", "hybrid, second pass"] {
        measure(&searcher, pass, &questions, false).await;
    }
    measure(&searcher, "hybrid, with the filter", &questions, true).await;
}

const ADDRESS: &str = "127.0.0.1:18778";

fn endpoint(dimension: usize) -> EndpointConfig {
    EndpointConfig {
        url: format!("http://{ADDRESS}/v1/embeddings"),
        model: format!("clusters-{dimension}"),
        key: None,
    }
}

/// Serves vectors of questions.
async fn serve(dimension: usize) {
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let answer = move |Json(body): Json<Value>| async move {
        let one = |(index, text): (usize, &Value)| {
            let sum = text.as_str().unwrap().bytes();
            let sum = sum.fold(7_u64, |sum, byte| {
                sum.wrapping_mul(31).wrapping_add(byte.into())
            });
            let vector = Random(sum | 1).vector(sum % CLUSTERS, dimension);
            json!({"index": index, "embedding": vector})
        };
        let texts = body["input"].as_array().unwrap().iter().enumerate();
        Json(json!({"data": texts.map(one).collect::<Vec<_>>()}))
    };
    let router = Router::new().route("/v1/embeddings", post(answer));
    let listener = tokio::net::TcpListener::bind(ADDRESS).await.unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
}

async fn add_vectors(db: &TestDb, dimension: usize) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let ids: Vec<i32> =
        sqlx::query_scalar("select chunk_id from knowledge.chunks order by chunk_id")
            .fetch_all(db.pool())
            .await
            .unwrap();
    for batch in ids.chunks(BATCH) {
        let vectors: Vec<Vec<u8>> = batch
            .iter()
            .map(|_| {
                let cluster = (random.unit() * CLUSTERS as f64) as u64;
                let vector = random.vector(cluster, dimension);
                vector.iter().flat_map(|x| x.to_le_bytes()).collect()
            })
            .collect();
        sqlx::query(
            "insert into knowledge.embeddings (model, chunk_id, dimension, vector)
             select $1, v.chunk_id, $2, v.vector from unnest($3::int[], $4::bytea[]) v (chunk_id, vector)",
        )
        .bind(endpoint(dimension).model)
        .bind(i32::try_from(dimension).unwrap())
        .bind(batch)
        .bind(vectors)
        .execute(db.pool())
        .await
        .unwrap();
    }
    sqlx::query("analyze knowledge.embeddings")
        .execute(db.pool())
        .await
        .unwrap();
}

async fn measure(searcher: &Searcher, what: &str, questions: &[String], filtered: bool) {
    let mut times: Vec<Duration> = Vec::new();
    let mut found = 0;
    for text in questions {
        let mut query = Query {
            text: text.clone(),
            ..Query::default()
        };
        if filtered {
            query
                .filters
                .insert("rack".to_owned(), vec!["R7".to_owned()]);
        }
        let begun = Instant::now();
        found += searcher
            .search_by(&query, Arm::Hybrid)
            .await
            .unwrap()
            .results
            .len();
        times.push(begun.elapsed());
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "search, {what}: p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms ({found} records)",
        at(0.5),
        at(0.95),
        at(0.99)
    );
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().to_owned()
}
