//! Tests that targets are notified of a session's end, over real HTTP.

mod issues;
mod unreadable;
mod write_back;

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_chain_worker::{ChainSetup, Notifier, Recipients, Target, WEBHOOK_QUEUE, delivery_job};
use tarsy_config::{Config, Environment, NotificationFormat, Secret, Source};
use tarsy_model::SessionId;
use tarsy_queue::{Waker, Worker};
use tarsy_store::deliveries::NewDelivery;
use tarsy_testing::{TestDb, wait};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(30);

/// Starts a target that answers with these statuses and repeats the last one. Returns its URL and the requests that it
/// receives.
async fn receiver(statuses: &'static [u16]) -> (String, mpsc::UnboundedReceiver<String>) {
    let (url, mut posts, answers) = answering_receiver().await;
    let (sender, requests) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut turn = 0;
        while let Some(request) = posts.recv().await {
            let status = statuses.get(turn).or(statuses.last()).unwrap();
            answers.send(format!("{status} x")).await.unwrap();
            let _ = sender.send(request);
            turn += 1;
        }
    });
    (url, requests)
}

/// Starts a target that passes each request on, and answers with the status and headers that it is given.
async fn answering_receiver() -> (String, mpsc::Receiver<String>, mpsc::Sender<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::channel(1);
    let (answer, mut answers) = mpsc::channel::<String>(1);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !is_whole(&request) {
                let mut chunk = [0; 4096];
                let read = stream.read(&mut chunk).await.unwrap();
                request.extend_from_slice(&chunk[..read]);
            }
            sender
                .send(String::from_utf8(request).unwrap())
                .await
                .unwrap();
            let head = answers.recv().await.unwrap();
            let answer = format!(
                "HTTP/1.1 {head}\r\nlocation: http://169.254.169.254/\r\ncontent-length: 6\r\n\r\nsecret"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, requests, answer)
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .unwrap_or("0");
    body.len() >= length.parse().unwrap()
}

fn target(url: &str, private: bool) -> Target {
    Target {
        name: "ops".to_owned(),
        url: url.parse().unwrap(),
        format: NotificationFormat::Standard,
        secret: Some(Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")),
        events: vec!["completed".to_owned()],
        filter: json!({}),
        private,
        http: true,
        slack: None,
        write_back: None,
    }
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
        Self::start_with(target(url, private)).await
    }

    async fn start_with(target: Target) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let db = TestDb::new().await;
        let config = Config::load(&Source::BuiltIn, &Environment::default()).unwrap();
        let setup = ChainSetup {
            notify: Recipients::new(vec![target]),
            ..ChainSetup::new(&config, db.pool(), true).unwrap()
        };
        let notifier = Notifier::new(
            db.pool().clone(),
            setup.fixed(),
            Some("https://tarsy.example"),
        );
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

    /// Creates a session that has ended, and the delivery about it.
    async fn end_a_session(&self) -> Uuid {
        self.end_a_session_for(json!({"severity": ["critical", "high"]}))
            .await
    }

    /// Does the same for a target that wants the sessions of `filter`.
    async fn end_a_session_for(&self, filter: Value) -> Uuid {
        self.end_a_session_about(&json!({}), filter).await
    }

    /// Does the same for this alert.
    async fn end_a_session_about(&self, alert: &Value, filter: Value) -> Uuid {
        let session_id = SessionId::generate();
        sqlx::query(
            "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                                         fingerprint, status, completed_at_us, chain_id, chain_definition, final_analysis, outcome)
             values ($1, gen_random_uuid(), 'kubernetes', $2, 'critical', 1, 'api', $1::text, 'completed', now_us(), 'c', '{}', 'all is well', 'completed')",
        )
        .bind(session_id.as_uuid())
        .bind(alert)
        .execute(self.pool())
        .await
        .unwrap();
        let delivery_id = Uuid::now_v7();
        let delivery = NewDelivery {
            delivery_id,
            session_id,
            target: "ops".to_owned(),
            event: "session.completed".to_owned(),
            filter,
        };
        let mut tx = self.pool().begin().await.unwrap();
        tarsy_store::deliveries::insert_deliveries(&mut tx, &[delivery])
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
async fn a_notification_is_sent_once_and_signed() {
    let (url, mut requests) = receiver(&[204]).await;
    let rig = Rig::start(&url, true).await;
    let id = rig.end_a_session().await;
    rig.attempts(1).await;
    assert_eq!(
        rig.state().await,
        ("delivered".to_owned(), 1, Some(204), None)
    );
    let request = requests.recv().await.unwrap();
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
    let link = body["data"]["url"].as_str().unwrap();
    assert!(
        link.starts_with("https://tarsy.example/dashboard/sessions/"),
        "{link}"
    );
}

/// Starts a target that accepts one post per `gap`, and answers others that they shall be repeated after a second.
async fn limited(gap: Duration) -> (String, mpsc::UnboundedReceiver<String>) {
    let (url, mut posts, answers) = answering_receiver().await;
    let (sender, requests) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut open_at = tokio::time::Instant::now();
        while let Some(request) = posts.recv().await {
            let now = tokio::time::Instant::now();
            let answer = match now >= open_at {
                true => {
                    open_at = now + gap;
                    let _ = sender.send(request);
                    "204 x"
                }
                false => "429 x\r\nretry-after: 1",
            };
            answers.send(answer.to_owned()).await.unwrap();
        }
    });
    (url, requests)
}

#[tokio::test]
async fn a_target_that_limits_its_rate_gets_every_message_and_no_attempt_is_lost() {
    let (url, mut requests) = limited(Duration::from_millis(500)).await;
    let rig = Rig::start(&url, true).await;
    for _ in 0..6 {
        rig.end_a_session().await;
    }
    for _ in 0..6 {
        tokio::time::timeout(PATIENCE, requests.recv())
            .await
            .unwrap()
            .unwrap();
    }
    wait::until("all of them to be recorded", PATIENCE, async || {
        let delivered = sqlx::query_scalar::<_, i64>(
            "select count(*) from webhook_deliveries where state = 'delivered' and attempts = 1",
        );
        delivered.fetch_one(rig.pool()).await.unwrap() == 6
    })
    .await;
}

#[tokio::test]
async fn a_target_receives_only_the_sessions_of_its_filter() {
    let (url, _requests) = receiver(&[204]).await;
    let rig = Rig::start(&url, true).await;
    for (filter, count) in [
        (json!({"severity": ["low"]}), 0),
        (json!({"alert_type": ["other"]}), 0),
        (json!({"outcome": ["partial"]}), 0),
        // The session has no label.
        (json!({"label": ["action"]}), 0),
        (
            json!({"severity": ["critical"], "alert_type": ["kubernetes"]}),
            1,
        ),
    ] {
        rig.end_a_session_for(filter).await;
        let deliveries = sqlx::query_scalar::<_, i64>("select count(*) from webhook_deliveries");
        assert_eq!(deliveries.fetch_one(rig.pool()).await.unwrap(), count);
    }
}

#[tokio::test]
async fn a_target_that_fails_is_tried_again_with_the_same_id() {
    let (url, mut requests) = receiver(&[500, 302, 200]).await;
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
        let request = requests.recv().await.unwrap();
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
    let (url, mut requests) = receiver(&[200]).await;
    let rig = Rig::start(&url, false).await;
    rig.end_a_session().await;
    rig.attempts(1).await;
    let (state, _, status, error) = rig.state().await;
    assert_eq!((state.as_str(), status), ("pending", None));
    assert!(error.unwrap().contains("not public"));
    assert!(requests.try_recv().is_err());
}

#[tokio::test]
async fn status_gone_ends_all_attempts() {
    let (url, _requests) = receiver(&[410]).await;
    let rig = Rig::start(&url, true).await;
    rig.end_a_session().await;
    rig.attempts(1).await;
    assert_eq!(rig.state().await.0, "failed");
}
