//! Endpoint that shows the configuration.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::fleet::configuration::ConfigView;
use crate::server::state::AppState;

/// Get the configuration of this process, without secrets.
///
/// The configuration can't be changed through the API.
#[utoipa::path(
    get, path = "/api/v1/admin/config", tag = "admin", operation_id = "show_config",
    responses(
        (status = 200, description = "Agents, chains, servers, providers, sources, settings", body = ConfigView),
    )
)]
pub(crate) async fn show(State(app): State<AppState>) -> Json<ConfigView> {
    let environment = json!({
        "history_enabled": app.history.enabled,
        "listen": app.ingest.listen,
        "body_limit_bytes": app.ingest.body_limit_bytes,
        "webhook_body_limit_bytes": app.ingest.webhook_body_limit_bytes,
        "json_max_depth": app.ingest.json_max_depth,
        "json_max_keys": app.ingest.json_max_keys,
        "backlog_limit": app.ingest.backlog_limit,
        "allowed_origins": app.ingest.allowed_origins,
    });
    let view = app.catalog.view().clone();
    Json(match environment {
        Value::Object(environment) => view.with_settings(environment),
        _ => view,
    })
}
