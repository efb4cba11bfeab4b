//! Pieces of answers that models are writing.

use std::time::Duration;

use serde_json::Value;
use tarsy_model::{
    ANSWERS_CHANNEL, AnswerPart, AnswerPiece, ExecutionId, InteractionId, SessionId,
};
use tarsy_testing::wait;

use super::watcher::{PATIENCE, Watcher};
use crate::server::Server;

/// Sends pieces of one stage execution, as a stage worker does.
struct Speaker(SessionId, ExecutionId);

impl Speaker {
    async fn say(&self, server: &Server, epoch: i64, text: &str) {
        let piece = AnswerPiece {
            session_id: self.0,
            stage_execution_id: self.1,
            interaction_id: InteractionId::generate(),
            epoch,
            attempt: 1,
            part: AnswerPart::Text,
            offset: 0,
            text: text.to_owned(),
        };
        sqlx::query("select pg_notify($1, $2)")
            .bind(ANSWERS_CHANNEL)
            .bind(serde_json::to_string(&piece).unwrap())
            .execute(server.db())
            .await
            .unwrap();
    }
}

/// Text that is sent until a client receives it.
const HELLO: &str = "hello";

/// Waits until the service listens, because earlier notifications are lost.
async fn is_heard(server: &Server, watcher: &mut Watcher, session: SessionId) {
    let greeter = Speaker(session, ExecutionId::generate());
    wait::until("the service to listen", PATIENCE, async || {
        greeter.say(server, 1, HELLO).await;
        let answer = tokio::time::timeout(Duration::from_millis(200), watcher.next());
        answer.await.is_ok()
    })
    .await;
}

/// Returns the text of the next piece.
async fn text(watcher: &mut Watcher) -> Value {
    loop {
        let mut said = watcher.next().await;
        assert_eq!(said["type"], "answer_piece", "{said}");
        let text = said["data"]["text"].take();
        if text != HELLO {
            return text;
        }
    }
}

#[tokio::test]
async fn a_worker_that_lost_its_stage_is_not_heard() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe(&format!("session_{session}")).await;
    is_heard(&server, &mut watcher, session).await;
    let stage = Speaker(session, ExecutionId::generate());
    let other = Speaker(session, ExecutionId::generate());
    stage.say(&server, 1, "of the first").await;
    assert_eq!(text(&mut watcher).await, "of the first");
    stage.say(&server, 2, "of who took over").await;
    stage.say(&server, 1, "of who lost it").await;
    other.say(&server, 1, "of another stage").await;
    stage.say(&server, 2, "and more").await;
    for expected in ["of who took over", "of another stage", "and more"] {
        assert_eq!(text(&mut watcher).await, expected);
    }
}
