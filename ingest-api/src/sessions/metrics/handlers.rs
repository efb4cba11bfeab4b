//! Endpoints of metrics and health of the history.

use axum::Json;
use axum::extract::{Query, State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::{FieldError, Problem};
use crate::server::clock;
use crate::server::state::AppState;
use crate::sessions::metrics::Metrics;
use crate::sessions::query_parameters::Pairs;

/// Get session metrics of the last hours.
#[utoipa::path(
    get, path = "/api/v1/history/metrics", tag = "history", operation_id = "history_metrics",
    params(("hours" = Option<i64>, Query, description = "1 to 720; default 24", minimum = 1, maximum = 720)),
    responses(
        (status = 200, description = "Metrics of the period", body = Metrics),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn metrics(
    State(app): State<AppState>,
    Query(pairs): Pairs,
) -> Result<Json<Metrics>, Problem> {
    let hours = match pairs.iter().find(|(name, _)| name == "hours") {
        None => 24,
        Some((name, value)) => {
            let hours = value.parse().ok().filter(|hours| (1..=720).contains(hours));
            hours.ok_or_else(|| {
                Problem::InvalidParameter(FieldError::new(
                    name,
                    "must be a whole number from 1 to 720",
                ))
            })?
        }
    };
    let from_us = clock::now_us() - hours * 3_600_000_000;
    let mut conn = app.history().await?;
    Ok(Json(Metrics::from_hours(
        hours,
        from_us,
        &tarsy_store::history::figures_by_hour(&mut conn, from_us).await?,
    )))
}

/// Health of the history.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryHealth {
    #[schema(example = "healthy")]
    status: &'static str,
    service: &'static str,
    /// Current time, in Unix microseconds.
    timestamp_us: i64,
    details: HistoryHealthDetails,
}

/// Details of the health of the history.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryHealthDetails {
    enabled: bool,
    database_connected: bool,
    retention_days: u64,
}

/// Get the health of the history.
///
/// The status is always 200.
#[utoipa::path(
    get, path = "/api/v1/history/health", tag = "history", operation_id = "history_health",
    responses((status = 200, description = "Health", body = HistoryHealth))
)]
pub(crate) async fn health(State(app): State<AppState>) -> Json<HistoryHealth> {
    let database_connected = app.database_answers().await;
    let enabled = app.history.enabled;
    Json(HistoryHealth {
        status: match (enabled, database_connected) {
            (false, _) => "disabled",
            (true, false) => "unhealthy",
            (true, true) => "healthy",
        },
        service: "alert_processing_history",
        timestamp_us: clock::now_us(),
        details: HistoryHealthDetails {
            enabled,
            database_connected,
            retention_days: app.catalog.retention_days(),
        },
    })
}
