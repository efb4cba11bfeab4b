//! Endpoint of a session's interactions, page by page.

use axum::Json;
use axum::extract::{Path, Query, State};
use tarsy_model::SessionId;

use crate::problem::Problem;
use crate::server::state::AppState;
use crate::sessions::query_parameters::Pairs;
use crate::sessions::record::{PartQuery, Record, unknown_mark};

/// List a session's interactions, page by page.
///
/// Interactions are ordered by attempt, then by sequence, so new ones come last. An interaction changes once after it
/// was recorded, when its call ends. To see these changes, read again from the first interaction without `success`:
/// pass the id of the one before it as `after`.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/interactions", tag = "history", operation_id = "session_interactions",
    params(
        ("session_id" = String, Path, description = "Session id"),
        ("after" = Option<Uuid>, Query, description = "Id of the interaction before the page; by default, the page starts at the first one"),
        ("limit" = Option<i64>, Query, description = "1 to 1000; default 200", minimum = 1, maximum = 1000),
    ),
    responses(
        (status = 200, description = "A page; empty at the end", body = Record),
        (status = 404, description = "Session not found, or history is disabled"),
    )
)]
pub(crate) async fn part(
    State(app): State<AppState>,
    Path(id): Path<String>,
    Query(pairs): Pairs,
) -> Result<Json<Record>, Problem> {
    let session_id: SessionId = id.parse().map_err(|_| Problem::SessionNotFound)?;
    let query = PartQuery::read(&pairs)?;
    let mut conn = app.history().await?;
    let part = tarsy_store::history::record_part(&mut conn, session_id, query.after, query.limit)
        .await?
        .ok_or_else(unknown_mark);
    // An empty page may mean that the session is unknown, so check.
    if part.as_ref().map_or(true, |part| part.order.is_empty()) {
        let session = tarsy_store::history::session_record(&mut conn, session_id).await?;
        session.ok_or(Problem::SessionNotFound)?;
    }
    Ok(Json(Record::from_part(part?)))
}
