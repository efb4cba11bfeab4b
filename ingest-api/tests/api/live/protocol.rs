//! The messages of the protocol in full.

use serde_json::{Value, json};
use tarsy_model::{SessionId, SessionStatus};
use tarsy_store::events::NewEvent;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite;

use super::watcher::{Watcher, publish, waker};
use crate::server::{Server, alert};

#[tokio::test]
async fn subscribing_and_leaving() {
    let server = Server::start().await;
    let mut watcher = Watcher::connect(&server, "ada").await;
    let answer = watcher.subscribe("dashboard_updates").await;
    assert_eq!(
        (&answer["action"], &answer["channel"]),
        (&json!("subscribe"), &json!("dashboard_updates"))
    );
    assert!(answer["timestamp_us"].is_i64() && answer["message"].is_string());

    let mut ask = async |message: Value| {
        watcher.send(message).await;
        let answer = watcher.next().await;
        (
            answer["type"].clone(),
            answer["success"].clone(),
            answer["code"].clone(),
        )
    };
    let response = |success: bool| (json!("subscription_response"), json!(success), Value::Null);
    let error = |code: &str| (json!("error"), Value::Null, json!(code));
    assert_eq!(
        ask(json!({"type": "subscribe", "channel": "dashboard_updates"})).await,
        response(true)
    );
    assert_eq!(
        ask(json!({"type": "subscribe", "channel": "everything"})).await,
        response(false)
    );
    assert_eq!(
        ask(json!({"type": "subscribe", "channel": "session_x"})).await,
        response(false)
    );
    assert_eq!(
        ask(json!({"type": "unsubscribe", "channel": "dashboard_updates"})).await,
        response(true)
    );
    assert_eq!(
        ask(json!({"type": "unsubscribe", "channel": "dashboard_updates"})).await,
        response(false)
    );
    assert_eq!(ask(json!({"type": "ping"})).await.0, "pong");
    assert_eq!(
        ask(json!({"type": "shout"})).await,
        error("unknown_message")
    );
    assert_eq!(
        ask(json!({"type": "subscribe"})).await,
        error("unknown_message")
    );
    let catch_up = json!({"type": "catchup", "channel": "dashboard_updates", "last_event_id": 1});
    assert_eq!(ask(catch_up).await, error("not_subscribed"));
    watcher.send_text("{").await;
    assert_eq!(watcher.next().await["code"], "malformed_json");
}

#[tokio::test]
async fn every_socket_of_every_user_receives_what_it_subscribed_to() {
    let server = Server::start().await;
    let (session, other) = (SessionId::generate(), SessionId::generate());
    let mut sockets = Vec::new();
    for user in ["ada", "ada", "grace"] {
        let mut watcher = Watcher::connect(&server, user).await;
        watcher.subscribe(&format!("session_{session}")).await;
        sockets.push(watcher);
    }
    let mut overview = Watcher::connect(&server, "ada").await;
    overview.subscribe("dashboard_updates").await;
    publish(server.db(), other, [1]).await;
    publish(server.db(), session, [2]).await;
    for watcher in &mut sockets {
        let message = watcher.next().await;
        assert_eq!(
            (&message["type"], &message["data"]["n"]),
            (&json!("session_update"), &json!(2))
        );
        assert_eq!(message["session_id"], json!(session));
        assert!(message["id"].is_i64() && message["timestamp_us"].is_i64());
    }
    let (first, second) = (overview.next().await, overview.next().await);
    assert_eq!(
        (&first["type"], &first["channel"]),
        (&json!("dashboard_update"), &json!("dashboard_updates"))
    );
    assert_eq!(
        (&first["data"]["n"], &second["data"]["n"]),
        (&json!(1), &json!(2))
    );
    assert!(first["id"].as_i64() < second["id"].as_i64());
}

#[tokio::test]
async fn an_accepted_alert_and_its_stages_are_sent() {
    let server = Server::start().await;
    let mut overview = Watcher::connect(&server, "ada").await;
    overview.subscribe("dashboard_updates").await;
    let accepted = server.post("/alerts", &alert(json!({"a": 1}))).await.body;
    let message = overview.next().await;
    assert_eq!(message["data"]["type"], "session_status_change");
    assert_eq!(
        (&message["data"]["session_id"], &message["data"]["status"]),
        (&accepted["session_id"], &json!("pending"))
    );

    let session: SessionId = accepted["session_id"].as_str().unwrap().parse().unwrap();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe(&format!("session_{session}")).await;
    let stage = json!({
        "type": "stage_progress", "session_id": session, "stage_index": 0, "stage_count": 2, "stage_name": "collect",
        "status": "completed",
    });
    let events = [
        NewEvent {
            session_id: Some(session),
            kind: "stage_progress",
            payload: stage,
        },
        NewEvent::session_status(session, SessionStatus::Completed, None, None),
    ];
    tarsy_store::events::publish(&mut server.db().acquire().await.unwrap(), &events)
        .await
        .unwrap();
    waker(server.db()).wake_watchers();
    let chain = watcher.next().await;
    assert_eq!(
        (&chain["type"], &chain["data"]["ended_stages"]),
        (&json!("chain_progress"), &json!(1))
    );
    let cancelled = watcher.next().await;
    assert_eq!(
        (&cancelled["type"], &cancelled["data"]["status"]),
        (&json!("stage_progress"), &json!("completed"))
    );
    let ended = watcher.next().await;
    assert_eq!(ended["type"], "session_update");
    for message in [&chain, &cancelled, &ended] {
        assert_eq!(message["data"]["alert_id"], accepted["alert_id"]);
        assert_eq!(message["data"]["chain_id"], "kubernetes-agent-chain");
    }
    // A client that missed them gets the same messages.
    let catch_up =
        json!({"type": "catchup", "channel": format!("session_{session}"), "last_event_id": 0});
    watcher.send(catch_up).await;
    let missed = watcher.next().await;
    assert_eq!(missed["data"]["status"], "pending");
    assert_eq!(missed["data"]["alert_id"], accepted["alert_id"]);
}

#[tokio::test]
async fn the_fleets_health_is_sent_every_few_seconds() {
    let server = Server::start().await;
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe("system_health").await;
    for _ in 0..2 {
        let message = watcher.next().await;
        assert_eq!(
            (&message["type"], &message["data"]["service"]),
            (&json!("system_health"), &json!("tarsy"))
        );
        assert_eq!(message["data"]["services"]["database"]["connected"], true);
    }
}

#[tokio::test]
async fn foreign_pages_are_refused_and_others_show_a_ticket() {
    let server = Server::with(&[
        ("OPENAI_API_KEY", "x"),
        ("TARSY_ALLOWED_ORIGINS", "https://tarsy.example"),
    ])
    .await;
    let open = async |path: &str, origin: Option<&str>| {
        let stream = TcpStream::connect(server.address).await.unwrap();
        match Watcher::open(stream, &server, path, origin).await {
            Ok(_) => 101,
            Err(tungstenite::Error::Http(answer)) => answer.status().as_u16(),
            Err(error) => panic!("{error}"),
        }
    };
    const PATH: &str = "/ws/dashboard/ada";
    assert_eq!(open(PATH, Some("https://tarsy.example")).await, 101);
    assert_eq!(open(PATH, Some("http://localhost:3000")).await, 101);
    for origin in [Some("https://evil.example"), Some("null"), None] {
        assert_eq!(open(PATH, origin).await, 403, "{origin:?}");
    }

    let answer = server.post("/api/v1/ws-tickets", &json!({})).await.body;
    let with_ticket = format!("{PATH}?ticket={}", answer["ticket"].as_str().unwrap());
    assert_eq!(open(&with_ticket, None).await, 101);
    assert_eq!(open(&with_ticket, None).await, 401, "used up");
    assert_eq!(open(&format!("{PATH}?ticket=made-up"), None).await, 401);

    let old = server.post("/api/v1/ws-tickets", &json!({})).await.body;
    sqlx::query("update ws_tickets set expires_at = now()")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(
        open(
            &format!("{PATH}?ticket={}", old["ticket"].as_str().unwrap()),
            None
        )
        .await,
        401,
        "too old"
    );

    let plain = server.get(PATH).await;
    assert_eq!(
        (plain.status.as_u16(), &plain.body["code"]),
        (400, &json!("not_a_websocket"))
    );
}
