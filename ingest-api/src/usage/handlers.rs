//! `/api/v1/usage`: tokens, cost, calls and times.

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};

use crate::problem::Problem;
use crate::server::clock;
use crate::server::state::AppState;
use crate::sessions::query::choice;
use crate::usage::{MOST_GROUPS, Usage, UsageRequest, csv};

/// Sum up model calls or tool calls.
#[utoipa::path(
    get, path = "/api/v1/usage", tag = "history", operation_id = "usage",
    params(
        ("from" = Option<i64>, Query, description = "Start in Unix microseconds, rounded down to the start of its step; default 7 days before `to`. At most 400 days before `to`, or 31 days with step=hour", minimum = 0),
        ("to" = Option<i64>, Query, description = "End in Unix microseconds, rounded up to the end of its hour; default now", minimum = 0),
        ("by" = Option<String>, Query, description = "provider, model (default), chain or agent for model calls; tool for tool calls", pattern = "^(provider|model|chain|agent|tool)$"),
        ("step" = Option<String>, Query, description = "hour, day (default) or week (from Monday), in UTC", pattern = "^(hour|day|week)$"),
        ("format" = Option<String>, Query, description = "json or csv; by default, the header `Accept` decides", pattern = "^(json|csv)$"),
    ),
    responses(
        (status = 200, description = "Sums over the period", content((Usage = "application/json"), (String = "text/csv"))),
        (status = 400, description = "Invalid query parameter, or the period is too long"),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn usage(
    State(app): State<AppState>,
    headers: HeaderMap,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let request = UsageRequest::read(&pairs, clock::now_us())?;
    let is_csv = choice(&pairs, "format", &[("json", false), ("csv", true)])?;
    let is_csv = is_csv.unwrap_or_else(|| asks_for_csv(&headers));
    let mut conn = app.history().await?;
    let span = request.span;
    let rows = tarsy_store::usage::usage(&mut conn, span, request.by, MOST_GROUPS).await?;
    let not_priced =
        tarsy_store::usage::unpriced_models(&mut conn, span.from_us, span.until_us).await?;
    let is_summed_up = tarsy_store::usage::usage_is_summed_up(&mut conn).await?;
    let usage = Usage::new(&request, &rows, not_priced, is_summed_up);
    if !is_csv {
        return Ok(Json(usage).into_response());
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"usage.csv\"",
        ),
    ];
    Ok((headers, csv(&usage)).into_response())
}

fn asks_for_csv(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.trim_start().starts_with("text/csv"))
}
