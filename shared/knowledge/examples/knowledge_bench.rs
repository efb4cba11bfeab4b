//! Benchmark of loading and search, in a database of its own on the Postgres of `DATABASE_URL`.
//!
//! `cargo run --release -p tarsy-knowledge --example knowledge_bench -- [ROWS]`: rows of 100 words, drawn as in
//! natural text (Zipf), over one connection; then questions of 3 to 8 words, each from the same distribution.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints its findings and fails by panicking"
)]

use std::io::Write as _;
use std::time::{Duration, Instant};

use tarsy_knowledge::{LoadOptions, Mapping, Query, Searcher, load, store};
use tarsy_testing::TestDb;

const MAPPING: &str =
    "key: id\nfields: [{name: id, identifier: true}, {name: rack, filter: true}, {name: text}]";
const WORDS: usize = 100;
const VOCABULARY: f64 = 50_000.0;
const QUESTIONS: usize = 500;

/// Pseudo-random numbers with a fixed seed (xorshift).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
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
        found += searcher.search(&query).await.unwrap().results.len();
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
