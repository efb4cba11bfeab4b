//! Targets are told of a session's end, over real HTTP.

mod unreadable;

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_chain_worker::{Notifier, Target, WEBHOOK_QUEUE, delivery_job};
use tarsy_config::{NotificationFormat, Secret};
use tarsy_model::SessionId;
use tarsy_queue::{Waker, Worker};
use tarsy_store::NewDelivery;
use tarsy_testing::{TestDb, wait};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(30);

/// A target that answers with these statuses, the last one for ever, and shows what it got.
async fn receiver(statuses: &'static [u16]) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (heard, hearing) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for turn in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !is_whole(&request) {
                let mut chunk = [0; 4096];
                let read = stream.read(&mut chunk).await.unwrap();
                request.extend_from_slice(&chunk[..read]);
            }
            let status = statuses.get(turn).or(statuses.last()).unwrap();
            let answer = format!(
                "HTTP/1.1 {status} x\r\nlocation: http://169.254.169.254/\r\ncontent-length: 6\r\n\r\nsecret"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
            let _ = heard.send(String::from_utf8(request).unwrap());
        }
    });
    (url, hearing)
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .unwrap();
    body.len() >= length.parse().unwrap()
}

struct Rig {
    db: TestDb,
    stop: CancellationToken,
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Rig {
    async fn start(url: &str, private: bool) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let db = TestDb::new().await;
        let target = Target {
            name: "ops".to_owned(),
            url: url.parse().unwrap(),
            format: NotificationFormat::Standard,
            secret: Some(Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")),
            events: vec!["completed".to_owned()],
            private,
            http: true,
        };
        let notifier = Notifier::new(db.pool().clone(), vec![target]);
        let worker = Worker::builder(db.pool().clone(), db.url())
            .role("notifier")
            .version("test")
            .queues([WEBHOOK_QUEUE])
            .slots(2)
            .waker(Waker::new(db.pool().clone()))
            .handler(notifier)
            .unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(worker.run(stop.clone()));
        Self { db, stop }
    }

    fn pool(&self) -> &PgPool {
        self.db.pool()
    }

    /// A session that has ended, and the delivery about it.
    async fn end_a_session(&self) -> Uuid {
        let session_id = SessionId::generate();
        sqlx::query(
            "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                                         fingerprint, status, completed_at_us, chain_id, chain_definition, final_analysis)
             values ($1, gen_random_uuid(), 'kubernetes', '{}', 'critical', 1, 'api', $1::text, 'completed', now_us(), 'c', '{}', 'all is well')",
        )
        .bind(session_id.as_uuid())
        .execute(self.pool())
        .await
        .unwrap();
        let delivery_id = Uuid::now_v7();
        let delivery = NewDelivery {
            delivery_id,
            session_id,
            target: "ops".to_owned(),
            event: "session.completed".to_owned(),
        };
        let mut tx = self.pool().begin().await.unwrap();
        tarsy_store::insert_deliveries(&mut tx, &[delivery])
            .await
            .unwrap();
        tarsy_queue::enqueue(&mut tx, &[delivery_job(delivery_id)])
            .await
            .unwrap();
        tx.commit().await.unwrap();
        delivery_id
    }

    async fn state(&self) -> (String, i32, Option<i32>, Option<String>) {
        sqlx::query_as(
            "select state::text, attempts, response_status, error from webhook_deliveries",
        )
        .fetch_one(self.pool())
        .await
        .unwrap()
    }

    async fn attempts(&self, count: i32) {
        wait::until("an attempt", PATIENCE, async || {
            self.state().await.1 == count
        })
        .await;
    }
}

#[tokio::test]
async fn a_target_is_told_once_and_signed() {
    let (url, mut heard) = receiver(&[204]).await;
    let rig = Rig::start(&url, true).await;
    let id = rig.end_a_session().await;
    rig.attempts(1).await;
    assert_eq!(
        rig.state().await,
        ("delivered".to_owned(), 1, Some(204), None)
    );
    let request = heard.recv().await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let header = |name: &str| {
        head.lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")))
            .unwrap()
    };
    assert_eq!(header("webhook-id"), id.to_string());
    assert!(header("webhook-signature").starts_with("v1,"));
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (&body["type"], &body["data"]["final_analysis"]),
        (&json!("session.completed"), &json!("all is well"))
    );
}

#[tokio::test]
async fn a_target_that_fails_is_tried_again_with_the_same_id() {
    let (url, mut heard) = receiver(&[500, 302, 200]).await;
    let rig = Rig::start(&url, true).await;
    rig.end_a_session().await;
    for (attempt, status) in [(1, 500), (2, 302)] {
        rig.attempts(attempt).await;
        let (state, _, response, error) = rig.state().await;
        assert_eq!((state.as_str(), response), ("pending", Some(status)));
        assert!(
            !error.unwrap().contains("secret"),
            "nothing of an answer is kept"
        );
        wait::until("its job to wait", PATIENCE, async || {
            let moved = sqlx::query(
                "update jobs set run_at = now(), rank = now() where state = 'scheduled'",
            );
            moved.execute(rig.pool()).await.unwrap().rows_affected() == 1
        })
        .await;
    }
    rig.attempts(3).await;
    assert_eq!(
        rig.state().await,
        ("delivered".to_owned(), 3, Some(200), None)
    );
    let mut ids = Vec::new();
    for _ in 0..3 {
        let request = heard.recv().await.unwrap();
        ids.push(
            request
                .lines()
                .find_map(|line| line.strip_prefix("webhook-id: ").map(str::to_owned))
                .unwrap(),
        );
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
}

#[tokio::test]
async fn an_address_inside_is_not_asked_unless_allowed() {
    let (url, mut heard) = receiver(&[200]).await;
    let rig = Rig::start(&url, false).await;
    rig.end_a_session().await;
    rig.attempts(1).await;
    let (state, _, status, error) = rig.state().await;
    assert_eq!((state.as_str(), status), ("pending", None));
    assert!(error.unwrap().contains("not public"));
    assert!(heard.try_recv().is_err());
}

#[tokio::test]
async fn gone_means_never_again() {
    let (url, _heard) = receiver(&[410]).await;
    let rig = Rig::start(&url, true).await;
    rig.end_a_session().await;
    rig.attempts(1).await;
    assert_eq!(rig.state().await.0, "failed");
}
