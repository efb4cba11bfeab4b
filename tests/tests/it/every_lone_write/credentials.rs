//! API keys, WebSocket tickets, and browser sessions.

use reqwest::Client;
use serde_json::Value;
use tarsy_testing::wait;
use tarsy_tests::SOON;

use super::{Kill, Scene, answered};

/// The last use of a key is stored when the process ends, at the latest.
pub(super) async fn keys(scene: &mut Scene, key: &str) {
    const NOTED: &str =
        "select count(*) from api_keys where last_used_at_us is not null and revoked_at_us is null
        and $1 like prefix || '%'";
    for kill in Kill::both("note_key_use") {
        sqlx::raw_sql("update api_keys set last_used_at_us = null")
            .execute(scene.fleet.rows.pool())
            .await
            .unwrap();
        let doomed = scene.doomed_api(&kill).await;
        let path = "/api/v1/history/sessions";
        let list = scene
            .http
            .get(format!("{}{path}", doomed.url))
            .bearer_auth(key);
        answered(list).await;
        doomed.process.terminate();
        scene.died(&doomed.process, &kill).await;
        assert_eq!(
            scene.count(NOTED, key).await,
            i64::from(kill.is_after),
            "{}",
            kill.point
        );

        let api = scene.fleet.ingest().await;
        answered(
            scene
                .http
                .get(format!("{}{path}", api.url))
                .bearer_auth(key),
        )
        .await;
        api.process.terminate();
        api.process.ended(SOON).await;
        assert_eq!(scene.count(NOTED, key).await, 1, "{}", kill.point);
    }
}

/// A ticket opens one socket. A lost ticket opens none.
pub(super) async fn tickets(scene: &mut Scene, key: &str) {
    let ticket = |http: &Client, url: &str| {
        http.post(format!("{url}/api/v1/ws-tickets"))
            .bearer_auth(key)
    };
    for kill in Kill::both("save_ws_ticket") {
        let given = scene.ask(&kill, ticket).await;
        let opened = open(&scene.http, &scene.api.url, &given).await.unwrap();
        assert_eq!(opened, 101, "{}", kill.point);
    }
    for kill in Kill::both("use_ws_ticket") {
        let given = answered(ticket(&scene.http, &scene.api.url)).await;
        let doomed = scene.doomed_api(&kill).await;
        let opened = open(&scene.http, &doomed.url, &given).await;
        assert_eq!(opened, None, "{}", kill.point);
        scene.died(&doomed.process, &kill).await;
        let again = open(&scene.http, &scene.api.url, &given).await.unwrap();
        assert_eq!(
            again,
            if kill.is_after { 401 } else { 101 },
            "{}",
            kill.point
        );
        let third = open(&scene.http, &scene.api.url, &given).await.unwrap();
        assert_eq!(third, 401, "{}: once", kill.point);
    }
}

/// A browser without a response signs in again. A session ends once.
pub(super) async fn browsers(scene: &mut Scene, key: &str) {
    const SESSIONS: &str = "select count(*) from browser_sessions where $1 <> ''";
    let sign_in = |http: &Client, url: &str| {
        http.post(format!("{url}/api/v1/sign-in"))
            .bearer_auth(key)
            .header("origin", url)
    };
    for kill in Kill::both("insert_browser_session") {
        let before = scene.count(SESSIONS, key).await;
        scene.ask(&kill, sign_in).await;
        let made = scene.count(SESSIONS, key).await - before;
        assert_eq!(made, 1 + i64::from(kill.is_after), "{}", kill.point);
    }
    for kill in Kill::both("delete_browser_session") {
        let answer = sign_in(&scene.http, &scene.api.url).send().await.unwrap();
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
        let before = scene.count(SESSIONS, key).await;
        let sign_out = |url: &str| {
            let request = scene.http.post(format!("{url}/api/v1/sign-out"));
            let request = request.header("cookie", cookie.split(';').next().unwrap());
            request.header("origin", url).header("x-tarsy-csrf", "1")
        };
        let doomed = scene.doomed_api(&kill).await;
        assert!(
            sign_out(&doomed.url).send().await.is_err(),
            "{}",
            kill.point
        );
        let left = scene.count(SESSIONS, key).await;
        assert_eq!(left, before - i64::from(kill.is_after), "{}", kill.point);
        wait::until("the session to be gone", SOON, async || {
            let answer = sign_out(&scene.api.url).send().await.unwrap();
            answer.status() == if kill.is_after { 401 } else { 204 }
        })
        .await;
        assert_eq!(
            scene.count(SESSIONS, key).await,
            before - 1,
            "{}",
            kill.point
        );
        scene.died(&doomed.process, &kill).await;
    }
}

/// Opens a socket with a ticket. Returns the status of the response, if there is one.
async fn open(http: &Client, url: &str, ticket: &Value) -> Option<u16> {
    let ticket = ticket["ticket"].as_str().unwrap();
    let request = http
        .get(format!("{url}/ws/dashboard/ada?ticket={ticket}"))
        .header("connection", "upgrade");
    let request = request
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13");
    let request = request.header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    Some(request.send().await.ok()?.status().as_u16())
}
