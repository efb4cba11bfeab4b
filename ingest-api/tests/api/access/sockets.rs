//! Sockets are opened by a ticket, and last as long as the key.

use reqwest::StatusCode;
use serde_json::json;
use tarsy_model::Role;
use tokio::net::TcpStream;

use crate::live::watcher::{PATIENCE, Watcher};
use crate::server::Server;

async fn open(server: &Server, ticket: Option<&str>) -> Option<Watcher> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let query = ticket.map_or_else(String::new, |ticket| format!("?ticket={ticket}"));
    let path = format!("/ws/dashboard/ada{query}");
    Watcher::open(stream, server, &path, Some("http://localhost:5173"))
        .await
        .ok()
}

#[tokio::test]
async fn a_socket_needs_a_ticket_and_a_ticket_needs_a_viewer() {
    let server = Server::guarded(&[]).await;
    let (viewer, ingest) = (
        server.key("ada", Role::Viewer).await,
        server.key("pager", Role::Ingest).await,
    );
    let ticket = async |key: &str| server.post_as(key, "/api/v1/ws-tickets", &json!({})).await;
    assert_eq!(ticket(&ingest).await.status, StatusCode::FORBIDDEN);
    assert!(open(&server, None).await.is_none());
    assert!(open(&server, Some("0123")).await.is_none());

    let ticket = ticket(&viewer).await.body["ticket"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut watcher = open(&server, Some(&ticket)).await.unwrap();
    assert_eq!(watcher.next().await["type"], "connection_established");
    sqlx::query("update api_keys set revoked_at_us = now_us() where name = 'ada'")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(
        watcher.closed().await,
        (1008, "the key was revoked or has ended".to_owned())
    );
}

#[tokio::test]
async fn one_key_has_its_share_of_the_sockets() {
    let server = Server::guarded(&[]).await;
    let (many, other) = (
        server.key("many", Role::Viewer).await,
        server.key("other", Role::Viewer).await,
    );
    let opened = async |key: &str| {
        let ticket = server.post_as(key, "/api/v1/ws-tickets", &json!({})).await;
        let ticket = ticket.body["ticket"].as_str().unwrap().to_owned();
        open(&server, Some(&ticket)).await
    };
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(opened(&many).await.unwrap());
    }
    assert!(opened(&many).await.is_none());
    assert!(opened(&other).await.is_some());
    open.pop();
    tarsy_testing::wait::until("a place", PATIENCE, async || opened(&many).await.is_some()).await;
}
