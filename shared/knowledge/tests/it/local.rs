//! Vectors from a model in a folder: all-MiniLM-L6-v2, as `cargo xtask setup` fetches it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tarsy_knowledge::evaluation::{Question, Score, evaluate};
use tarsy_knowledge::{
    Embedder, Error, LoadOptions, Mapping, Models, demo, embed, load as load_file,
};
use tarsy_testing::tools;

use crate::Scene;

#[expect(clippy::print_stderr, reason = "part of a test's output")]
fn minilm() -> Option<Embedder> {
    let Some(folder) = tools::minilm() else {
        eprintln!("NOT RUN: no all-MiniLM-L6-v2; `cargo xtask setup` fetches it");
        return None;
    };
    Some(Embedder::local(&folder, None).unwrap())
}

#[tokio::test]
async fn a_local_model_has_the_name_of_its_folder_and_errors_name_the_file() {
    let empty = tempfile::tempdir().unwrap();
    let error = Embedder::local(empty.path(), Some("m")).unwrap_err();
    assert!(matches!(error, Error::LocalModel(_)), "{error}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("config.json"), "{cause}");
    Embedder::local(&empty.path().join("missing"), None).unwrap_err();
    let Some(model) = minilm() else {
        return;
    };
    assert_eq!(model.model(), "all-MiniLM-L6-v2");
}

/// Batches are computed outside the runtime's own thread, and are returned in order.
#[tokio::test]
async fn computing_does_not_block_the_runtime() {
    let Some(model) = minilm() else {
        return;
    };
    let is_done = Arc::new(AtomicBool::new(false));
    let turns = Arc::new(AtomicU64::new(0));
    let other = tokio::spawn({
        let (is_done, turns) = (Arc::clone(&is_done), Arc::clone(&turns));
        async move {
            while !is_done.load(Ordering::Relaxed) {
                turns.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        }
    });
    let texts: Vec<String> = (0..40)
        .map(|number| format!("{number} {}", "watchdog reset ".repeat(number % 7)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed(&texts).await.unwrap();
    is_done.store(true, Ordering::Relaxed);
    other.await.unwrap();
    assert!(turns.load(Ordering::Relaxed) > 100);
    for number in [0, 7, 8, 39] {
        let alone = model.embed(&texts[number..=number]).await.unwrap();
        let cosine: f32 = together[number]
            .iter()
            .zip(&alone[0])
            .map(|(a, b)| a * b)
            .sum();
        assert!(cosine > 0.9999, "{number}: {cosine}");
    }
}

/// Keeps one of the five variants of each test case of every second model, and a tenth of the hosts. Vectors of all
/// records would take more than a minute.
fn is_kept(key: &str) -> bool {
    let digits = key.chars().filter(char::is_ascii_digit);
    let number: u64 = digits.collect::<String>().parse().unwrap_or(0);
    number.is_multiple_of(10)
}

/// Writes the demo data, without the records that are not kept.
fn write_some(folder: &Path) -> Vec<Question> {
    demo::write(folder).unwrap();
    let rewrite = |name: &str, change: &dyn Fn(&str) -> String| {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, change(&text)).unwrap();
    };
    // Only rows start with an id; cells may contain several lines.
    rewrite("test_cases.csv", &|text| {
        let (head, rows) = text.split_once("\nTC-").unwrap();
        let rows = rows.split("\nTC-").filter(|row| is_kept(&row[..5]));
        rows.fold(head.to_owned(), |text, row| format!("{text}\nTC-{row}"))
    });
    rewrite("system_logs.jsonl", &|text| {
        let hosts = text.lines().filter(|line| {
            let host: serde_json::Value = serde_json::from_str(line).unwrap();
            is_kept(host["host"]["name"].as_str().unwrap())
        });
        hosts.map(|line| format!("{line}\n")).collect()
    });
    let mut questions = Question::read(&folder.join("questions.jsonl")).unwrap();
    for question in &mut questions {
        question.relevant.retain(|one| is_kept(&one.key));
    }
    questions.retain(|question| !question.relevant.is_empty());
    questions
}

async fn load_some(scene: &Scene) -> Vec<Question> {
    let folder = scene.folder.path();
    let questions = write_some(folder);
    for (file, collection) in [
        ("test_cases.csv", "test_cases"),
        ("system_logs.jsonl", "system_logs"),
    ] {
        let mapping = folder.join(format!("{collection}.mapping.yaml"));
        let mapping = std::fs::read_to_string(mapping).unwrap();
        let options = LoadOptions {
            collection: collection.to_owned(),
            mapping: Mapping::parse(collection, &mapping).unwrap(),
            rejects: folder.join(format!("{collection}.rejected")),
            again: false,
            masker: tarsy_masking::Masker::group(tarsy_masking::DEFAULT_GROUP).unwrap(),
        };
        let mut connection = scene.connection().await;
        load_file(&mut connection, &folder.join(file), &options, |_| ())
            .await
            .unwrap();
    }
    questions
}

/// Checks the quality of hybrid search that decision 0056 promises, on a tenth of the demo's records with all questions
/// that remain.
#[tokio::test]
async fn hybrid_search_finds_as_much_as_the_better_of_words_and_vectors() {
    let Some(model) = minilm() else {
        return;
    };
    let scene = Scene::new().await;
    let questions = load_some(&scene).await;
    let mut connection = scene.connection().await;
    let progress = embed(&mut connection, &model, &[], |_| ()).await.unwrap();
    assert!((230..=270).contains(&progress.computed), "{progress:?}");
    let searcher = scene.searcher().with_models(Models {
        embedder: Some(model),
        reranker: None,
    });
    let scores = evaluate(&searcher, &questions).await.unwrap();
    let score = |arm: &str, kind: &str| -> &Score {
        let mut scores = scores.iter();
        let found = scores.find(|score| score.arm == arm && score.kind == kind);
        found.unwrap()
    };
    for (kind, least) in [("identifier", 5), ("paraphrase", 30)] {
        let [words, vectors, hybrid] = ["lexical", "dense", "hybrid"].map(|arm| score(arm, kind));
        assert!(hybrid.questions >= least, "{hybrid:?}");
        for other in [words, vectors] {
            assert!(hybrid.recall >= other.recall, "{hybrid:?} {other:?}");
            assert!(hybrid.ndcg >= other.ndcg, "{hybrid:?} {other:?}");
        }
    }
    let better = score("hybrid", "paraphrase").recall - score("lexical", "paraphrase").recall;
    assert!(better > 0.2, "{scores:#?}");
}
