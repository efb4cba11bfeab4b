//! `/api/v1/quality`: verdicts, ratings and scores.

use axum::Json;
use axum::extract::{Query, State};
use tarsy_store::quality::QualityBy;

use crate::problem::Problem;
use crate::quality::Quality;
use crate::server::clock;
use crate::server::state::AppState;
use crate::sessions::query::choice;
use crate::usage::UsageRequest;

/// Sum up verdicts, ratings and scores of answers.
#[utoipa::path(
    get, path = "/api/v1/quality", tag = "history", operation_id = "quality",
    params(
        ("from" = Option<i64>, Query, description = "Start in Unix microseconds, rounded down to the start of its step; default 7 days before `to`. At most 400 days before `to`, or 31 days with step=hour", minimum = 0),
        ("to" = Option<i64>, Query, description = "End in Unix microseconds, rounded up to the end of its hour; default now. Sessions that ended between `from` and `to` are counted, as long as they are retained", minimum = 0),
        ("by" = Option<String>, Query, description = "chain (default); model: the model that answered most calls of a session; or configuration: agent and configuration of the session's last stage", pattern = "^(chain|model|configuration)$"),
        ("step" = Option<String>, Query, description = "hour, day (default) or week (from Monday), in UTC", pattern = "^(hour|day|week)$"),
    ),
    responses(
        (status = 200, description = "Sums over the period", body = Quality),
        (status = 400, description = "Invalid query parameter, or the period is too long"),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn quality(
    State(app): State<AppState>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<Quality>, Problem> {
    let by: Vec<_> = QualityBy::ALL.iter().map(|by| (by.as_str(), *by)).collect();
    let by = choice(&pairs, "by", &by)?;
    let by = by.unwrap_or(QualityBy::Chain);
    let pairs: Vec<_> = pairs.into_iter().filter(|(name, _)| name != "by").collect();
    let request = UsageRequest::read(&pairs, clock::now_us())?;
    let mut conn = app.history().await?;
    let rows = tarsy_store::quality::quality(&mut conn, request.span, by).await?;
    let is_scored = tarsy_store::quality::is_scored(&mut conn).await?;
    Ok(Json(Quality::new(&request, by.as_str(), &rows, is_scored)))
}
