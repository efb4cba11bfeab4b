//! Many sockets, some of which hardly read.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures::future::join_all;
use serde_json::json;
use tarsy_model::SessionId;
use tarsy_store::events::NewEvent;
use tarsy_testing::wait;
use tokio::net::TcpSocket;

use super::watcher::{PATIENCE, Watcher, wake};
use crate::server::Server;

const FAST: i64 = 300;
const SLOW: usize = 200;
const ROUNDS: i64 = 12;
const EVENTS: i64 = 40;
const TOTAL: i64 = ROUNDS * EVENTS;

/// Publishes events so large that the buffer of a socket that does not read fills up.
async fn publish_long(server: &Server, session: SessionId, numbers: std::ops::Range<i64>) {
    let padding = "x".repeat(4_000);
    let events: Vec<_> = numbers
        .map(|n| NewEvent {
            session_id: Some(session),
            kind: "session_status_change",
            payload: json!({"n": n, "p": padding}),
        })
        .collect();
    tarsy_store::events::publish(&mut server.db().acquire().await.unwrap(), &events)
        .await
        .unwrap();
    wake(server.db()).await;
}

/// Opens a socket with a small kernel buffer, but not so small that TCP itself becomes slow.
async fn slow(server: &Server) -> Watcher {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(65_536).unwrap();
    let stream = socket.connect(server.address).await.unwrap();
    let mut watcher = Watcher::over(stream, server, "slow").await;
    watcher.subscribe("dashboard_updates").await;
    watcher
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_sockets_get_the_ids_they_missed_and_slow_no_others_down() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let sleepers: Vec<Watcher> = join_all((0..SLOW).map(|_| slow(&server))).await;
    let received = Arc::new(AtomicI64::new(0));
    let mut readers = tokio::task::JoinSet::new();
    let awake = join_all((0..FAST).map(|_| async {
        let mut watcher = Watcher::connect(&server, "fast").await;
        watcher.subscribe("dashboard_updates").await;
        watcher
    }));
    for mut watcher in awake.await {
        let received = Arc::clone(&received);
        readers.spawn(async move {
            for n in 0..TOTAL {
                let text = watcher.next_text().await.unwrap();
                assert!(
                    text.contains(&format!(r#""n": {n},"#)),
                    "in order, none left out"
                );
                received.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    for round in 1..=ROUNDS {
        publish_long(&server, session, (round - 1) * EVENTS..round * EVENTS).await;
        wait::until("the fast sockets to hear a round", PATIENCE, async || {
            received.load(Ordering::Relaxed) == FAST * EVENTS * round
        })
        .await;
    }
    readers.join_all().await;

    let mut awake = tokio::task::JoinSet::new();
    for (index, sleeper) in sleepers.into_iter().enumerate() {
        awake.spawn(wake_up(sleeper, index < 3));
    }
    awake.join_all().await;
}

/// Reads the messages for a socket that did not read, and requests the missed ones.
async fn wake_up(mut sleeper: Watcher, catches_up: bool) {
    let mut next = 0;
    let missed = loop {
        let message = sleeper.next().await;
        if message["type"] == "missed" {
            break message;
        }
        assert_eq!(message["data"]["n"], next, "in order before the gap");
        next += 1;
    };
    let (from, to) = (
        missed["from"].as_i64().unwrap(),
        missed["to"].as_i64().unwrap(),
    );
    assert_eq!(
        next + to - from + 1,
        TOTAL,
        "what was heard and what was missed is everything"
    );
    if catches_up {
        sleeper.send(json!({"type": "catchup", "channel": "dashboard_updates", "last_event_id": from - 1})).await;
        while next < TOTAL {
            assert_eq!(sleeper.next_number().await, next);
            next += 1;
        }
        assert_eq!(sleeper.next().await["type"], "catchup_complete");
    }
}
