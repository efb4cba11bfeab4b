//! Health of the service.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::fleet::health::{Health, Root};
use crate::problem::Problem;
use crate::server::clock;
use crate::server::screens;
use crate::server::state::AppState;

/// Report that the service runs.
///
/// Browsers are redirected to the dashboard.
#[utoipa::path(
    get, path = "/", tag = "health",
    responses(
        (status = 200, description = "The service runs", body = Root),
        (status = 303, description = "Redirect to the dashboard, for browsers"),
    )
)]
pub(crate) async fn root(headers: HeaderMap) -> Response {
    let answer = match screens::wants_a_page(&headers) {
        true => Redirect::to(screens::HOME).into_response(),
        false => Json(Root {
            message: "Tarsy is running",
            status: "healthy",
        })
        .into_response(),
    };
    ([(header::VARY, "accept")], answer).into_response()
}

/// Get the health of each dependency.
///
/// The status is always 200. Probes use `/livez` and `/readyz`.
#[utoipa::path(get, path = "/health", tag = "health", responses((status = 200, description = "Health of each dependency", body = Health)))]
pub(crate) async fn health(State(app): State<AppState>) -> Json<Health> {
    Json(app.health(clock::now_text()).await)
}

/// Get Prometheus metrics.
///
/// `Accept: application/openmetrics-text` adds exemplars.
#[utoipa::path(
    get, path = "/metrics", tag = "health", operation_id = "metrics",
    responses(
        (status = 200, description = "Metrics in the text format, or as OpenMetrics", content(
            (String = "text/plain"), (String = "application/openmetrics-text"),
        )),
    )
)]
pub(crate) async fn metrics(
    State(app): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|value| value.to_str().ok());
    if let Some(replica) = &app.replica {
        replica.measure();
    }
    let (sockets, state) = (app.hub.seats(), app.readiness.process_state());
    let scrape = app.metrics.scrape(&app.pool, sockets, state, accept).await;
    let scrape = scrape.map_err(|error| Problem::Internal(error.into()))?;
    Ok(([(header::CONTENT_TYPE, scrape.content_type)], scrape.text).into_response())
}

/// Response to a probe.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Probe {
    status: &'static str,
}

/// Liveness probe.
///
/// Checks no dependency, because a restart would not repair a database.
#[utoipa::path(get, path = "/livez", tag = "health", responses((status = 200, description = "The process is alive", body = Probe)))]
pub(crate) async fn live() -> Json<Probe> {
    Json(Probe { status: "alive" })
}

/// Readiness probe.
///
/// Ready if the database responds with a compatible schema and the process is not shutting down.
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses(
        (status = 200, description = "Ready", body = Object),
        (status = 503, description = "Not ready; `message` contains the reason", body = Object),
    )
)]
pub(crate) async fn ready(State(app): State<AppState>) -> (StatusCode, Json<Value>) {
    let ready = app.readiness.check().await;
    let status = match ready.is_ready() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(ready.document()))
}
