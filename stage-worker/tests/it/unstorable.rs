//! Tests that data which the database can't store fails its stage once, and is not paid for again.

use serde_json::json;
use tarsy_testing::TestDb;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};

use crate::bench::{Bench, CONFIG};

fn answered(bench: &Bench) -> usize {
    bench.llm.requests().iter().filter(|r| r.answered).count()
}

/// Creates a database like those of operators before this encoding was refused.
async fn latin1() -> TestDb {
    let db = TestDb::empty_in("LATIN1").await.expect("a database");
    let mut conn = db.pool().acquire().await.expect("a connection");
    tarsy_store::MIGRATOR.run(&mut *conn).await.expect("tables");
    db
}

#[tokio::test]
async fn an_answer_that_latin1_lacks_is_paid_for_once() {
    let model = |_: &SeenRequest| Behaviour::text("pod-1 \u{2192} stuck");
    let bench = Bench::on(latin1().await, CONFIG, model).await;
    let ended = bench.run(json!({"host": "db-1"}), "").await;
    assert_eq!(ended.row["status"], "failed", "{}", ended.row);
    assert_eq!(ended.row["error_class"], "unstorable");
    let why = ended.row["error_message"].as_str().unwrap_or_default();
    assert!(why.contains("LATIN1") && why.is_ascii(), "{why}");
    assert_eq!(answered(&bench), 1, "no answer is bought again");
}

#[tokio::test]
async fn a_tool_s_answer_that_latin1_lacks_fails_the_stage_too() {
    let model = |request: &SeenRequest| match request.assistant_turns() {
        0 => Behaviour::Answer(FakeAnswer::tool_calls([(
            "demo__look",
            json!({"part": "core"}),
        )])),
        _ => Behaviour::text("Nothing is wrong."),
    };
    let bench = Bench::on(latin1().await, CONFIG, model).await;
    bench.part("core", "\u{4f60}\u{597d}");
    let ended = bench.run(json!({"host": "db-1"}), "").await;
    assert_eq!(ended.row["error_class"], "unstorable", "{}", ended.row);
    assert_eq!(answered(&bench), 1);
}

#[tokio::test]
async fn an_end_that_is_refused_for_its_content_fails_the_stage() {
    let model = |_: &SeenRequest| Behaviour::text("Nothing is wrong.");
    let bench = Bench::new(model).await;
    for statement in [
        "create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'character has no equivalent' using errcode = '22P05'; end $$",
        "create trigger refuse before update on stage_executions for each row
         when (new.stage_output is not null) execute function refuse()",
    ] {
        sqlx::query(statement)
            .execute(bench.db.pool())
            .await
            .expect("a trigger");
    }
    let ended = bench.run(json!({"host": "db-1"}), "").await;
    assert_eq!(ended.row["error_class"], "unstorable", "{}", ended.row);
    let why = ended.row["error_message"].as_str().unwrap_or_default();
    assert!(why.contains("no equivalent"), "{why}");
    // A conclusion without a call is returned to the model once. That the end can't be stored causes no further model
    // call.
    assert_eq!(answered(&bench), 2);
}
