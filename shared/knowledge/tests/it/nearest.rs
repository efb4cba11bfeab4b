//! Search by vectors among many chunks: with the index of pgvector if there is one, otherwise among those that words
//! found.

mod plans;

use std::fmt::Write as _;

use tarsy_knowledge::{Compared, Found, Help, Models, Query, Searcher, store};

use crate::fake_models::FakeModels;
use crate::models::{compute, keys, query, scene, search};
use crate::{MAPPING, Scene};

/// More chunks than are all compared, without and with the index.
const MANY_ALONE: usize = 5_100;
const MANY: usize = 2_400;

/// A file of records of model `K1` (each hundredth is `RARE`), one of which is about drives.
fn many(count: usize) -> String {
    let mut file = "Test ID,Title,Model,Slot,Steps\n".to_owned();
    for number in 0..count {
        let model = if number % 100 == 0 { "RARE" } else { "K1" };
        // The vectors must differ, because an index of equal ones is not a graph.
        let steps = match number {
            1_400 => "drive".to_owned(),
            _ => {
                let (power, reboot) = (number % 30, number / 30 % 30);
                format!("{}{}spin", "power ".repeat(power), "reboot ".repeat(reboot))
            }
        };
        writeln!(file, "M-{number},{number},{model},1,{steps}").unwrap();
    }
    file
}

fn searcher(scene: &Scene, fake: &FakeModels) -> Searcher {
    scene.searcher().with_models(Models {
        embedder: Some(fake.embedder()),
        reranker: None,
    })
}

fn of_model(text: &str, model: &str) -> Query {
    Query {
        filters: [("model".to_owned(), vec![model.to_owned()])].into(),
        ..query(text)
    }
}

async fn search_model(searcher: &Searcher, text: &str, model: &str) -> Found {
    searcher.search(&of_model(text, model)).await.unwrap()
}

#[tokio::test]
async fn without_an_index_many_chunks_need_words_or_a_filter() {
    let (scene, fake) = scene().await;
    scene
        .load(&scene.file("many.csv", many(MANY_ALONE)), MAPPING)
        .await;
    compute(&scene, &fake.embedder()).await;
    // The server of this test may have pgvector.
    let mut connection = scene.connection().await;
    sqlx::query("alter table knowledge.embeddings drop column if exists nearest")
        .execute(&mut *connection)
        .await
        .unwrap();
    let searcher = searcher(&scene, &fake);
    let found = search(&searcher, "disk?").await;
    assert_eq!(
        (found.trace.compared, &found.trace.dense),
        (Some(Compared::Words), &Help::Off)
    );
    assert!(found.results.is_empty());
    // Few chunks pass the filter, so all of them are compared.
    let filtered = search_model(&searcher, "disk?", "RARE").await;
    assert_eq!(filtered.trace.compared, Some(Compared::All));
    assert_eq!(keys(&filtered)[0], "M-1400");
}

#[tokio::test]
async fn pgvector_finds_the_nearest_of_many() {
    let Some(scene) = Scene::with_pgvector().await else {
        return;
    };
    let fake = FakeModels::start().await;
    scene
        .load(&scene.file("a.csv", crate::models::FILE), MAPPING)
        .await;
    scene
        .load(&scene.file("many.csv", many(MANY)), MAPPING)
        .await;
    let indexes = "select count(*) from pg_index i join pg_class c on c.oid = i.indexrelid
                    where c.relname like 'nearest\\_%' and i.indisvalid";
    assert_eq!(scene.rows(indexes).await, 0);
    compute(&scene, &fake.embedder()).await;
    assert_eq!(scene.rows(indexes).await, 1);
    let searcher = searcher(&scene, &fake);
    let found = search(&searcher, "disk?").await;
    assert_eq!(
        (found.trace.compared, &found.trace.dense),
        (Some(Compared::Nearest), &Help::Used)
    );
    // Words with the same meaning: storage, drive.
    let mut first = keys(&found)[..3].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["M-1400", "TC-2", "TC-3"]);
    // Few chunks pass the filter, so all of them are compared.
    let filtered = search_model(&searcher, "disk?", "RARE").await;
    assert_eq!(filtered.trace.compared, Some(Compared::All));
    assert_eq!(keys(&filtered)[0], "M-1400");

    // A new record is in the index as soon as its vector is. A replaced one is not found by its old vector.
    let later =
        "Test ID,Title,Model,Slot,Steps\nM-9999,9999,K1,1,storage\nM-1400,1400,RARE,1,power\n";
    scene.load(&scene.file("later.csv", later), MAPPING).await;
    let found = search(&searcher, "disk?").await;
    assert!(!keys(&found).contains(&"M-1400"), "{found:?}");
    assert_eq!(compute(&scene, &fake.embedder()).await, 2);
    let found = search(&searcher, "disk drive?").await;
    let mut first = keys(&found)[..3].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["M-9999", "TC-2", "TC-3"]);
}

/// None of the nearest chunks passes the filter, and more pass it than are all compared. So the index is asked for
/// more.
#[tokio::test]
async fn the_index_is_asked_for_more_when_a_filter_leaves_too_few() {
    let Some(scene) = Scene::with_pgvector().await else {
        return;
    };
    let fake = FakeModels::start().await;
    let mut file = many(MANY);
    for number in 0..600 {
        let steps = format!(
            "{}{}disk",
            "power ".repeat(number % 30),
            "reboot ".repeat(number / 30)
        );
        writeln!(file, "D-{number},{number},NEAR,1,drive storage {steps}").unwrap();
    }
    scene
        .load(
            &scene.file("many.csv", file.replace(",RARE,", ",K1,")),
            MAPPING,
        )
        .await;
    compute(&scene, &fake.embedder()).await;
    let searcher = searcher(&scene, &fake);
    let found = search(&searcher, "cable disk?").await;
    assert_eq!(found.trace.compared, Some(Compared::Nearest));
    assert!(
        keys(&found).iter().all(|key| key.starts_with("D-")),
        "{found:?}"
    );
    let found = search_model(&searcher, "cable disk?", "K1").await;
    assert_eq!(found.trace.compared, Some(Compared::Nearest));
    assert_eq!(found.results.len(), 10);
    assert!(
        keys(&found).iter().all(|key| key.starts_with("M-")),
        "{found:?}"
    );
    assert!(found.results.iter().all(|hit| hit.dense.is_some()));
}

/// A store from before pgvector: `enable` adds the column, and `embed` fills and indexes earlier vectors.
#[tokio::test]
async fn vectors_of_before_are_indexed_when_pgvector_comes() {
    let Some(scene) = Scene::with_pgvector().await else {
        return;
    };
    let fake = FakeModels::start().await;
    let mut connection = scene.connection().await;
    sqlx::query("alter table knowledge.embeddings drop column nearest")
        .execute(&mut *connection)
        .await
        .unwrap();
    scene
        .load(&scene.file("many.csv", many(MANY_ALONE)), MAPPING)
        .await;
    compute(&scene, &fake.embedder()).await;
    let searcher = searcher(&scene, &fake);
    let found = search(&searcher, "disk?").await;
    assert_eq!(found.trace.compared, Some(Compared::Words));
    store::enable(&mut connection).await.unwrap();
    assert_eq!(compute(&scene, &fake.embedder()).await, 0);
    let found = search(&searcher, "storage?").await;
    assert_eq!(found.trace.compared, Some(Compared::Nearest));
    assert_eq!(keys(&found)[0], "M-1400");
}
