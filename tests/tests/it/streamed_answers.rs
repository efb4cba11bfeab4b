//! Model answers that watchers see while they are written.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use sqlx::postgres::PgListener;
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::process::binary;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};
use uuid::Uuid;

/// Slow answer of the analyst in these tests. It is a final answer, without a tool call.
const SLOW: &str = "Final Answer: The volume claim of the checkout service is kept by a finalizer whose controller was removed last week, \
so nothing takes the claim away and the pod waits for a volume that never comes. The events of the claim say so since Tuesday, and \
the controller is missing in the list of deployments. Whoever removed it did not know of the claims that it had to look after, and the \
runbook does not name them either. Once the finalizer is taken off, the claim goes by itself and the next pod gets a new volume.";

/// A model that streams a text in small pieces over a few seconds.
fn slowly(text: &str) -> Behaviour {
    Behaviour::Stream {
        answer: FakeAnswer::text(text),
        size: 4,
        every_ms: 30,
        cut_after: None,
    }
}

fn slow_analyst(request: &SeenRequest) -> Behaviour {
    match request.contains("You are the analyst.") {
        true => slowly(SLOW),
        false => scene::play(request),
    }
}

/// A client that watches a session.
struct Watcher {
    socket: WebSocketStream<TcpStream>,
    /// Text shown so far, assembled as `docs/LIVE.md` describes, in UTF-16 code units.
    shown: Vec<u16>,
    of: (Value, Value, Value),
}

impl Watcher {
    async fn start(ingest: &Ingest, session: Uuid) -> Self {
        let host = ingest.url.strip_prefix("http://").unwrap();
        let mut request = format!("ws://{host}/ws/dashboard/test")
            .into_client_request()
            .unwrap();
        let origin = "http://localhost:5173".parse().unwrap();
        request.headers_mut().insert("origin", origin);
        let stream = TcpStream::connect(host).await.unwrap();
        let (mut socket, _) = client_async(request, stream).await.unwrap();
        let subscribe = json!({"type": "subscribe", "channel": format!("session_{session}")});
        socket
            .send(Message::text(subscribe.to_string()))
            .await
            .unwrap();
        Self {
            socket,
            shown: Vec::new(),
            of: Default::default(),
        }
    }

    /// Waits for the next message and returns it unchanged.
    async fn next(&mut self) -> String {
        let text = async {
            loop {
                if let Message::Text(text) = self.socket.next().await.unwrap().unwrap() {
                    return text.to_string();
                }
            }
        };
        tokio::time::timeout(SOON, text).await.unwrap()
    }

    /// Waits for the next piece. Returns it with the text shown so far.
    async fn piece(&mut self) -> (Value, String) {
        loop {
            let message: Value = serde_json::from_str(&self.next().await).unwrap();
            if message["type"] != "answer_piece" || message["data"]["part"] != "text" {
                continue;
            }
            let data = &message["data"];
            let of = ["epoch", "interaction_id", "attempt"].map(|name| data[name].clone());
            if self.of != of.clone().into() {
                self.of = of.into();
                self.shown.clear();
            }
            let offset = usize::try_from(data["offset"].as_u64().unwrap()).unwrap();
            // This piece was sent to others when this client subscribed. The beginning follows.
            if self.shown.is_empty() && offset > 0 {
                continue;
            }
            assert!(offset <= self.shown.len(), "a gap: {data}");
            self.shown.truncate(offset);
            self.shown
                .extend(data["text"].as_str().unwrap().encode_utf16());
            return (data.clone(), String::from_utf16(&self.shown).unwrap());
        }
    }
}

/// Whether the answer to a call is recorded.
async fn is_recorded(fleet: &Fleet, interaction: &Value) -> bool {
    let id: Uuid = interaction.as_str().unwrap().parse().unwrap();
    let query = "select success is not null from llm_interactions where interaction_id = $1";
    sqlx::query_scalar(query)
        .bind(id)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_sees_an_answer_grow_before_it_is_recorded() {
    let fleet = Fleet::new(slow_analyst).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let mut watcher = Watcher::start(&ingest, session).await;
    let mut lengths = Vec::new();
    while lengths.len() < 4 {
        let (data, shown) = watcher.piece().await;
        assert!(SLOW.starts_with(&shown), "{shown:?}");
        assert!(!is_recorded(&fleet, &data["interaction_id"]).await);
        lengths.push(shown.len());
    }
    assert!(
        lengths.is_sorted() && lengths[0] < lengths[3],
        "{lengths:?}"
    );
    // A late client sees the answer from the beginning, and earlier clients lose nothing.
    let mut late = Watcher::start(&ingest, session).await;
    let (data, shown) = late.piece().await;
    assert_eq!(data["offset"], 0);
    assert!(
        SLOW.starts_with(&shown) && shown.len() >= lengths[3],
        "{shown:?}"
    );
    let (_, shown) = watcher.piece().await;
    assert!(SLOW.starts_with(&shown), "{shown:?}");
    fleet.rows.ended(session, SOON).await;
    fleet.assert_sound().await;
    assert_eq!(
        fleet
            .rows
            .count("select count(*) from events where kind like '%answer%'")
            .await,
        0,
        "nothing of it is kept"
    );
}

/// Returns the notifications on the channel of pieces before a mark that it sends.
async fn pieces_before_a_mark(listener: &mut PgListener, fleet: &Fleet) -> Vec<String> {
    sqlx::query("select pg_notify('tarsy_answers', 'mark')")
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    let mut pieces = Vec::new();
    loop {
        let payload = listener.recv().await.unwrap().payload().to_owned();
        if payload == "mark" {
            return pieces;
        }
        pieces.push(payload);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_without_watchers_or_where_it_is_off() {
    let fleet = Fleet::new(slow_analyst).await;
    let (ingest, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let mut listener = PgListener::connect_with(fleet.rows.pool()).await.unwrap();
    listener.listen("tarsy_answers").await.unwrap();
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    assert_eq!(
        pieces_before_a_mark(&mut listener, &fleet).await,
        Vec::<String>::new()
    );
    let is_streamed = |request: &SeenRequest| request.body["stream"] == json!(true);
    assert!(fleet.llm.requests().iter().all(is_streamed));

    stage.kill();
    let fleet = fleet.with("TARSY_STREAM_ANSWERS", "off");
    let before = fleet.llm.count();
    let _stage = fleet.stage_worker();
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let _watcher = Watcher::start(&ingest, session).await;
    fleet.rows.ended(session, SOON).await;
    assert_eq!(
        pieces_before_a_mark(&mut listener, &fleet).await,
        Vec::<String>::new()
    );
    assert!(
        !fleet
            .llm
            .requests()
            .split_off(before)
            .iter()
            .any(is_streamed)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_the_next_worker_begins_anew_and_the_dead_ones_text_is_left_out() {
    let requests = AtomicUsize::new(0);
    let fleet = Fleet::new(move |request| {
        let is_analyst = request.contains("You are the analyst.");
        match is_analyst && requests.fetch_add(1, Ordering::SeqCst) == 0 {
            true => slowly(&SLOW.replace("Final Answer: The", "Final Answer: A first try, which")),
            false => slow_analyst(request),
        }
    })
    .await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = [fleet.stage_worker(), fleet.stage_worker()];
    fleet.workers(3).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let mut watcher = Watcher::start(&ingest, session).await;
    let (first, shown) = watcher.piece().await;
    assert!(
        "Final Answer: A first try".starts_with(&shown[..shown.len().min(20)]),
        "{shown}"
    );
    let holder = fleet.rows.holder(session, SOON).await;
    let victim = workers.iter().find(|worker| worker.id() == holder).unwrap();
    victim.kill();
    let (second, shown) = loop {
        let (data, shown) = watcher.piece().await;
        if data["epoch"] != first["epoch"] {
            break (data, shown);
        }
    };
    assert!(second["epoch"].as_i64() > first["epoch"].as_i64());
    assert_eq!(second["interaction_id"], first["interaction_id"]);
    assert!(SLOW.starts_with(&shown), "{shown:?}");

    // A worker that was frozen during an answer sends the rest of it before it learns that it has lost the stage.
    let mut zombie = first.clone();
    zombie["session_id"] = json!(session);
    zombie["text"] = json!("What a zombie says");
    let send = "select pg_notify('tarsy_answers', $1)";
    sqlx::query(send)
        .bind(zombie.to_string())
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    for _ in 0..3 {
        let (data, shown) = watcher.piece().await;
        assert_eq!(data["epoch"], second["epoch"]);
        assert!(SLOW.starts_with(&shown), "{shown:?}");
    }
    fleet.rows.ended(session, SOON).await;
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_a_model_answer_is_never_on_the_wire() {
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let password = "correct-horse-7431";
    let text = format!(
        "{SLOW} In the log of the pod stands the token {secret} as well, which whoever reads this should change at once. {SLOW}\n\n```\ndata:\n  token: {secret}\n  db_password: {password}\n```\n\nThat is all of it.\n"
    );
    let fleet = Fleet::new(
        move |request| match request.contains("You are the analyst.") {
            true => Behaviour::Stream {
                answer: FakeAnswer::text(text.clone()),
                size: 3,
                every_ms: 5,
                cut_after: None,
            },
            false => scene::play(request),
        },
    )
    .await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let mut watcher = Watcher::start(&ingest, session).await;
    let (mut wire, mut is_masked) = (String::new(), false);
    while !is_masked {
        let message = watcher.next().await;
        is_masked |= message.contains("answer_piece") && message.contains("[MASKED_");
        wire.push_str(&message);
    }
    fleet.rows.ended(session, SOON).await;
    while !wire.contains("\"completed\"") {
        wire.push_str(&watcher.next().await);
    }
    for leaked in [&secret[..8], &secret[20..], &password[..9]] {
        assert!(!wire.contains(leaked), "{leaked} in {wire}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_prints_an_answer_as_it_comes_and_once() {
    let fleet = Fleet::new(|request| match request.contains("# Follow-up Question") {
        true => slowly(SLOW),
        false => scene::play(request),
    })
    .await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    let mut command = tokio::process::Command::new(binary("tarsy"))
        .args(["ask", &session.to_string(), "What is it?"])
        .env("TARSY_URL", &ingest.url)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut out = command.stdout.take().unwrap();
    let (mut printed, mut bytes) = (Vec::new(), [0; 1024]);
    let answer = SLOW.strip_prefix("Final Answer: ").unwrap();
    while !String::from_utf8_lossy(&printed).contains(&answer[..40]) {
        let count = tokio::time::timeout(SOON, out.read(&mut bytes)).await;
        let count = count.unwrap().unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&printed));
        printed.extend_from_slice(&bytes[..count]);
    }
    let open = "select count(*) from llm_interactions where success is null";
    assert_eq!(fleet.rows.count(open).await, 1, "it is not recorded yet");
    let rest = async {
        out.read_to_end(&mut printed).await.unwrap();
        command.wait().await.unwrap()
    };
    let status = tokio::time::timeout(SOON, rest).await.unwrap();
    let printed = String::from_utf8(printed).unwrap();
    assert!(status.success(), "{printed}");
    assert_eq!(printed.matches(answer).count(), 1, "{printed}");
    assert_eq!(printed.matches(&answer[..40]).count(), 1, "{printed}");
    wait::until("the worker is idle", SOON, async || {
        fleet.rows.count(open).await == 0
    })
    .await;
}
