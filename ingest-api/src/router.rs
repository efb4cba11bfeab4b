//! Every route of the service.

use axum::Router;
use axum::middleware::from_fn;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::docs;
use crate::handlers::admin::{
    audit_log, config, dead_jobs, many, queues, retention, sessions, workers,
};
use crate::handlers::{alerts, deliveries, facets, health, history, live, webhooks};
use crate::problem::Problem;
use crate::screens;
use crate::state::AppState;
use crate::tracing_layer::trace;

/// The paths stand beside the handlers, in their `#[utoipa::path]`.
fn routes_and_spec() -> OpenApiRouter<AppState> {
    docs::described()
        // GET /   GET /health   GET /livez   GET /readyz
        .routes(routes!(health::root))
        .routes(routes!(health::health))
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
        // POST /alerts   GET /alerts/{alert_id}   GET /session-id/{alert_id}   GET /alert-types
        .routes(routes!(alerts::submit))
        .routes(routes!(alerts::status))
        .routes(routes!(alerts::session_id))
        .routes(routes!(alerts::types))
        // POST /webhooks/{source}
        .routes(routes!(webhooks::receive, webhooks::handshake))
        // GET /api/v1/history/: sessions   sessions/{id}   sessions/{id}/summary   sessions/{id}/export
        .routes(routes!(history::sessions))
        .routes(routes!(history::session))
        .routes(routes!(history::summary))
        .routes(routes!(history::export))
        // search   metrics   active-sessions   filter-options   facets   health
        .routes(routes!(history::search))
        .routes(routes!(history::metrics))
        .routes(routes!(history::active))
        .routes(routes!(history::filter_options))
        .routes(routes!(facets::facets))
        .routes(routes!(history::health))
        // GET /api/v1/admin/webhook-deliveries   POST webhook-deliveries/{id}/redeliver
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::redeliver))
        // /api/v1/admin/sessions/: POST {id}/cancel   {id}/stages/{i}/replay   cancel   replay
        .routes(routes!(sessions::cancel))
        .routes(routes!(sessions::replay))
        .routes(routes!(many::cancel_many))
        .routes(routes!(many::replay_many))
        // /api/v1/admin/: GET queues   POST queues/{queue}/pause   resume
        .routes(routes!(queues::list))
        .routes(routes!(queues::pause))
        .routes(routes!(queues::resume))
        // GET workers   POST workers/{id}/drain
        .routes(routes!(workers::list))
        .routes(routes!(workers::drain))
        // GET dead-jobs   dead-jobs/{id}   POST dead-jobs/{id}/requeue   discard
        .routes(routes!(dead_jobs::list))
        .routes(routes!(dead_jobs::show))
        .routes(routes!(dead_jobs::requeue))
        .routes(routes!(dead_jobs::discard))
        // GET retention   POST retention/prune   GET audit-log   GET config
        .routes(routes!(retention::show))
        .routes(routes!(retention::prune))
        .routes(routes!(audit_log::list))
        .routes(routes!(config::show))
        // POST /api/v1/ws-tickets   GET /ws/dashboard/{user_id}
        .routes(routes!(live::issue_ticket))
        .routes(routes!(live::dashboard))
}

/// The service's routes, with `/openapi.json`, the docs page and the screens.
pub(crate) fn router(state: AppState) -> Router {
    let (routes, spec) = routes_and_spec().split_for_parts();
    routes
        .merge(docs::page(spec))
        .merge(screens::routes())
        .fallback(async || Problem::NotFound)
        .method_not_allowed_fallback(async || Problem::MethodNotAllowed)
        .layer(from_fn(trace))
        .with_state(state)
}

/// The service's OpenAPI document.
#[must_use]
pub fn openapi() -> OpenApi {
    routes_and_spec().into_openapi()
}
