//! Checks that each plan finds the same nearest chunks as an exact comparison. A walk of the index may miss a few.

use std::fmt::Write as _;

use tarsy_knowledge::{Arm, Compared, Query, Searcher};

use super::{of_model, searcher};
use crate::fake_models::FakeModels;
use crate::models::{compute, query};
use crate::{MAPPING, Scene};

/// Number of records. Each hundredth is of model `RARE`, each fifth of the others of `K2`, the rest of `K1`.
const RECORDS: usize = 2_100;
/// Number of vectors that can't be results, like those of another collection. All are about power.
const OTHERS: usize = 12_000;
/// Number of the ten nearest to each of `WALKS` that the walks must find in total. The graph of the index is random,
/// and a walk may miss some. A walk in the wrong order would find almost none.
const WALKED: usize = 80;
const QUESTIONS: [&str; 3] = ["disk fan?", "power of the fan?", "reboot reboot cooling?"];
const WALKS: [&str; 10] = [
    "disk fan?",
    "power of the fan?",
    "reboot reboot cooling?",
    "disk?",
    "fan fan reboot?",
    "reboot disk?",
    "fan?",
    "power reboot?",
    "disk disk power?",
    "power disk fan reboot?",
];

fn records() -> String {
    let mut file = "Test ID,Title,Model,Slot,Steps\n".to_owned();
    for number in 0..RECORDS {
        let model = match number {
            _ if number % 100 == 0 => "RARE",
            _ if number % 5 == 0 => "K2",
            _ => "K1",
        };
        // Vectors in all directions.
        let steps = [("power ", 3), ("reboot ", 5), ("disk ", 7), ("fan ", 11)];
        let steps = steps.map(|(word, times)| word.repeat(1 + number / times % (times + 1)));
        writeln!(file, "P-{number},{number},{model},1,{}step", steps.concat()).unwrap();
    }
    file
}

/// Returns the ten best cosines of chunks that pass, by comparing all of them.
async fn exact(scene: &Scene, question: &[f32], model: &str) -> Vec<f32> {
    let rows: Vec<Vec<u8>> = sqlx::query_scalar(
        "select e.vector from knowledge.embeddings e join knowledge.chunks c using (chunk_id)
           join knowledge.records r using (record_id) where r.fields->>'model' like $1",
    )
    .bind(model)
    .fetch_all(scene.db.pool())
    .await
    .unwrap();
    let cosine = |bytes: &Vec<u8>| -> f32 {
        let numbers = bytes.as_chunks::<4>().0.iter();
        let numbers = numbers.map(|bytes| f32::from_le_bytes(*bytes));
        numbers.zip(question).map(|(a, b)| a * b).sum()
    };
    let mut cosines: Vec<f32> = rows.iter().map(cosine).collect();
    cosines.sort_by(|a, b| b.total_cmp(a));
    cosines.truncate(10);
    cosines
}

/// Returns how many of the ten results are among the ten nearest. It compares cosines, because records with equal
/// vectors are interchangeable. Half precision may swap close ones.
async fn near(
    scene: &Scene,
    searcher: &Searcher,
    fake: &FakeModels,
    (filtered, model): (&Query, &str),
) -> usize {
    let text = filtered.text.as_str();
    let vector = fake.embedder().embed(&[text]).await.unwrap().remove(0);
    let found = searcher.search_by(filtered, Arm::Dense).await.unwrap();
    let results = found.results.iter();
    let found: Vec<f32> = results.map(|hit| hit.dense.unwrap()).collect();
    let exact = exact(scene, &vector, model).await;
    assert_eq!((found.len(), exact.len()), (10, 10));
    let tenth = exact[9] - 2e-3;
    found.iter().filter(|cosine| **cosine >= tenth).count()
}

#[tokio::test]
async fn each_plan_finds_what_an_exact_comparison_finds() {
    let Some(scene) = Scene::with_pgvector().await else {
        return;
    };
    let fake = FakeModels::start().await;
    scene.load(&scene.file("p.csv", records()), MAPPING).await;
    let others = format!(
        "insert into knowledge.embeddings (model, chunk_id, dimension, vector, nearest)
         select 'fake-embedder', 10000000 + n, 5, decode(repeat('0000803f', 5), 'hex'),
                format('[1,%s,%s,%s,0.1]', sin(n) / 9, cos(n * 1.7) / 9, sin(n * 0.3) / 9)::halfvec
           from generate_series(1, {OTHERS}) n"
    );
    let mut connection = scene.connection().await;
    sqlx::query(sqlx::AssertSqlSafe(others))
        .execute(&mut *connection)
        .await
        .unwrap();
    compute(&scene, &fake.embedder()).await;
    let searcher = searcher(&scene, &fake);
    for text in QUESTIONS {
        // 21 chunks are compared here, 1,680 in Postgres. For all 2,100, the index is walked.
        for model in ["RARE", "K1"] {
            let filtered = of_model(text, model);
            let found = searcher.search_by(&filtered, Arm::Hybrid).await.unwrap();
            assert_eq!(found.trace.compared, Some(Compared::All), "{model}");
            let near = near(&scene, &searcher, &fake, (&filtered, model)).await;
            assert_eq!(near, 10, "{text} {model}");
        }
    }
    let mut walked = Vec::new();
    for text in WALKS {
        let found = searcher.search_by(&query(text), Arm::Hybrid).await.unwrap();
        assert_eq!(found.trace.compared, Some(Compared::Nearest));
        walked.push(near(&scene, &searcher, &fake, (&query(text), "%")).await);
    }
    assert!(
        walked.iter().sum::<usize>() >= WALKED,
        "of the ten nearest to each: {walked:?}"
    );
    // So few are wanted that the first part of the walk is short and finds none of them.
    for limit in 1..=5 {
        let few = Query {
            limit,
            ..of_model("power?", "K1")
        };
        let found = searcher.search_by(&few, Arm::Hybrid).await.unwrap();
        assert_eq!(found.results.len(), limit);
    }
    // The walk finds none that can be a result.
    let text = "power?";
    let found = searcher.search_by(&query(text), Arm::Hybrid).await.unwrap();
    assert_eq!(found.trace.compared, Some(Compared::All));
    let near = near(&scene, &searcher, &fake, (&query(text), "%")).await;
    assert_eq!(near, 10);
}
