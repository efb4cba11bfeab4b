//! Every route of the service.

use std::any::Any;
use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Router};
use tarsy_model::{OperatorAction, Role};
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate as _, SizeAbove};
use utoipa::openapi::OpenApi;
use utoipa_axum::routes;

use crate::access::{AuthRequirement, Routes, SecurityHeaders, cross_origin, names_loopback};
use crate::deadline::deadline;
use crate::docs;
use crate::handlers::admin::{
    audit_log, bulk, config, dead_jobs, queues, retention, sessions, triage, upstreams, workers,
};
use crate::handlers::history::{activity, facets, lists, metrics, origin, sessions as history};
use crate::handlers::{
    alerts, approvals, browser_sessions, deliveries, delivery_groups, dry_run, health, keys,
    knowledge, live, messages, record, rejections, slack, slack_events, usage, webhooks,
};
use crate::problem::Problem;
use crate::screens;
use crate::state::AppState;
use crate::tracing_layer::trace;

/// All routes with their authentication requirements. The paths are in each handler's `#[utoipa::path]`.
fn routes() -> Routes {
    use AuthRequirement::{Authenticated, Public, Slack, Ticket, Webhook};
    use OperatorAction::{
        AcknowledgeSession, Approve, AskSession, CancelSession, CreateKey, DiscardJob, DrainWorker,
        NoteSession, PauseQueue, PruneHistory, ReadRawSession, Redeliver, ReplayStage, RequeueJob,
        ResumeQueue, RevokeKey, SendSignal, SubmitRejected,
    };
    use Role::{Ingest, Operator, Viewer};

    Routes::new(docs::described())
        // GET /   GET /livez   GET /readyz   GET /health   GET /metrics   GET /api/v1/me
        .route(Public, routes!(health::root))
        .route(Public, routes!(health::live))
        .route(Public, routes!(health::ready))
        .role(Viewer, routes!(health::health))
        .role(Viewer, routes!(health::metrics))
        .route(Authenticated, routes!(keys::me))
        // POST /api/v1/sign-in   sign-out
        .route(Authenticated, routes!(browser_sessions::sign_in))
        .route(Authenticated, routes!(browser_sessions::sign_out))
        // POST /alerts   dry-run   runbook-check   GET /alerts/{alert_id}   GET /session-id/{alert_id}   GET /alert-types
        .alerts(AuthRequirement::Role(Ingest), routes!(alerts::submit))
        .role(Ingest, routes!(dry_run::dry_run))
        .role(Ingest, routes!(dry_run::runbook_check))
        .route(Authenticated, routes!(alerts::status))
        .route(Authenticated, routes!(alerts::session_id))
        .route(Authenticated, routes!(alerts::types))
        // POST /webhooks/{source}
        .alerts(Webhook, routes!(webhooks::receive, webhooks::handshake))
        // POST /webhooks/slack/{target}/interactions
        .route(Slack, routes!(slack::interact))
        // POST /webhooks/slack/{target}/events
        .route(Slack, routes!(slack_events::receive))
        // GET /api/v1/history/: sessions   sessions/{id}   sessions/{id}/interactions   summary   export
        .role(Viewer, routes!(lists::sessions))
        .role(Viewer, routes!(history::session))
        .role(Viewer, routes!(record::part))
        .role(Viewer, routes!(history::summary))
        .role(Viewer, routes!(history::export))
        // sessions/{id}/duplicates   request
        .role(Viewer, routes!(origin::duplicates))
        .action(ReadRawSession, routes!(origin::request))
        // GET sessions/{id}/activity   POST admin/sessions/{id}/notes
        .role(Viewer, routes!(activity::list))
        .action(NoteSession, routes!(activity::write))
        // search   metrics   active-sessions   filter-options   facets   health
        .role(Viewer, routes!(lists::search))
        .role(Viewer, routes!(metrics::metrics))
        .role(Viewer, routes!(lists::active))
        .role(Viewer, routes!(facets::filter_options))
        .role(Viewer, routes!(facets::facets))
        .role(Viewer, routes!(metrics::health))
        // GET /api/v1/usage
        .role(Viewer, routes!(usage::usage))
        // GET, POST /api/v1/sessions/{id}/messages
        .role(Viewer, routes!(messages::list))
        .action(AskSession, routes!(messages::ask))
        // POST /api/v1/ask   GET ask/{id}
        .action(AskSession, routes!(knowledge::ask))
        .role(Viewer, routes!(knowledge::answer))
        // GET /api/v1/approvals   approvals/{id}   POST approvals/{id}   sessions/{id}/signals/{name}
        .role(Viewer, routes!(approvals::list))
        .role(Viewer, routes!(approvals::show))
        .action(Approve, routes!(approvals::decide))
        .action(SendSignal, routes!(approvals::signal))
        // GET /api/v1/admin/webhook-deliveries   POST webhook-deliveries/{id}/redeliver
        .role(Viewer, routes!(deliveries::list))
        .action(Redeliver, routes!(deliveries::redeliver))
        // GET webhook-deliveries/groups   POST webhook-deliveries/redeliver
        .role(Viewer, routes!(delivery_groups::list))
        .action(Redeliver, routes!(delivery_groups::redeliver))
        // GET rejected-alerts   rejected-alerts/{id}   POST rejected-alerts/{id}/submit
        .role(Operator, routes!(rejections::list))
        .role(Operator, routes!(rejections::show))
        .action(SubmitRejected, routes!(rejections::submit))
        // /api/v1/admin/sessions/: POST {id}/cancel   {id}/stages/{i}/replay   {id}/care   cancel   replay
        .action(CancelSession, routes!(sessions::cancel))
        .action(ReplayStage, routes!(sessions::replay))
        .action(AcknowledgeSession, routes!(triage::update_triage))
        .action(CancelSession, routes!(bulk::cancel))
        .action(ReplayStage, routes!(bulk::replay))
        // /api/v1/admin/: GET queues   POST queues/{queue}/pause   resume
        .role(Viewer, routes!(queues::list))
        .action(PauseQueue, routes!(queues::pause))
        .action(ResumeQueue, routes!(queues::resume))
        // GET workers   POST workers/{id}/drain
        .role(Viewer, routes!(workers::list))
        .action(DrainWorker, routes!(workers::drain))
        // GET upstreams
        .role(Viewer, routes!(upstreams::list))
        // GET dead-jobs   dead-jobs/{id}   POST dead-jobs/{id}/requeue   discard
        .role(Viewer, routes!(dead_jobs::list))
        .role(Viewer, routes!(dead_jobs::show))
        .action(RequeueJob, routes!(dead_jobs::requeue))
        .action(DiscardJob, routes!(dead_jobs::discard))
        // GET retention   POST retention/prune   GET audit-log   GET config
        .role(Viewer, routes!(retention::show))
        .action(PruneHistory, routes!(retention::prune))
        .role(Viewer, routes!(audit_log::list))
        .role(Viewer, routes!(config::show))
        // GET, POST /api/v1/admin/keys   POST keys/{key_id}/revoke
        .action(CreateKey, routes!(keys::list, keys::create))
        .action(RevokeKey, routes!(keys::revoke))
        // POST /api/v1/ws-tickets   GET /ws/dashboard/{user_id}
        .role(Viewer, routes!(live::issue_ticket))
        .route(Ticket, routes!(live::dashboard))
}

/// The service's router, including `/openapi.json`, the docs page and the screens.
pub(crate) fn router(state: AppState) -> Router {
    let (ours, webhooks, spec) = routes().split();
    // Before the layers: a preflight asks a method that no route has.
    let ours = ours.method_not_allowed_fallback(async || Problem::MethodNotAllowed);
    // A session's record shrinks to a tenth; what fits a packet or two is left alone.
    let gzip = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(SizeAbove::new(2_048)));
    let ours = ours.layer(gzip);
    let headers = Arc::new(SecurityHeaders::new(state.ingest.access.hsts));
    let app = state.clone();
    cross_origin(ours, &state.ingest.allowed_origins)
        .merge(webhooks)
        .merge(docs::page(spec))
        .merge(screens::routes())
        .fallback(async || Problem::NotFound)
        .method_not_allowed_fallback(async || Problem::MethodNotAllowed)
        // One layer: for each, axum copies all those below it with every request.
        .layer((
            from_fn(move |request, next| around(app.clone(), headers.clone(), request, next)),
            Extension(state.clone()),
            CatchPanicLayer::custom(of_panic),
        ))
        .with_state(state)
}

/// What stands around every route, the outermost first: headers, the check of the host, a span, metrics, a timeout.
async fn around(
    app: AppState,
    headers: Arc<SecurityHeaders>,
    request: Request,
    next: Next,
) -> Response {
    let is_refused =
        app.authenticator.is_open() && !names_loopback(request.uri(), request.headers());
    let mut response = if is_refused {
        Problem::HostNotAllowed.into_response()
    } else {
        let measured = |request| {
            let timed = |request| deadline(&app, request, next);
            app.metrics.measure(request, timed)
        };
        trace(request, measured).await
    };
    headers.add_to(response.headers_mut());
    response
}

/// Response after a handler panicked; the panic is logged.
#[expect(clippy::needless_pass_by_value, reason = "the layer's signature")]
fn of_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    Problem::Internal(format!("panicked: {}", text.unwrap_or("without a text")).into())
        .into_response()
}

/// The service's OpenAPI document.
#[must_use]
pub fn openapi() -> OpenApi {
    routes().split().2
}
