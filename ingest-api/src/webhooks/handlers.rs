//! Endpoint for webhooks of monitoring systems and of systems that report changes.

use std::collections::HashSet;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::{Extension, Json};
use bytes::Bytes;
use futures::future::join_all;
use tarsy_config::{WebhookConfig, WebhookKind};
use tarsy_failpoint::reached;
use tarsy_intake::Error;
use tarsy_intake::webhooks::{Desk, Verdict, json_of_form, verify};
use tarsy_store::changes::NewChange;
use tarsy_store::sessions::Accepted;
use tarsy_store::webhook_requests::RawRequest;
use uuid::Uuid;

use crate::access::Actor;
use crate::alerts::rejected::{Outcomes, Witness, kept_headers};
use crate::problem::{AuthError, Problem};
use crate::server::body::{AnyBytes, JsonBytes, WebhookBytes};
use crate::server::caller::Caller;
use crate::server::clock;
use crate::server::state::AppState;
use crate::webhooks::Reception;

/// Maximum number of alerts of one payload that are accepted at the same time.
const AT_ONCE: usize = 256;

/// Receive a webhook.
///
/// Creates one session per firing alert of a monitoring system, and records one change per event of a source of
/// changes. Senders repeat requests that get no 2xx response, so an invalid alert does not block the others. The
/// response contains the result of each alert.
#[utoipa::path(
    post, path = "/webhooks/{source}", tag = "webhooks",
    params(("source" = String, Path, description = "Configured source, e.g. `alertmanager`")),
    request_body(content = Object, description = "Alertmanager: webhook payload, version 4"),
    responses(
        (status = 202, description = "Result of each alert", body = Reception),
        (status = 401, description = "Invalid signature"),
        (status = 404, description = "Webhook source not found"),
        (status = 422, description = "No alert in the payload is valid"),
        (status = 503, description = "No LLM provider, too many pending sessions, or the database is unavailable; retry"),
    )
)]
pub(crate) async fn receive(
    State(app): State<AppState>,
    Path(source): Path<String>,
    Extension(witness): Extension<Witness>,
    caller: Caller,
    actor: Actor,
    headers: HeaderMap,
    WebhookBytes { body, compressed }: WebhookBytes,
) -> Result<(StatusCode, Extension<Outcomes>, Json<Reception>), Problem> {
    let source = app.catalog.webhook(&source)?;
    if source.change.is_none() && !app.catalog.chains.has_provider() {
        return Err(Error::NoLlmProvider.into());
    }
    let raw = body.bytes.clone();
    let body = readable(source, body)?;
    // Senders sign the body before or after they compress it.
    let verified = |bytes: &Bytes| verify(source, &headers, bytes, clock::now_us());
    verified(&raw).or_else(|problem| compressed.map_or(Err(problem), |sent| verified(&sent)))?;
    // SNS signs inside the body, so its signature is verified when the payload is read.
    if source.kind != WebhookKind::Sns {
        witness.prove();
    }
    let verdicts = judge(&app, source, &caller, &headers, body.text()?).await?;
    witness.prove();
    app.authenticator
        .admit_signed(&actor)
        .map_err(AuthError::SourceRateLimited)?;
    let reception = carry_out(&app, verdicts, &headers, &raw).await?;
    let outcomes = Extension(reception.outcomes());
    Ok((StatusCode::ACCEPTED, outcomes, Json(reception)))
}

/// Accepts a payload of an authenticated source. `raw` is the body, and `body` the JSON in it.
pub(crate) async fn accept(
    app: &AppState,
    source: &WebhookConfig,
    caller: &Caller,
    headers: &HeaderMap,
    (raw, body): (&Bytes, &JsonBytes),
) -> Result<Reception, Problem> {
    let verdicts = judge(app, source, caller, headers, body.text()?).await?;
    carry_out(app, verdicts, headers, raw).await
}

/// Accepts firing alerts, records resolved ones, and stores the request with its first session.
async fn carry_out(
    app: &AppState,
    verdicts: Vec<Verdict>,
    headers: &HeaderMap,
    raw: &Bytes,
) -> Result<Reception, Problem> {
    let firing: Vec<_> = verdicts.iter().filter_map(Verdict::session).collect();
    let resolved = Verdict::resolved(&verdicts);
    let mut accepted = Vec::with_capacity(firing.len());
    // Alerts are accepted in parts, because each has two seconds and thousands of one payload would
    // wait for each other.
    for part in firing.chunks(AT_ONCE) {
        let sessions = part.iter().map(|session| (*session).clone());
        let accepting = sessions.map(async |session| Ok(app.intake.accept(session).await?));
        accepted.extend(join_all(accepting).await);
        if accepted.iter().rev().take(AT_ONCE).any(is_passing) {
            break;
        }
    }
    let subjects = Verdict::subjects(&verdicts);
    let mut noted = Vec::new();
    if !resolved.is_empty() || !subjects.is_empty() {
        let mut conn = app.pool.acquire().await?;
        reached("lone.resolve_sessions.before_commit");
        noted = tarsy_store::resolved::resolve_sessions(&mut conn, &resolved).await?;
        reached("lone.resolve_sessions.after_commit");
        reached("lone.mark_resolved.before_commit");
        noted.extend(tarsy_store::sessions::mark_resolved(&mut conn, &subjects).await?);
        reached("lone.mark_resolved.after_commit");
    }
    let recorded = record(app, &Verdict::changes(&verdicts)).await?;
    let reception = Reception::new(verdicts, accepted, &noted, &recorded)?;
    if reception.nothing_usable() {
        return Err(Problem::UnmappableWebhook(reception.results()));
    }
    // The request is stored once per payload, with the first session that it led to. If this
    // process dies before, the sender repeats the request, and the duplicate session still gets it.
    if let Some(first) = reception.sessions().next() {
        let content_type = headers
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let raw = RawRequest {
            content_type,
            headers: kept_headers(headers),
            body: raw,
        };
        let mut conn = app.pool.acquire().await?;
        reached("lone.keep_request.before_commit");
        tarsy_store::webhook_requests::keep_request(&mut conn, &[first], &raw).await?;
        reached("lone.keep_request.after_commit");
    }
    Ok(reception)
}

/// Records the changes that are not stored yet, and returns their ids.
async fn record(app: &AppState, changes: &[NewChange]) -> Result<HashSet<Uuid>, Problem> {
    let mut recorded = HashSet::new();
    for part in changes.chunks(AT_ONCE) {
        let mut conn = app.pool.acquire().await?;
        reached("lone.record_changes.before_commit");
        recorded.extend(tarsy_store::changes::record_changes(&mut conn, part).await?);
        reached("lone.record_changes.after_commit");
    }
    Ok(recorded)
}

/// Returns whether an alert failed with a temporary error.
fn is_passing(accepted: &Result<Accepted, Problem>) -> bool {
    let problem = accepted.as_ref().err();
    problem.is_some_and(|problem| problem.code().status().is_server_error())
}

/// Returns the JSON of a body. SNS declares its JSON as plain text. Datadog sends a form if its
/// user chose that. A form is accepted only from a source with a secret, because any web page can
/// send one.
pub(crate) fn readable(source: &WebhookConfig, body: AnyBytes) -> Result<JsonBytes, Problem> {
    let is_proven = !source.secrets_env.is_empty();
    match source.kind {
        WebhookKind::Sns => Ok(JsonBytes(body.bytes)),
        WebhookKind::Datadog if body.is_form && is_proven => {
            Ok(JsonBytes(json_of_form(&body.bytes).into()))
        }
        _ => body.is_json.map(|()| JsonBytes(body.bytes)),
    }
}

async fn judge(
    app: &AppState,
    source: &WebhookConfig,
    caller: &Caller,
    headers: &HeaderMap,
    body: &str,
) -> Result<Vec<Verdict>, Problem> {
    let desk = Desk {
        source,
        chains: &app.catalog.chains,
        masker: &app.catalog.alert_masker,
        sns: &app.sns,
        author: &caller.author,
        traceparent: caller.traceparent.as_deref(),
        bounds: app.bounds(),
        now_us: clock::now_us(),
    };
    Ok(desk.verdicts(headers, body).await?)
}

/// CloudEvents validation handshake.
#[utoipa::path(
    options, path = "/webhooks/{source}", tag = "webhooks",
    params(("source" = String, Path, description = "Configured source")),
    responses(
        (status = 200, description = "Allowed, without a rate limit"),
        (status = 404, description = "Webhook source not found"),
    )
)]
pub(crate) async fn handshake(
    State(app): State<AppState>,
    Path(source): Path<String>,
    headers: HeaderMap,
) -> Result<HeaderMap, Problem> {
    app.catalog.webhook(&source)?;
    let mut answer = HeaderMap::new();
    answer.insert("allow", HeaderValue::from_static("POST"));
    if let Some(origin) = headers.get("webhook-request-origin") {
        answer.insert(
            HeaderName::from_static("webhook-allowed-origin"),
            origin.clone(),
        );
        answer.insert(
            HeaderName::from_static("webhook-allowed-rate"),
            HeaderValue::from_static("*"),
        );
    }
    Ok(answer)
}
