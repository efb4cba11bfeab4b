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
struct Sender(SessionId, ExecutionId);

impl Sender {
    async fn send(&self, server: &Server, epoch: i64, text: &str) {
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
async fn until_received(server: &Server, watcher: &mut Watcher, session: SessionId) {
    let greeter = Sender(session, ExecutionId::generate());
    wait::until("the service to listen", PATIENCE, async || {
        greeter.send(server, 1, HELLO).await;
        let answer = tokio::time::timeout(Duration::from_millis(200), watcher.next());
        answer.await.is_ok()
    })
    .await;
}

/// Returns the text of the next piece.
async fn text(watcher: &mut Watcher) -> Value {
    loop {
        let mut message = watcher.next().await;
        assert_eq!(message["type"], "answer_piece", "{message}");
        let text = message["data"]["text"].take();
        if text != HELLO {
            return text;
        }
    }
}

#[tokio::test]
async fn pieces_of_a_worker_that_lost_its_stage_are_ignored() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe(&format!("session_{session}")).await;
    until_received(&server, &mut watcher, session).await;
    let stage = Sender(session, ExecutionId::generate());
    let other = Sender(session, ExecutionId::generate());
    stage.send(&server, 1, "of the first").await;
    assert_eq!(text(&mut watcher).await, "of the first");
    stage.send(&server, 2, "of who took over").await;
    stage.send(&server, 1, "of who lost it").await;
    other.send(&server, 1, "of another stage").await;
    stage.send(&server, 2, "and more").await;
    for expected in ["of who took over", "of another stage", "and more"] {
        assert_eq!(text(&mut watcher).await, expected);
    }
}
