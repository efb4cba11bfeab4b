//! Authentication middleware of every route.

use std::net::IpAddr;
use std::time::Duration;

use axum::RequestExt as _;
use axum::extract::{RawPathParams, Request};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tarsy_config::{WebhookConfig, WebhookKind};
use tarsy_model::Role;

use crate::access::actor::{Actor, AuthMethod};
use crate::access::auth_requirement::AuthRequirement;
use crate::access::browser_session::check_forgery;
use crate::access::client::address_of;
use crate::live::is_allowed;
use crate::problem::{AuthError, Problem};
use crate::server::serve::Peer;
use crate::server::state::AppState;

/// Passes an authenticated request to its handler with its [`Actor`], or responds with a problem.
pub(super) async fn authenticate(
    need: AuthRequirement,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(app) = request.extensions().get::<AppState>().cloned() else {
        return Problem::Internal("the middleware has no state".into()).into_response();
    };
    let client = client_of(&request, &app);
    let response = match admit(need, &mut request, &app, client).await {
        Ok(Some(actor)) => {
            request.extensions_mut().insert(actor);
            let mut response = next.run(request).await;
            // Caches between the client and this server must not store a response that needs authentication.
            let headers = response.headers_mut();
            headers
                .entry(header::CACHE_CONTROL)
                .or_insert(HeaderValue::from_static("no-store"));
            response
        }
        Ok(None) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    match client {
        Some(client) if response.status() == StatusCode::UNAUTHORIZED => {
            to_stranger(response, client, &app)
        }
        _ => response,
    }
}

/// Client address of a request; `None` while access control is off.
fn client_of(request: &Request, app: &AppState) -> Option<IpAddr> {
    if app.authenticator.is_open() {
        return None;
    }
    let Peer(peer) = request.extensions().get::<Peer>()?;
    let settings = &app.ingest.connections;
    Some(address_of(*peer, request.headers(), settings))
}

/// Returns `refused`, or 429 if the client has failed authentication too often. With the 429 the
/// connection is closed, so that each further request of a flood needs a new connection.
fn to_stranger(refused: Response, client: IpAddr, app: &AppState) -> Response {
    let Err(wait) = app.authenticator.charge_stranger(client) else {
        return refused;
    };
    let mut response = rate_limited(wait).into_response();
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// Identifies and authorizes the sender of a request. Returns `None` on a route whose callers are
/// not identified here.
async fn admit(
    need: AuthRequirement,
    request: &mut Request,
    app: &AppState,
    client: Option<IpAddr>,
) -> Result<Option<Actor>, Problem> {
    check_page(request, app)?;
    let authenticator = &app.authenticator;
    let signed_by = match need {
        AuthRequirement::Public => return Ok(None),
        // The handler looks the ticket up in the database, so clients with too many failed
        // attempts are refused before.
        AuthRequirement::Ticket => {
            let spent = client.map_or(Ok(()), |client| authenticator.spend_on(client));
            return spent.map(|()| None).map_err(rate_limited);
        }
        AuthRequirement::SignIn => {
            let charged = client.map_or(Ok(()), |client| authenticator.charge_stranger(client));
            return charged.map(|()| None).map_err(rate_limited);
        }
        AuthRequirement::Slack => {
            let target = parameter(request, "target").await.unwrap_or_default();
            Some(format!("slack:{target}"))
        }
        AuthRequirement::Webhook if !authenticator.is_open() => signed_source(request, app).await,
        AuthRequirement::Webhook | AuthRequirement::Authenticated | AuthRequirement::Role(_) => {
            None
        }
    };
    // The handler counts the request after it has checked the signature. A flood of unsigned
    // requests must not use up the source's rate limit.
    if let Some(name) = signed_by {
        return Ok(Some(Actor::new(name, Role::Ingest, AuthMethod::Signature)));
    }
    let actor = authenticator.identify(request.headers(), client).await?;
    let allowed_origins = &app.ingest.allowed_origins;
    check_forgery(&actor, request.method(), request.headers(), allowed_origins)?;
    let needed = match need {
        AuthRequirement::Webhook => Some(Role::Ingest),
        AuthRequirement::Role(role) => Some(role),
        _ => None,
    };
    if let Some(needed) = needed.filter(|needed| !actor.role().covers(*needed)) {
        let has = actor.role();
        return Err(AuthError::Forbidden { needed, has }.into());
    }
    authenticator.admit(&actor).map_err(|wait| match need {
        // Several monitoring systems never retry after a 429.
        AuthRequirement::Webhook => AuthError::SourceRateLimited(wait),
        _ => AuthError::RateLimited(wait),
    })?;
    Ok(Some(actor))
}

fn rate_limited(wait: Duration) -> Problem {
    AuthError::RateLimited(wait).into()
}

/// Refuses a request that changes something if a page of another site sent it. Such a page could
/// act through a visitor's browser if access control is off, or if a proxy identifies the visitor
/// by a cookie. Browsers name the page's origin in every such request.
fn check_page(request: &Request, app: &AppState) -> Result<(), Problem> {
    let harmless = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    let headers = request.headers();
    if harmless
        || !headers.contains_key(header::ORIGIN)
        || is_allowed(headers, &app.ingest.allowed_origins)
    {
        return Ok(());
    }
    Err(Problem::OriginNotAllowed)
}

/// Returns the name of the requested webhook source if the source signs its requests. Its handler
/// then admits requests with a valid signature.
async fn signed_source(request: &mut Request, app: &AppState) -> Option<String> {
    let name = parameter(request, "source").await?;
    let source = app.catalog.webhook(&name).ok()?;
    is_signed(source).then(|| source.source.clone())
}

/// Returns a parameter of the path.
async fn parameter(request: &mut Request, wanted: &str) -> Option<String> {
    let parameters = request.extract_parts::<RawPathParams>().await.ok()?;
    let (_, value) = parameters.iter().find(|(key, _)| *key == wanted)?;
    Some(value.to_owned())
}

fn is_signed(source: &WebhookConfig) -> bool {
    source.kind == WebhookKind::Sns || !source.secrets_env.is_empty()
}
