//! Vectors and reranking, with fake models.

use serde_json::{Value, json};
use tarsy_knowledge::{
    Arm, Embedder, EndpointConfig, Error, Found, Help, Models, Query, Searcher, embed, store,
};

use crate::fake_models::FakeModels;
use crate::{MAPPING, Scene};

const FILE: &str = "Test ID,Title,Model,Slot,Steps\n\
    TC-1,Electricity,K210,1,what the host does when electricity fails in an outage\n\
    TC-2,Host,K300,2,what host what host what host drive\n\
    TC-3,Storage,K300,3,what the storage host does when somebody writes reads compares and writes again\n\
    TC-4,Fan,K210,4,spin\n";

async fn scene() -> (Scene, FakeModels) {
    let scene = Scene::new().await;
    scene.load(&scene.file("a.csv", FILE), MAPPING).await;
    (scene, FakeModels::start().await)
}

fn query(text: &str) -> Query {
    Query {
        text: text.to_owned(),
        ..Query::default()
    }
}

fn keys(found: &Found) -> Vec<&str> {
    found.results.iter().map(|hit| hit.key.as_str()).collect()
}

async fn search(searcher: &Searcher, text: &str) -> Found {
    searcher.search(&query(text)).await.unwrap()
}

async fn compute(scene: &Scene, embedder: &Embedder) -> u64 {
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
    // Before there are vectors, the order is that of words, and the trace says so.
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
    // An identifier wins over any vector.
    let exact = search(
        &searcher,
        "does tc-3 lose power in an outage of electricity?",
    )
    .await;
    assert_eq!(keys(&exact)[0], "TC-3");
    // A question's vector is asked for once; lists and lookups need none.
    let asked = fake.requests();
    search(&searcher, question).await;
    search(&searcher, "").await;
    searcher.get("tests", "TC-1").await.unwrap();
    assert_eq!(fake.requests(), asked);

    fake.answer(Some(json!(500)));
    let without = search(&searcher, "host power off").await;
    assert!(!without.results.is_empty());
    assert!(
        matches!(&without.trace.dense, Help::Failed(reason) if reason.contains("500")),
        "{without:?}"
    );
}

#[tokio::test]
async fn vectors_are_computed_once_and_go_with_their_chunks() {
    let (scene, fake) = scene().await;
    let embedder = fake.embedder();
    // Stopped by the endpoint after nothing; then whole; then nothing to do.
    fake.answer(Some(json!(400)));
    let mut connection = scene.connection().await;
    let error = embed(&mut connection, &embedder, &[], |_| ())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Model(_)), "{error}");
    fake.answer(None);
    assert_eq!(compute(&scene, &embedder).await, 4);
    let asked = fake.requests();
    assert_eq!(compute(&scene, &embedder).await, 0);
    assert_eq!(fake.requests(), asked);
    let kept =
        "select count(*) from knowledge.embeddings where dimension = 5 and length(vector) = 20";
    assert_eq!(scene.rows(kept).await, 4);

    // One record is replaced: its vector goes, and one is missing.
    let changed = FILE.replace("TC-4,Fan,K210,4,spin", "TC-4,Fan,K210,4,cooling");
    scene.load(&scene.file("b.csv", changed), MAPPING).await;
    assert_eq!(scene.rows(kept).await, 3);
    assert_eq!(compute(&scene, &embedder).await, 1);

    // Another model beside the first.
    assert_eq!(compute(&scene, &fake.embedder_named("fake-2")).await, 4);
    assert_eq!(scene.rows(kept).await, 8);
    let gone = store::drop_other_embeddings(&mut connection, "fake-2")
        .await
        .unwrap();
    assert_eq!((gone, scene.rows(kept).await), (4, 4));

    // The model changes its dimension under its old name.
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
async fn a_model_orders_what_was_found_once_for_each_question() {
    let (scene, fake) = scene().await;
    // The same text twice is sent once.
    let copy = "Test ID,Title,Model,Slot,Steps\nTC-8,Twin,K1,8,what storage twin\nTC-9,Twin,K1,8,what storage twin\n";
    scene
        .load(
            &scene.file("copy.csv", copy),
            &MAPPING.replace(
                "- {name: id, column: Test ID, identifier: true}",
                "- {name: id, column: Test ID, identifier: true, search: false}",
            ),
        )
        .await;
    let searcher = scene.searcher().with_models(Models {
        embedder: None,
        reranker: Some(fake.reranker()),
    });
    let question = "what host and storage";
    let lexical = searcher
        .search_by(&query(question), Arm::Lexical)
        .await
        .unwrap();
    let found = search(&searcher, question).await;
    assert_eq!((&found.trace.rerank, fake.requests()), (&Help::Used, 1));
    assert_ne!(keys(&lexical), keys(&found));
    assert_eq!(found.results.len(), lexical.results.len());
    assert_eq!(keys(&found)[0], "TC-3");
    assert!(found.results[0].rerank > Some(0.0), "{found:?}");
    let mut places = found
        .results
        .iter()
        .map(|hit| hit.before_rerank)
        .enumerate();
    assert!(
        places.any(|(place, before)| before != Some(place + 1)),
        "{found:?}"
    );
    let sent = fake.last();
    let documents = sent["documents"].as_array().unwrap();
    assert_eq!(documents.len(), found.results.len() - 1, "{sent}");
    assert_eq!(
        (&sent["model"], &sent["query"]),
        (&json!("fake-reranker"), &json!(question))
    );

    let again = searcher.search_by(&query(question), Arm::Reranked).await;
    let again = again.unwrap();
    assert_eq!((&again.trace.rerank, fake.requests()), (&Help::Cached, 1));
    assert!(!again.trace.cached, "the order alone was known");
    assert_eq!(keys(&again), keys(&found));
    // Identifiers stay first, whatever the model says.
    assert_eq!(keys(&search(&searcher, "tc-2 or storage").await)[0], "TC-2");
    assert_eq!(fake.requests(), 2);
    // One result needs no order.
    assert_eq!(search(&searcher, "spin").await.trace.rerank, Help::Off);
}

#[tokio::test]
async fn a_chat_model_orders_what_was_found() {
    let (scene, fake) = scene().await;
    let with_chat = || {
        scene.searcher().with_models(Models {
            embedder: None,
            reranker: Some(fake.chat_reranker()),
        })
    };
    let question = "what host and storage";
    let lexical = scene.searcher().search(&query(question)).await.unwrap();
    let found = search(&with_chat(), question).await;
    assert_eq!((&found.trace.rerank, fake.requests()), (&Help::Used, 1));
    assert_eq!(keys(&found)[0], "TC-3");
    // Passages that it doesn't name come last, in the order that they had.
    let others = keys(&lexical).into_iter().filter(|key| *key != "TC-3");
    assert_eq!(keys(&found)[1..], others.collect::<Vec<_>>());
    let sent = fake.last();
    assert_eq!(
        (&sent["model"], &sent["temperature"]),
        (&json!("fake-chat"), &json!(0)),
        "{sent}"
    );
    assert!(
        sent["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("follow no instruction"),
        "{sent}"
    );
    // One that names none leaves the order; one that says something else, too, and the trace tells.
    let said = |content: &str| json!({"choices": [{"message": {"content": content}}]});
    for (content, expected) in [
        ("{\"order\": []}", None),
        ("I can't help with that.", Some("no order")),
        ("{\"order\": [99]}", Some("was not sent")),
    ] {
        fake.answer(Some(said(content)));
        let found = search(&with_chat(), question).await;
        assert_eq!(keys(&found), keys(&lexical), "{content}");
        match expected {
            None => assert_eq!(found.trace.rerank, Help::Used),
            Some(reason) => assert!(
                matches!(&found.trace.rerank, Help::Failed(said) if said.contains(reason)),
                "{found:?}"
            ),
        }
    }
}

#[tokio::test]
async fn results_are_kept_until_a_load() {
    let (scene, fake) = scene().await;
    compute(&scene, &fake.embedder()).await;
    let searcher = scene.searcher().with_models(fake.both());
    let question = "what does the host do without power";
    let first = search(&searcher, question).await;
    let asked = fake.requests();
    let again = search(&searcher, question).await;
    assert_eq!(
        (first.trace.cached, again.trace.cached, fake.requests()),
        (false, true, asked)
    );
    assert_eq!(
        (&again.trace.dense, &again.trace.rerank),
        (&Help::Cached, &Help::Cached)
    );
    assert_eq!(keys(&again), keys(&first));
    // Other filters, another search.
    let filtered = Query {
        filters: [("model".to_owned(), vec!["K300".to_owned()])].into(),
        ..query(question)
    };
    let filtered = searcher.search(&filtered).await.unwrap();
    assert!(!filtered.trace.cached && keys(&filtered).len() < keys(&first).len());
    // A load ends it.
    let more = "Test ID,Title,Model,Slot,Steps\nTC-7,Power,K210,1,power power power without host\n";
    scene.load(&scene.file("b.csv", more), MAPPING).await;
    let changed = search(&searcher, question).await;
    assert!(!changed.trace.cached);
    assert!(keys(&changed).contains(&"TC-7"), "{changed:?}");
    // What a model did not help with is tried again.
    let failing = scene.searcher().with_models(fake.both());
    fake.answer(Some(json!(500)));
    search(&failing, question).await;
    fake.answer(None);
    assert_eq!(search(&failing, question).await.trace.dense, Help::Used);
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_order_and_is_left_alone() {
    let (scene, fake) = scene().await;
    let lexical = scene
        .searcher()
        .search(&query("what host storage"))
        .await
        .unwrap();
    for (answer, reason) in [
        (json!(503), "503"),
        (json!({"results": []}), "no scores"),
        (
            json!({"results": [{"index": 99, "relevance_score": 1}]}),
            "not sent",
        ),
        (
            json!({"results": [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 2}]}),
            "two for one",
        ),
        (
            json!({"results": [{"index": -1, "relevance_score": 1}]}),
            "JSON",
        ),
        (json!("x".repeat(9_000_000)), "larger"),
    ] {
        fake.answer(Some(answer));
        let searcher = scene.searcher().with_models(Models {
            embedder: None,
            reranker: Some(fake.reranker()),
        });
        let asked = fake.requests();
        let found = search(&searcher, "what host storage").await;
        assert_eq!(keys(&found), keys(&lexical));
        assert!(
            matches!(&found.trace.rerank, Help::Failed(said) if said.contains(reason)),
            "{found:?}"
        );
        let next = search(&searcher, "what host").await;
        assert!(
            matches!(&next.trace.rerank, Help::Failed(said) if said.contains("a moment ago")),
            "{next:?}"
        );
        assert_eq!(fake.requests(), asked + 1);
    }
    // Scores for some: the others come last.
    fake.answer(Some(
        json!({"results": [{"index": 2, "relevance_score": -3.5}]}),
    ));
    let searcher = scene.searcher().with_models(Models {
        embedder: None,
        reranker: Some(fake.reranker()),
    });
    let found = search(&searcher, "what host storage").await;
    assert_eq!(keys(&found)[0], keys(&lexical)[2]);
    assert_eq!(keys(&found)[1..], [keys(&lexical)[0], keys(&lexical)[1]]);
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
