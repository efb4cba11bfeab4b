//! Lost listeners, restarted services, and clients that were disconnected.

use serde_json::{Value, json};
use tarsy_model::SessionId;
use tarsy_testing::wait;

use super::watcher::{PATIENCE, Watcher, publish};
use crate::server::Server;

const LISTENERS: &str = "pg_stat_activity where application_name = 'ingest-api events' and datname = current_database()";

async fn count(server: &Server) -> i64 {
    server.count(LISTENERS).await
}

#[tokio::test]
async fn a_lost_listener_delays_and_loses_nothing() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe("dashboard_updates").await;
    for round in 0..3 {
        wait::until("a listener", PATIENCE, async || count(&server).await == 1).await;
        let killed = format!("select count(pg_terminate_backend(pid)) from {LISTENERS}");
        let killed: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(killed))
            .fetch_one(server.db())
            .await
            .unwrap();
        assert_eq!(killed, 1);
        publish(server.db(), session, [round]).await;
        assert_eq!(watcher.next_number().await, round);
    }
}

#[tokio::test]
async fn a_client_that_reconnects_to_another_process_misses_nothing() {
    let first = Server::start().await;
    let session = SessionId::generate();
    let channel = format!("session_{session}");
    let mut watcher = Watcher::connect(&first, "ada").await;
    watcher.subscribe(&channel).await;
    publish(first.db(), session, [1, 2]).await;
    assert_eq!(watcher.next_number().await, 1);
    let last = watcher.next().await["id"].clone();

    first.stop.cancel();
    while watcher.next_text().await.is_some() {}
    publish(first.db(), session, [3, 4]).await;
    let second = Server::over(first.db().clone()).await;
    publish(first.db(), session, [5]).await;

    let mut back = Watcher::connect(&second, "ada").await;
    back.subscribe(&channel).await;
    publish(first.db(), session, [6]).await;
    back.send(json!({"type": "catchup", "channel": channel, "last_event_id": last}))
        .await;
    let mut numbers = Vec::new();
    let mut caught_up = Value::Null;
    while numbers.len() < 4 || caught_up.is_null() {
        let message = back.next().await;
        match message["type"].as_str() {
            Some("catchup_complete") => caught_up = message,
            _ => numbers.push(message["data"]["n"].as_i64().unwrap()),
        }
    }
    numbers.sort_unstable();
    assert_eq!(numbers, [3, 4, 5, 6], "each once");
}

#[tokio::test]
async fn subscribing_from_an_event_gives_what_came_after_it_in_order() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe("dashboard_updates").await;
    publish(server.db(), session, 1..=1500).await;
    let first = watcher.next().await["id"].as_i64().unwrap();
    let mut received = 1;
    while received < 1500 {
        let message = watcher.next().await;
        received = match message["type"].as_str() {
            Some("missed") => message["to"].as_i64().unwrap() - first + 1,
            _ => message["data"]["n"].as_i64().unwrap(),
        };
    }
    // A socket that is far behind gets 1,000 events at once, and then the id at which to continue.
    let mut back = Watcher::connect(&server, "ada").await;
    back.send(json!({"type": "subscribe", "channel": "dashboard_updates", "last_event_id": first}))
        .await;
    assert_eq!(back.next().await["success"], true);
    for n in 2..=1001 {
        assert_eq!(back.next_number().await, n);
    }
    let overflow = back.next().await;
    assert_eq!(
        (&overflow["type"], &overflow["events"]),
        (&json!("catchup_overflow"), &json!(1000))
    );
    back.send(json!({"type": "catchup", "channel": "dashboard_updates", "last_event_id": overflow["last_event_id"]})).await;
    for n in 1002..=1500 {
        assert_eq!(back.next_number().await, n);
    }
    assert_eq!(back.next().await["type"], "catchup_complete");
    publish(server.db(), session, [1501]).await;
    assert_eq!(back.next_number().await, 1501);
}

#[tokio::test]
async fn events_that_are_no_longer_kept_are_reported_as_missing() {
    let server = Server::start().await;
    let session = SessionId::generate();
    // A client that listened all the time shows when the service has passed on all events.
    let mut listener = Watcher::connect(&server, "bob").await;
    listener.subscribe("dashboard_updates").await;
    publish(server.db(), session, 1..=10).await;
    while listener.next_number().await < 10 {}
    sqlx::query("delete from events where (payload ->> 'n')::int <= 5")
        .execute(server.db())
        .await
        .unwrap();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher
        .send(json!({"type": "subscribe", "channel": "dashboard_updates", "last_event_id": 1}))
        .await;
    assert_eq!(watcher.next().await["success"], true);
    let missed = watcher.next().await;
    assert_eq!(
        (&missed["type"], &missed["from"], &missed["to"]),
        (&json!("missed"), &json!(2), &json!(5))
    );
    assert_eq!(watcher.next_number().await, 6);
}
