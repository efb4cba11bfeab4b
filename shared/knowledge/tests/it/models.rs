//! Vectors and reranking, with fake models.

use serde_json::{Value, json};
use tarsy_knowledge::{
    Arm, Compared, Embedder, EndpointConfig, Error, Found, Help, Models, Query, Searcher, embed,
    store,
};

use crate::fake_models::FakeModels;
use crate::{MAPPING, Scene};

pub(crate) const FILE: &str = "Test ID,Title,Model,Slot,Steps\n\
    TC-1,Electricity,K210,1,what the host does when electricity fails in an outage\n\
    TC-2,Host,K300,2,what host what host what host drive\n\
    TC-3,Storage,K300,3,what the storage host does when somebody writes reads compares and writes again\n\
    TC-4,Fan,K210,4,spin\n";

pub(crate) async fn scene() -> (Scene, FakeModels) {
    let scene = Scene::new().await;
    scene.load(&scene.file("a.csv", FILE), MAPPING).await;
    (scene, FakeModels::start().await)
}

pub(crate) fn query(text: &str) -> Query {
    Query {
        text: text.to_owned(),
        ..Query::default()
    }
}

pub(crate) fn keys(found: &Found) -> Vec<&str> {
    found.results.iter().map(|hit| hit.key.as_str()).collect()
}

pub(crate) async fn search(searcher: &Searcher, text: &str) -> Found {
    searcher.search(&query(text)).await.unwrap()
}

pub(crate) async fn compute(scene: &Scene, embedder: &Embedder) -> u64 {
    let mut connection = scene.connection().await;
    let computed = embed(&mut connection, embedder, &[], |_| ()).await;
    computed.unwrap().computed
}

#[tokio::test]
async fn vectors_find_other_words_and_words_still_count() {
    let (scene, fake) = scene().await;
    let searcher = scene.searcher().with_models(Models {
        embedder: Some(fake.embedder()),
        reranker: None,
    });
    let question = "what does a host do without power";
    let lexical = searcher
        .search_by(&query(question), Arm::Lexical)
        .await
        .unwrap();
    assert_eq!(keys(&lexical)[0], "TC-2");
    assert_eq!((lexical.trace.dense, fake.requests()), (Help::Off, 0));
    // Without vectors, the order is that of words, and the trace shows it.
    let before = search(&searcher, question).await;
    assert_eq!(keys(&before)[0], "TC-2");
    assert!(
        matches!(&before.trace.dense, Help::Failed(reason) if reason.contains("tarsy knowledge embed"))
    );

    assert_eq!(compute(&scene, &fake.embedder()).await, 4);
    let hybrid = search(&searcher, question).await;
    assert_eq!(
        (keys(&hybrid)[0], &hybrid.trace.dense),
        ("TC-1", &Help::Used)
    );
    assert!(
        hybrid.results[0].dense > hybrid.results[1].dense,
        "{hybrid:?}"
    );
    let dense = searcher
        .search_by(&query(question), Arm::Dense)
        .await
        .unwrap();
    assert_eq!(keys(&dense)[0], "TC-1");
    // An identifier takes precedence over any vector.
    let exact = search(
        &searcher,
        "does tc-3 lose power in an outage of electricity?",
    )
    .await;
    assert_eq!(keys(&exact)[0], "TC-3");
    // A question's vector is requested once. Lists and lookups need none.
    let requests = fake.requests();
    search(&searcher, question).await;
    search(&searcher, "").await;
    searcher.get("tests", "TC-1").await.unwrap();
    assert_eq!(fake.requests(), requests);

    fake.answer(Some(json!(500)));
    let without = search(&searcher, "host power off").await;
    assert!(!without.results.is_empty());
    assert!(
        matches!(&without.trace.dense, Help::Failed(reason) if reason.contains("500")),
        "{without:?}"
    );
}

#[tokio::test]
async fn vectors_are_computed_once_and_deleted_with_their_chunks() {
    let (scene, fake) = scene().await;
    let embedder = fake.embedder();
    // First the endpoint fails before anything is computed. Then the run completes. Then nothing is left to do.
    fake.answer(Some(json!(400)));
    let mut connection = scene.connection().await;
    let error = embed(&mut connection, &embedder, &[], |_| ())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Model(_)), "{error}");
    fake.answer(None);
    assert_eq!(compute(&scene, &embedder).await, 4);
    let requests = fake.requests();
    assert_eq!(compute(&scene, &embedder).await, 0);
    assert_eq!(fake.requests(), requests);
    let kept =
        "select count(*) from knowledge.embeddings where dimension = 5 and length(vector) = 20";
    assert_eq!(scene.rows(kept).await, 4);

    // One record is replaced: its vector is deleted, and one is missing.
    let changed = FILE.replace("TC-4,Fan,K210,4,spin", "TC-4,Fan,K210,4,cooling");
    scene.load(&scene.file("b.csv", changed), MAPPING).await;
    assert_eq!(scene.rows(kept).await, 3);
    assert_eq!(compute(&scene, &embedder).await, 1);

    // Another model next to the first.
    assert_eq!(compute(&scene, &fake.embedder_named("fake-2")).await, 4);
    assert_eq!(scene.rows(kept).await, 8);
    let removed = store::drop_other_embeddings(&mut connection, "fake-2")
        .await
        .unwrap();
    assert_eq!((removed, scene.rows(kept).await), (4, 4));

    // The model changes its dimension but keeps its name.
    let again = FILE.replace("TC-4,Fan,K210,4,spin", "TC-5,Fan,K210,4,fan");
    scene.load(&scene.file("c.csv", again), MAPPING).await;
    fake.answer(Some(json!({"data": [{"index": 0, "embedding": [1, 2]}]})));
    let error = embed(&mut connection, &fake.embedder_named("fake-2"), &[], |_| ())
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("2 numbers, those of the store 5"),
        "{error}"
    );
    store::drop_collection(&mut connection, "tests")
        .await
        .unwrap();
    assert_eq!(
        scene
            .rows("select count(*) from knowledge.embeddings")
            .await,
        0
    );
}

#[tokio::test]
async fn invalid_vectors_are_refused() {
    let (_, fake) = scene().await;
    for answer in [
        json!({"data": []}),
        json!({"data": [{"index": 1, "embedding": [1]}]}),
        json!({"data": [{"index": 0, "embedding": []}]}),
        json!({"data": [{"index": 0, "embedding": [0, 0]}]}),
        json!({"data": [{"index": 0, "embedding": ["x"]}]}),
        json!({"error": "no"}),
        json!([]),
    ] {
        fake.answer(Some(answer.clone()));
        let embedded = fake.embedder().embed(&["a"]).await;
        assert!(embedded.is_err(), "{answer}");
    }
}

#[tokio::test]
async fn results_are_kept_until_a_load() {
    let (scene, fake) = scene().await;
    compute(&scene, &fake.embedder()).await;
    let searcher = scene.searcher().with_models(fake.both());
    let question = "what does the host do without power";
    let first = search(&searcher, question).await;
    let requests = fake.requests();
    let again = search(&searcher, question).await;
    assert_eq!(
        (first.trace.cached, again.trace.cached, fake.requests()),
        (false, true, requests)
    );
    assert_eq!(
        (&again.trace.dense, &again.trace.rerank),
        (&Help::Cached, &Help::Cached)
    );
    assert_eq!(keys(&again), keys(&first));
    // Other filters make it another search.
    let filtered = Query {
        filters: [("model".to_owned(), vec!["K300".to_owned()])].into(),
        ..query(question)
    };
    let filtered = searcher.search(&filtered).await.unwrap();
    assert!(!filtered.trace.cached && keys(&filtered).len() < keys(&first).len());
    // A load invalidates it.
    let more = "Test ID,Title,Model,Slot,Steps\nTC-7,Power,K210,1,power power power without host\n";
    scene.load(&scene.file("b.csv", more), MAPPING).await;
    let changed = search(&searcher, question).await;
    assert!(!changed.trace.cached);
    assert!(keys(&changed).contains(&"TC-7"), "{changed:?}");
    // A search in which a model failed is repeated.
    let failing = scene.searcher().with_models(fake.both());
    fake.answer(Some(json!(500)));
    search(&failing, question).await;
    fake.answer(None);
    assert_eq!(search(&failing, question).await.trace.dense, Help::Used);
}

#[tokio::test]
async fn keys_are_sent_safely_and_only_to_the_endpoint() {
    let config = |url: &str, key: Option<&str>| EndpointConfig {
        url: url.to_owned(),
        model: "m".to_owned(),
        key: key.map(str::to_owned),
    };
    let (_, _fake) = scene().await;
    for (url, key, fine) in [
        ("https://models.example/v1/embeddings", Some("k"), true),
        ("http://models.example/v1/embeddings", None, true),
        ("http://localhost:1/v1/embeddings", Some("k"), true),
        ("http://models.example/v1/embeddings", Some("k"), false),
        ("http://localhost.evil.example/v1", Some("k"), false),
        ("https://models.example/v1", Some("a\nb"), false),
        ("file:///etc/passwd", None, false),
        ("nonsense", None, false),
    ] {
        assert_eq!(
            Embedder::new("test", &config(url, key)).is_ok(),
            fine,
            "{url}"
        );
    }
    let with_password =
        Embedder::new("test", &config("https://u:p@models.example/v1", None)).unwrap();
    assert!(with_password.embed(&["x"]).await.is_err());
}

#[tokio::test]
async fn evaluation_has_a_row_for_each_arm() {
    use tarsy_knowledge::evaluation::{Question, evaluate};
    let (scene, fake) = scene().await;
    compute(&scene, &fake.embedder()).await;
    let question = |kind: &str, text: &str, key: &str| -> Question {
        let relevant = json!([{"collection": "tests", "key": key}]);
        let question: Value = json!({"kind": kind, "question": text, "relevant": relevant});
        serde_json::from_value(question).unwrap()
    };
    let questions = [
        question("identifier", "what is tc-3", "TC-3"),
        question("paraphrase", "what does a host do without power", "TC-1"),
    ];
    let searcher = scene.searcher().with_models(fake.both());
    let scores = evaluate(&searcher, &questions).await.unwrap();
    let ndcg = |arm: &str, kind: &str| {
        let row = scores
            .iter()
            .find(|score| score.arm == arm && score.kind == kind);
        row.unwrap().ndcg
    };
    assert_eq!(scores.len(), 4 * 3);
    for arm in ["lexical", "dense", "hybrid", "reranked"] {
        assert!((ndcg(arm, "identifier") - 1.0).abs() < 1e-9, "{arm}");
    }
    assert!(ndcg("lexical", "paraphrase") < 1.0);
    assert!((ndcg("hybrid", "paraphrase") - 1.0).abs() < 1e-9);
    fake.answer(Some(json!(500)));
    let error = evaluate(&scene.searcher().with_models(fake.both()), &questions)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("dense"), "{error}");
}

#[tokio::test]
async fn vectors_find_what_words_do_not() {
    let (scene, fake) = scene().await;
    compute(&scene, &fake.embedder()).await;
    let searcher = scene.searcher().with_models(Models {
        embedder: Some(fake.embedder()),
        reranker: None,
    });
    // No record contains the word, but one has its meaning.
    let found = search(&searcher, "cable?").await;
    assert_eq!(
        (keys(&found)[0], &found.trace.dense, found.trace.compared),
        ("TC-1", &Help::Used, Some(Compared::All))
    );
    let hit = &found.results[0];
    assert_eq!((hit.score, hit.before_dense), (0.0, None), "{hit:?}");
    assert_eq!((found.trace.candidates, found.results.len()), (4, 4));
    let lexical = searcher.search_by(&query("cable?"), Arm::Lexical).await;
    assert!(lexical.unwrap().results.is_empty());
    // Filters apply to vectors too.
    let filtered = Query {
        filters: [("model".to_owned(), vec!["K300".to_owned()])].into(),
        ..query("cable?")
    };
    let mut found = keys(&searcher.search(&filtered).await.unwrap())
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    found.sort_unstable();
    assert_eq!(found, ["TC-2", "TC-3"]);
    // A record that a load has replaced is not found by its old vector.
    let changed = FILE.replace(
        "TC-1,Electricity,K210,1,what the host does when electricity fails in an outage",
        "TC-1,Calm,K210,1,nothing",
    );
    scene.load(&scene.file("b.csv", changed), MAPPING).await;
    let found = search(&searcher, "cable?").await;
    assert!(!keys(&found).contains(&"TC-1"), "{found:?}");
}
