//! LLM providers and MCP servers.

use axum::Json;
use axum::extract::State;

use crate::fleet::upstreams::Upstreams;
use crate::problem::Problem;
use crate::server::clock;
use crate::server::state::AppState;

/// Period that calls are counted over.
const SPAN_US: i64 = 3_600_000_000;

/// List LLM providers and MCP servers.
///
/// Includes their calls of the last hour, and the MCP servers of each pool.
#[utoipa::path(
    get, path = "/api/v1/admin/upstreams", tag = "admin", operation_id = "list_upstreams",
    responses(
        (status = 200, description = "Configured upstreams, and those that occur only in the history", body = Upstreams),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn list(State(app): State<AppState>) -> Result<Json<Upstreams>, Problem> {
    let since_us = clock::now_us() - SPAN_US;
    let mut conn = app.history().await?;
    let models = tarsy_store::calls::model_calls(&mut conn, since_us).await?;
    let servers = tarsy_store::calls::server_calls(&mut conn, since_us).await?;
    let pools = tarsy_store::calls::pool_calls(&mut conn, since_us).await?;
    drop(conn);
    let workers = tarsy_queue::list_workers(&mut *app.pool.acquire().await?).await?;
    let configured = app.catalog.upstreams().clone();
    let listed = configured.with_calls(since_us, models, servers);
    Ok(Json(listed.with_pools(&workers, pools)))
}
