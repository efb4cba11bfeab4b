//! Requests every route with every role, and without credentials.

use reqwest::{Method, StatusCode};
use serde_json::Value;
use tarsy_model::Role;

use crate::server::Server;

/// Returns whether a status shows that the caller was admitted.
fn is_let_in(status: StatusCode) -> bool {
    !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

/// Returns method, path and `x-needs` of every operation in the OpenAPI document.
fn operations() -> Vec<(Method, String, String)> {
    let document: Value = serde_json::from_str(include_str!("../../../openapi.json")).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let need = operation["x-needs"].as_str();
            found.push((method, path.clone(), need.unwrap_or("-").to_owned()));
        }
    }
    found.sort_by_key(|(method, path, _)| (path.clone(), method.to_string()));
    found
}

#[test]
fn the_table_of_routes_and_roles_changes_on_purpose_only() {
    let rows = operations()
        .into_iter()
        .map(|(method, path, need)| format!("{:<8}{path:<60} {need}", method.as_str()));
    insta::assert_snapshot!("routes", rows.collect::<Vec<_>>().join("\n"));
}

#[tokio::test]
async fn each_route_lets_in_exactly_whom_the_table_names() {
    let server = Server::guarded(&[]).await;
    let mut keys = Vec::new();
    for role in Role::ALL {
        keys.push((role, server.key(role.as_str(), role).await));
    }
    let mut wrong = Vec::new();
    for (method, path, need) in operations() {
        let url = server.url(
            &path
                .replace("{source}", "alertmanager")
                .replace(['{', '}'], ""),
        );
        let ask = async |key: Option<&str>| {
            let mut request = server.client.request(method.clone(), &url);
            if let Some(key) = key {
                request = request.bearer_auth(key);
            }
            request.send().await.unwrap().status()
        };
        let anonymous = ask(None).await;
        if need == "Slack's signature" {
            // No Slack app is configured here, so no caller is admitted, even with a key.
            // tests/tests/it/slack.rs tests signed requests.
            let (_, admin) = keys.last().unwrap();
            for status in [anonymous, ask(Some(admin)).await] {
                if status != StatusCode::NOT_FOUND {
                    wrong.push(format!("{method} {path}: {status} without a signature"));
                }
            }
            continue;
        }
        let open = matches!(need.as_str(), "nothing");
        if is_let_in(anonymous) != open && need != "ticket" {
            wrong.push(format!("{method} {path}: {anonymous} without a key"));
        }
        for (role, key) in &keys {
            let expected = match need.as_str() {
                "nothing" | "ticket" | "any role" => true,
                "ingest, or the source's signature" => role.covers(Role::Ingest),
                word => role.covers(word.parse().unwrap()),
            };
            let status = ask(Some(key)).await;
            if is_let_in(status) != expected || (!expected && status != StatusCode::FORBIDDEN) {
                wrong.push(format!("{method} {path}: {status} for {role}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn public_routes_need_nothing() {
    let server = Server::guarded(&[]).await;
    for path in ["/", "/livez", "/readyz", "/openapi.json"] {
        assert_eq!(server.get(path).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(server.get("/nowhere").await.status, StatusCode::NOT_FOUND);
}
