//! Search quality: recall@10 and nDCG@10 of the demo's 150 questions for each arm. It uses all-MiniLM-L6-v2, which
//! `cargo xtask setup` fetches, and a separate database on the Postgres of `DATABASE_URL`.
//!
//! Run it with `cargo run --release -p tarsy-knowledge --example knowledge_quality`. No package contains weights of a
//! reranker. So a server in this process orders texts by late interaction over the token vectors of the same model. It
//! serves both APIs that the product supports: `/v1/rerank` and that of a chat model.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints its findings and fails by panicking"
)]

mod late_interaction;

use std::sync::Arc;
use std::time::Instant;

use tarsy_knowledge::evaluation::{Question, evaluate};
use tarsy_knowledge::{
    Embedder, EndpointConfig, LoadOptions, Mapping, Models, Reranker, Searcher, demo, embed, load,
    store,
};
use tarsy_testing::{TestDb, tools};
use tarsy_text_embedding::TextEmbedder;

use late_interaction::LateInteraction;

const KIND: &str = "paraphrase";
/// The half of the paraphrases that was not used to choose the weights of words and vectors (decision 0056).
const HELD_OUT: [usize; 38] = [
    0, 2, 9, 12, 15, 16, 17, 18, 23, 25, 27, 29, 31, 32, 33, 35, 38, 39, 41, 43, 47, 49, 51, 53,
    56, 58, 59, 60, 61, 63, 64, 66, 67, 69, 71, 72, 73, 74,
];

#[tokio::main]
async fn main() {
    let model = tools::minilm().expect("`cargo xtask setup` fetches all-MiniLM-L6-v2");
    let db = TestDb::new().await;
    let folder = tempfile::tempdir().unwrap();
    demo::write(folder.path()).unwrap();
    let mut connection = db.pool().acquire().await.unwrap();
    store::enable(&mut connection).await.unwrap();
    for (file, collection) in [
        ("test_cases.csv", "test_cases"),
        ("system_logs.jsonl", "system_logs"),
    ] {
        let mapping = folder.path().join(format!("{collection}.mapping.yaml"));
        let mapping = std::fs::read_to_string(mapping).unwrap();
        let options = LoadOptions {
            collection: collection.to_owned(),
            mapping: Mapping::parse(collection, &mapping).unwrap(),
            rejects: folder.path().join("rejected.jsonl"),
            again: false,
            masker: tarsy_masking::Masker::group(tarsy_masking::DEFAULT_GROUP).unwrap(),
        };
        load(&mut connection, &folder.path().join(file), &options, |_| ())
            .await
            .unwrap();
    }
    let embedder = || Embedder::local(&model, None).unwrap();
    let begun = Instant::now();
    let progress = embed(&mut connection, &embedder(), &[], |_| ())
        .await
        .unwrap();
    println!(
        "{} vectors in {:.1} s",
        progress.computed,
        begun.elapsed().as_secs_f64()
    );
    let texts: Vec<String> = sqlx::query_scalar("select text from knowledge.chunks")
        .fetch_all(&mut *connection)
        .await
        .unwrap();
    drop(connection);
    let begun = Instant::now();
    let late = LateInteraction::new(TextEmbedder::load(&model).unwrap(), texts);
    println!("token vectors in {:.1} s", begun.elapsed().as_secs_f64());
    let address = late_interaction::serve(Arc::new(late)).await;

    let questions = Question::read(&folder.path().join("questions.jsonl")).unwrap();
    let paraphrases = questions.iter().filter(|question| question.kind == KIND);
    let held_out = paraphrases
        .enumerate()
        .filter(|(number, _)| HELD_OUT.contains(number));
    let held_out: Vec<Question> = held_out.map(|(_, question)| question.clone()).collect();
    for (form, path) in [("scores", "rerank"), ("listwise", "chat/completions")] {
        let config = EndpointConfig {
            url: format!("http://{address}/v1/{path}"),
            model: "late-interaction".to_owned(),
            key: None,
        };
        let searcher = Searcher::new(db.pool().clone()).with_models(Models {
            embedder: Some(embedder()),
            reranker: Some(Reranker::new("reranker", &config).unwrap()),
        });
        for (what, questions) in [("all", &questions), ("held out", &held_out)] {
            println!("reranked by {form}, {what}");
            for score in evaluate(&searcher, questions).await.unwrap() {
                println!(
                    "  {:<12}{:<10}{:>4} questions: recall@10 {:.3}, nDCG@10 {:.3}",
                    score.kind, score.arm, score.questions, score.recall, score.ndcg
                );
            }
        }
    }
}
