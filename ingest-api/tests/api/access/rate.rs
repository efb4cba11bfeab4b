//! Rate limit of one caller.

use reqwest::StatusCode;
use serde_json::json;
use tarsy_model::Role;

use crate::server::Server;

const ONE: [(&str, &str); 2] = [("TARSY_RATE_LIMIT", "1"), ("TARSY_RATE_BURST", "1")];

#[tokio::test]
async fn a_caller_over_its_rate_waits_and_no_other_does() {
    let server = Server::guarded(&ONE).await;
    let (loud, quiet) = (
        server.key("loud", Role::Viewer).await,
        server.key("quiet", Role::Viewer).await,
    );
    assert_eq!(
        server.get_as(&loud, "/api/v1/me").await.status,
        StatusCode::OK
    );
    let refused = server.get_as(&loud, "/api/v1/me").await;
    assert_eq!(
        (refused.status, refused.retry_after.as_deref()),
        (StatusCode::TOO_MANY_REQUESTS, Some("1"))
    );
    assert_eq!(refused.body["code"], "rate_limited");
    assert_eq!(
        server.get_as(&quiet, "/api/v1/me").await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_monitoring_system_gets_a_status_that_it_retries_and_never_429() {
    let server = Server::guarded(&ONE).await;
    let key = server.key("alertmanager", Role::Ingest).await;
    let send = async || {
        server
            .post_as(&key, "/webhooks/alertmanager", &json!({"alerts": []}))
            .await
    };
    assert_ne!(send().await.status, StatusCode::SERVICE_UNAVAILABLE);
    let refused = send().await;
    assert_eq!(
        (refused.status, refused.retry_after.as_deref()),
        (StatusCode::SERVICE_UNAVAILABLE, Some("1"))
    );
    assert_eq!(refused.body["code"], "source_rate_limited");
}
