//! Progress events contain the id of their alert, both live and in a catch-up.

use serde_json::{Value, json};
use tarsy_model::{SessionId, SessionStatus};
use tarsy_store::events::NewEvent;
use uuid::Uuid;

use super::watcher::{Watcher, wake};
use crate::server::{Server, alert};

/// Connects a client that subscribes to the dashboard's channel.
async fn dashboard(server: &Server) -> Watcher {
    let mut watcher = Watcher::connect(server, "ada").await;
    watcher.subscribe("dashboard_updates").await;
    watcher
}

/// Submits an alert and waits for its first event. Returns its session and its `alert_id`.
async fn submit(server: &Server, watcher: &mut Watcher, n: u8) -> (SessionId, Value) {
    let mut answer = server.post("/alerts", &alert(json!({"n": n}))).await.body;
    let message = watcher.next().await;
    assert_eq!(message["data"]["alert_id"], answer["alert_id"]);
    let session = answer["session_id"].as_str().unwrap().parse().unwrap();
    (session, answer["alert_id"].take())
}

/// Returns the data of each of `events`, as `watcher` receives it live and as a later client gets
/// it by catching up.
async fn live_and_again(
    server: &Server,
    watcher: &mut Watcher,
    events: &[NewEvent],
) -> [Vec<Value>; 2] {
    let mut conn = server.db().acquire().await.unwrap();
    let last: i64 = sqlx::query_scalar("select coalesce(max(id), 0) from events")
        .fetch_one(&mut *conn)
        .await
        .unwrap();
    tarsy_store::events::publish(&mut conn, events)
        .await
        .unwrap();
    wake(server.db()).await;
    let mut received = [Vec::new(), Vec::new()];
    for _ in events {
        received[0].push(watcher.next().await["data"].take());
    }
    let mut later = dashboard(server).await;
    let ask = json!({"type": "catchup", "channel": "dashboard_updates", "last_event_id": last});
    later.send(ask).await;
    for _ in events {
        received[1].push(later.next().await["data"].take());
    }
    received
}

fn progress(session: SessionId, payload: Value) -> NewEvent {
    NewEvent {
        session_id: Some(session),
        kind: "stage_progress",
        payload,
    }
}

#[tokio::test]
async fn each_session_gets_the_ids_of_its_own_alert() {
    let server = Server::start().await;
    let mut watcher = dashboard(&server).await;
    let (mut events, mut accepted) = (Vec::new(), Vec::new());
    for n in 0..2 {
        let (session, alert_id) = submit(&server, &mut watcher, n).await;
        let execution = Uuid::now_v7();
        let stage = json!({"session_id": session, "execution_id": execution});
        events.push(progress(session, stage));
        events.push(NewEvent::session_status(
            session,
            SessionStatus::Completed,
            None,
            None,
        ));
        accepted.push((alert_id, json!(execution)));
    }
    for received in live_and_again(&server, &mut watcher, &events).await {
        for (n, (alert_id, execution)) in accepted.iter().enumerate() {
            let (stage, ended) = (&received[2 * n], &received[2 * n + 1]);
            assert_eq!(stage["alert_id"], *alert_id);
            assert_eq!(stage["stage_execution_id"], *execution);
            assert_eq!(ended["alert_id"], *alert_id);
            assert_eq!(ended["chain_id"], "kubernetes-agent-chain");
            assert!(ended.get("stage_execution_id").is_none(), "{ended}");
        }
    }
}

#[tokio::test]
async fn events_without_a_session_or_an_object_are_sent_as_they_are() {
    let server = Server::start().await;
    let mut watcher = dashboard(&server).await;
    let (session, alert_id) = submit(&server, &mut watcher, 1).await;
    let deleted = json!({"session_id": "gone", "execution_id": null});
    let no_session = json!({"status": "pending"});
    let care = json!({"type": "session_care"});
    let events = [
        progress(SessionId::generate(), deleted.clone()),
        progress(session, json!([1, "two"])),
        NewEvent {
            session_id: None,
            ..progress(session, no_session.clone())
        },
        NewEvent {
            kind: "session_care",
            ..progress(session, care.clone())
        },
        progress(session, json!({"execution_id": null})),
    ];
    let named =
        json!({"execution_id": null, "alert_id": alert_id, "chain_id": "kubernetes-agent-chain"});
    for received in live_and_again(&server, &mut watcher, &events).await {
        assert_eq!(
            received,
            [
                deleted.clone(),
                json!([1, "two"]),
                no_session.clone(),
                care.clone(),
                named.clone()
            ]
        );
    }
}
