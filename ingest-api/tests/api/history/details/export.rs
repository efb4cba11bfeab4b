//! Exports of a session, and compressed responses.

use reqwest::StatusCode;
use serde_json::json;

use super::investigated;
use crate::history::SESSIONS;
use crate::server::Server;

#[tokio::test]
async fn a_session_can_be_exported_in_three_forms() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let export = async |format: &str| {
        server
            .get(&format!("{SESSIONS}/{session}/export{format}"))
            .await
    };
    assert_eq!(export("").await.body["session_id"], json!(session));
    let csv = export("?format=csv").await;
    assert_eq!(csv.content_type, "text/csv; charset=utf-8");
    let csv = csv.body.as_str().unwrap().to_owned();
    assert_eq!(csv.lines().count(), 6);
    assert!(
        csv.contains("\"'=DNS\"") && csv.contains("\"'=What is it?\""),
        "{csv}"
    );
    assert!(!csv.contains(",\"="), "no cell is a formula: {csv}");
    let md = export("?format=md").await;
    assert_eq!(md.content_type, "text/markdown; charset=utf-8");
    let md = md.body.as_str().unwrap().to_owned();
    assert!(
        md.contains("## Analysis\n\n=DNS\n") && md.contains("### Call get (3 ms)"),
        "{md}"
    );
    let wrong = export("?format=pdf").await;
    assert_eq!(
        (wrong.status, &wrong.body["errors"][0]["field"]),
        (StatusCode::BAD_REQUEST, &json!("format"))
    );
}

#[tokio::test]
async fn a_large_answer_is_compressed_for_who_takes_that() {
    let server = Server::start().await;
    let session = investigated(&server).await;
    let fetch = |path: String, encoding: &'static str| {
        let request = server.client.get(server.url(&path));
        request.header("accept-encoding", encoding).send()
    };
    let encoding = |answer: &reqwest::Response| {
        let header = answer.headers().get("content-encoding");
        header.map(|value| value.to_str().unwrap().to_owned())
    };
    let whole = format!("{SESSIONS}/{session}");
    let packed = fetch(whole.clone(), "gzip").await.unwrap();
    assert_eq!(encoding(&packed).as_deref(), Some("gzip"));
    assert!(packed.bytes().await.unwrap().starts_with(&[0x1f, 0x8b]));
    let plain = fetch(whole, "identity").await.unwrap();
    assert_eq!(encoding(&plain), None);
    let small = fetch("/alert-types".to_owned(), "gzip").await.unwrap();
    assert_eq!(encoding(&small), None);
}
