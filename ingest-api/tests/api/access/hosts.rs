//! Host names under which the service answers.

use reqwest::StatusCode;
use serde_json::json;
use tokio::net::TcpStream;

use crate::live::watcher::Watcher;
use crate::server::{IntoAnswer as _, Server, alert};

const PATHS: [&str; 6] = [
    "/livez",
    "/alert-types",
    "/dashboard/",
    "/dashboard/assets/a.js",
    "/openapi.json",
    "/nowhere",
];

#[tokio::test]
async fn while_access_control_is_off_only_this_machine_s_names_are_answered() {
    let server = Server::start().await;
    for path in PATHS {
        let rebound = server
            .get_with(path, &[("host", "evil.example:8000")])
            .await;
        assert_eq!(
            (rebound.status, &rebound.body["code"]),
            (StatusCode::MISDIRECTED_REQUEST, &json!("host_not_allowed")),
            "{path}"
        );
        let own = server.get_with(path, &[("host", "localhost:1")]).await;
        assert_ne!(own.status, StatusCode::MISDIRECTED_REQUEST, "{path}");
    }
    let request = server.post_raw("/alerts", alert(json!({})).to_string());
    let posted = request.header("host", "evil.example").send().await.unwrap();
    assert_eq!(posted.into_answer().await.body["code"], "host_not_allowed");
    assert_eq!(server.count("alert_sessions").await, 0);

    let stream = TcpStream::connect(server.address).await.unwrap();
    let origin = Some("http://localhost:5173");
    let path = "/ws/dashboard/ada";
    let socket = Watcher::open_as("evil.example", stream, &server, path, origin).await;
    assert!(socket.is_err());
}

#[tokio::test]
async fn with_access_control_every_name_is() {
    let server = Server::guarded(&[]).await;
    let named = server
        .get_with("/livez", &[("host", "tarsy.example")])
        .await;
    assert_eq!(named.status, StatusCode::OK);
}
