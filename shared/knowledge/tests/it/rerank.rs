//! Reranking, with fake models.

use serde_json::json;
use tarsy_knowledge::{Arm, Help, Models};

use crate::MAPPING;
use crate::models::{keys, query, scene, search};

#[tokio::test]
async fn a_model_orders_what_was_found_once_for_each_question() {
    let (scene, fake) = scene().await;
    // A repeated text is sent only once.
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
    // Identifiers stay first, regardless of the model's order.
    assert_eq!(keys(&search(&searcher, "tc-2 or storage").await)[0], "TC-2");
    assert_eq!(fake.requests(), 2);
    // A single result needs no order.
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
    // Passages that the model leaves out come last, in their previous order.
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
    // A model that lists none does not change the order. Neither does one with an invalid reply, and the trace shows
    // it.
    let completion = |content: &str| json!({"choices": [{"message": {"content": content}}]});
    for (content, expected) in [
        ("{\"order\": []}", None),
        ("I can't help with that.", Some("no order")),
        ("{\"order\": [99]}", Some("was not sent")),
    ] {
        fake.answer(Some(completion(content)));
        let found = search(&with_chat(), question).await;
        assert_eq!(keys(&found), keys(&lexical), "{content}");
        match expected {
            None => assert_eq!(found.trace.rerank, Help::Used),
            Some(reason) => assert!(
                matches!(&found.trace.rerank, Help::Failed(error) if error.contains(reason)),
                "{found:?}"
            ),
        }
    }
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
        let requests = fake.requests();
        let found = search(&searcher, "what host storage").await;
        assert_eq!(keys(&found), keys(&lexical));
        assert!(
            matches!(&found.trace.rerank, Help::Failed(error) if error.contains(reason)),
            "{found:?}"
        );
        let next = search(&searcher, "what host").await;
        assert!(
            matches!(&next.trace.rerank, Help::Failed(error) if error.contains("a moment ago")),
            "{next:?}"
        );
        assert_eq!(fake.requests(), requests + 1);
    }
    // Only some get scores. The others come last.
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
