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

use crate::access::{
    AuthRequirement, Routes, SecurityHeaders, cross_origin, names_loopback, route,
};
use crate::access::{sign_in as browser_sessions, single_sign_on};
use crate::alerts::rejected::handlers as rejections;
use crate::alerts::{dry_run, handlers as alerts};
use crate::approvals::handlers as approvals;
use crate::changes::handlers as changes;
use crate::fleet::configuration::handlers as config;
use crate::fleet::health::handlers as health;
use crate::fleet::upstreams::handlers as upstreams;
use crate::fleet::{dead_jobs, queues, retention, workers};
use crate::incidents::handlers as incidents;
use crate::keys;
use crate::knowledge::{handlers as knowledge, stream as knowledge_stream};
use crate::live::handlers as live;
use crate::notifications::{deliveries, groups as delivery_groups};
use crate::problem::Problem;
use crate::quality::{evaluations, handlers as quality};
use crate::questions::handlers as messages;
use crate::server::audit::handlers as audit_log;
use crate::server::deadline::deadline;
use crate::server::docs;
use crate::server::screens;
use crate::server::state::AppState;
use crate::server::tracing_layer::trace;
use crate::sessions::facets::handlers as facets;
use crate::sessions::lists::handlers as lists;
use crate::sessions::metrics::handlers as metrics;
use crate::sessions::record::handlers as record;
use crate::sessions::triage::handlers as triage;
use crate::sessions::{actions as sessions, bulk};
use crate::sessions::{activity, handlers as history, origin};
use crate::slack::{events as slack_events, interactions as slack};
use crate::usage::handlers as usage;
use crate::webhooks::handlers as webhooks;

/// All routes with their authentication requirements. The paths are in each handler's `#[utoipa::path]`.
pub(crate) fn routes() -> Routes {
    use AuthRequirement::{Authenticated, Public, SignIn, Slack, Ticket, Webhook};
    use OperatorAction::{
        AcknowledgeSession, Approve, AskSession, CancelSession, CreateKey, DiscardJob, DrainWorker,
        KeepEvaluation, NoteSession, PauseQueue, PruneHistory, ReadRawSession, Redeliver,
        ReplayStage, RequeueJob, ResumeQueue, RevokeKey, SendSignal, SubmitRejected,
    };
    use Role::{Ingest, Operator, Viewer};

    Routes::default()
        // GET /   GET /livez   GET /readyz   GET /health   GET /metrics   GET /api/v1/me
        .route(Public, route!(health::root))
        .route(Public, route!(health::live))
        .route(Public, route!(health::ready))
        .role(Viewer, route!(health::health))
        .role(Viewer, route!(health::metrics))
        .route(Authenticated, route!(keys::me))
        // POST /api/v1/sign-in   sign-out
        .route(Authenticated, route!(browser_sessions::sign_in))
        .route(Authenticated, route!(browser_sessions::sign_out))
        // GET /api/v1/sign-in-options   sign-in/oidc   sign-in/oidc/callback
        .route(Public, route!(single_sign_on::options))
        .route(SignIn, route!(single_sign_on::start))
        .route(SignIn, route!(single_sign_on::callback))
        // POST /alerts   dry-run   runbook-check   GET /alerts/{alert_id}   GET /session-id/{alert_id}   GET /alert-types
        .alerts(AuthRequirement::Role(Ingest), route!(alerts::submit))
        .role(Ingest, route!(dry_run::dry_run))
        .role(Ingest, route!(dry_run::runbook_check))
        .route(Authenticated, route!(alerts::status))
        .route(Authenticated, route!(alerts::session_id))
        .route(Authenticated, route!(alerts::types))
        // POST /webhooks/{source}
        .alerts(Webhook, route!(webhooks::receive, webhooks::handshake))
        // POST /webhooks/slack/{target}/interactions
        .route(Slack, route!(slack::interact))
        // POST /webhooks/slack/{target}/events
        .route(Slack, route!(slack_events::receive))
        // GET /api/v1/history/: sessions   sessions/{id}   sessions/{id}/interactions   summary   export
        .role(Viewer, route!(lists::sessions))
        .role(Viewer, route!(history::session))
        .role(Viewer, route!(record::part))
        .role(Viewer, route!(history::summary))
        .role(Viewer, route!(history::export))
        // sessions/{id}/duplicates   request
        .role(Viewer, route!(origin::duplicates))
        .action(ReadRawSession, route!(origin::request))
        // GET sessions/{id}/activity   POST admin/sessions/{id}/notes
        .role(Viewer, route!(activity::list))
        .action(NoteSession, route!(activity::write))
        // GET /api/v1/changes   sessions/{id}/changes
        .role(Viewer, route!(changes::list))
        .role(Viewer, route!(changes::near))
        // GET /api/v1/incidents   incidents/{id}
        .role(Viewer, route!(incidents::list))
        .role(Viewer, route!(incidents::show))
        // search   metrics   active-sessions   filter-options   facets   health
        .role(Viewer, route!(lists::search))
        .role(Viewer, route!(metrics::metrics))
        .role(Viewer, route!(lists::active))
        .role(Viewer, route!(facets::filter_options))
        .role(Viewer, route!(facets::facets))
        .role(Viewer, route!(metrics::health))
        // GET /api/v1/usage   quality
        .role(Viewer, route!(usage::usage))
        .role(Viewer, route!(quality::quality))
        // GET /api/v1/evaluations   POST admin/evaluations
        .role(Viewer, route!(evaluations::list))
        .action(KeepEvaluation, route!(evaluations::keep))
        // GET, POST /api/v1/sessions/{id}/messages
        .role(Viewer, route!(messages::list))
        .action(AskSession, route!(messages::ask))
        // POST /api/v1/ask   GET ask/{id}   ask/{id}/stream
        .action(AskSession, route!(knowledge::ask))
        .role(Viewer, route!(knowledge::answer))
        .role(Viewer, route!(knowledge_stream::stream))
        // GET /api/v1/approvals   approvals/{id}   POST approvals/{id}   sessions/{id}/signals/{name}
        .role(Viewer, route!(approvals::list))
        .role(Viewer, route!(approvals::show))
        .action(Approve, route!(approvals::decide))
        .action(SendSignal, route!(approvals::signal))
        // GET /api/v1/admin/webhook-deliveries   POST webhook-deliveries/{id}/redeliver
        .role(Viewer, route!(deliveries::list))
        .action(Redeliver, route!(deliveries::redeliver))
        // GET webhook-deliveries/groups   POST webhook-deliveries/redeliver
        .role(Viewer, route!(delivery_groups::list))
        .action(Redeliver, route!(delivery_groups::redeliver))
        // GET rejected-alerts   rejected-alerts/{id}   POST rejected-alerts/{id}/submit
        .role(Operator, route!(rejections::list))
        .role(Operator, route!(rejections::show))
        .action(SubmitRejected, route!(rejections::submit))
        // /api/v1/admin/sessions/: POST {id}/cancel   {id}/stages/{i}/replay   {id}/care   cancel   replay
        .action(CancelSession, route!(sessions::cancel))
        .action(ReplayStage, route!(sessions::replay))
        .action(AcknowledgeSession, route!(triage::update_triage))
        .action(CancelSession, route!(bulk::cancel))
        .action(ReplayStage, route!(bulk::replay))
        // /api/v1/admin/: GET queues   POST queues/{queue}/pause   resume
        .role(Viewer, route!(queues::list))
        .action(PauseQueue, route!(queues::pause))
        .action(ResumeQueue, route!(queues::resume))
        // GET workers   POST workers/{id}/drain
        .role(Viewer, route!(workers::list))
        .action(DrainWorker, route!(workers::drain))
        // GET upstreams
        .role(Viewer, route!(upstreams::list))
        // GET dead-jobs   dead-jobs/{id}   POST dead-jobs/{id}/requeue   discard
        .role(Viewer, route!(dead_jobs::list))
        .role(Viewer, route!(dead_jobs::show))
        .action(RequeueJob, route!(dead_jobs::requeue))
        .action(DiscardJob, route!(dead_jobs::discard))
        // GET retention   POST retention/prune   GET audit-log   GET config
        .role(Viewer, route!(retention::show))
        .action(PruneHistory, route!(retention::prune))
        .role(Viewer, route!(audit_log::list))
        .role(Viewer, route!(config::show))
        // GET, POST /api/v1/admin/keys   POST keys/{key_id}/revoke
        .action(CreateKey, route!(keys::list, keys::create))
        .action(RevokeKey, route!(keys::revoke))
        // POST /api/v1/ws-tickets   GET /ws/dashboard/{user_id}
        .role(Viewer, route!(live::issue_ticket))
        .route(Ticket, route!(live::dashboard))
}

/// The service's router, including `/openapi.json` and the screens.
pub(crate) fn router(state: AppState) -> Router {
    let (for_pages, webhooks) = routes().split();
    // Set before the layers, because a preflight uses a method that no route has.
    let for_pages = for_pages
        .merge(docs::routes())
        .method_not_allowed_fallback(async || Problem::MethodNotAllowed);
    // Compression shrinks a session's record to a tenth. Small responses, which fit into one or two
    // packets, are not compressed.
    let gzip = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(SizeAbove::new(2_048)));
    let for_pages = for_pages.layer(gzip);
    let headers = Arc::new(SecurityHeaders::new(state.ingest.access.hsts));
    let app = state.clone();
    cross_origin(for_pages, &state.ingest.allowed_origins)
        .merge(webhooks)
        .merge(screens::routes())
        .fallback(async || Problem::NotFound)
        .method_not_allowed_fallback(async || Problem::MethodNotAllowed)
        // One combined layer, because axum copies everything below each layer with every request.
        .layer((
            from_fn(move |request, next| around(app.clone(), headers.clone(), request, next)),
            Extension(state.clone()),
            CatchPanicLayer::custom(of_panic),
        ))
        .with_state(state)
}

/// Wraps every route, from the outside in: security headers, the host check, a span, metrics, a timeout.
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

/// Builds the response after a handler panicked. The panic is logged.
#[expect(clippy::needless_pass_by_value, reason = "the layer's signature")]
fn of_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    Problem::Internal(format!("panicked: {}", text.unwrap_or("without a text")).into())
        .into_response()
}
