//! Endpoints of changes.

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use tarsy_model::{Change, SessionId};
use tarsy_store::changes::ChangeFilter;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::problem::Problem;
use crate::server::operator_request::{PageSize, ValidQuery, invalid};
use crate::server::state::AppState;

/// Maximum number of changes that a session's page shows.
const NEAR: i64 = 20;

/// Filter of changes.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Service.
    #[param(pattern = r"^[^\u0000]*$")]
    service: Option<String>,
    /// Namespace.
    #[param(pattern = r"^[^\u0000]*$")]
    namespace: Option<String>,
    /// Cluster.
    #[param(pattern = r"^[^\u0000]*$")]
    cluster: Option<String>,
    /// Only changes at or after this time, in Unix microseconds.
    #[param(minimum = 0)]
    since_us: Option<i64>,
    /// Only changes before this time, in Unix microseconds.
    #[param(minimum = 0)]
    until_us: Option<i64>,
    /// `next` of the previous page.
    before: Option<Uuid>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// One change, as another system reported it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape of the OpenAPI document")]
struct ChangeView {
    change_id: Uuid,
    /// When the change happened, or when it was received if the sender gives no time.
    happened_at_us: i64,
    /// Webhook source that reported it.
    #[schema(example = "github")]
    source: String,
    /// The sender's id of the change.
    external_id: String,
    #[schema(example = "deployment")]
    kind: String,
    /// What changed, in one line. Masked.
    #[schema(example = "Deployed v2.4.1 to production")]
    title: String,
    service: Option<String>,
    namespace: Option<String>,
    cluster: Option<String>,
    author: Option<String>,
    /// Commit, tag or version.
    revision: Option<String>,
    /// Page of the change; http or https.
    link: Option<String>,
}

/// A page of changes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changes {
    /// Newest first.
    #[schema(value_type = Vec<ChangeView>)]
    changes: Vec<Change>,
    /// Cursor of the next page, for `before`.
    next: Option<Uuid>,
}

/// Changes near an alert.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NearChanges {
    /// Time of the alert.
    alert_timestamp_us: i64,
    /// The nearest twenty changes, oldest first: from three days before the alert to an hour after it.
    #[schema(value_type = Vec<ChangeView>)]
    changes: Vec<Change>,
}

/// List changes, newest first.
#[utoipa::path(
    get, path = "/api/v1/changes", tag = "history", operation_id = "list_changes", params(Filter),
    responses(
        (status = 200, description = "Changes", body = Changes),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    ValidQuery(wanted): ValidQuery<Filter>,
) -> Result<Json<Changes>, Problem> {
    let page = PageSize::from_limit(wanted.limit)?;
    for (name, us) in [("since_us", wanted.since_us), ("until_us", wanted.until_us)] {
        if us.is_some_and(|us| us < 0) {
            return Err(invalid(name, "must be 0 or more"));
        }
    }
    let filter = ChangeFilter {
        service: wanted.service.as_deref(),
        namespace: wanted.namespace.as_deref(),
        cluster: wanted.cluster.as_deref(),
        since_us: wanted.since_us,
        until_us: wanted.until_us,
        before: wanted.before,
    };
    let mut conn = app.history().await?;
    let found = tarsy_store::changes::list_changes(&mut conn, filter, page.to_read()).await?;
    let (changes, next) = page.cut(found, |change| change.change_id);
    Ok(Json(Changes { changes, next }))
}

/// List the changes nearest to a session's alert.
///
/// Changes of the alert's service and namespace count as nearest.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/changes", tag = "history", operation_id = "session_changes",
    params(("session_id" = Uuid, Path, description = "Session id")),
    responses(
        (status = 200, description = "Changes", body = NearChanges),
        (status = 404, description = "Session not found, or history is disabled"),
    )
)]
pub(crate) async fn near(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<NearChanges>, Problem> {
    let session_id: SessionId = id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let near = tarsy_store::changes::alert_moment(&mut conn, session_id)
        .await?
        .ok_or(Problem::SessionNotFound)?;
    Ok(Json(NearChanges {
        alert_timestamp_us: near.at_us.0,
        changes: tarsy_store::changes::changes_near(&mut conn, &near, NEAR).await?,
    }))
}
