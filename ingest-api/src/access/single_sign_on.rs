//! Sign-in of browsers at the identity provider.

use std::time::Duration;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::browser_session::session_cookie;
use crate::access::oidc::{Answer, CodeFlow, Pending, SignInFailure};
use crate::access::sign_in::end;
use crate::problem::Problem;
use crate::server::state::AppState;

/// Timeout of all requests to the identity provider during one request. The whole request may take longer.
const PATIENCE: Duration = Duration::from_secs(15);

/// Ways to sign in, besides API keys.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SignInOptions {
    /// The identity provider; null if none is configured.
    identity_provider: Option<IdentityProvider>,
}

/// Identity provider at which users sign in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IdentityProvider {
    /// Display name (`TARSY_OIDC_NAME`).
    #[schema(example = "single sign-on")]
    name: String,
}

/// List the ways to sign in.
#[utoipa::path(
    get, path = "/api/v1/sign-in-options", tag = "access",
    responses((status = 200, description = "Ways to sign in besides API keys", body = SignInOptions))
)]
pub(crate) async fn options(State(app): State<AppState>) -> Json<SignInOptions> {
    let flow = app.authenticator.code_flow();
    let identity_provider = flow.map(|flow| IdentityProvider {
        name: flow.name().to_owned(),
    });
    Json(SignInOptions { identity_provider })
}

/// Parameters of the start of a sign-in.
#[derive(Deserialize, IntoParams)]
pub(crate) struct Start {
    /// Path of the page to open after the sign-in, below `TARSY_PUBLIC_URL`. If it is not a page of our apps, the
    /// dashboard opens.
    #[serde(default)]
    #[param(example = "/dashboard/fleet")]
    return_to: String,
}

/// Start a sign-in at the identity provider.
///
/// For browsers: uses the authorization code flow with PKCE. The page never receives a token.
#[utoipa::path(
    get, path = "/api/v1/sign-in/oidc", tag = "access", params(Start),
    responses(
        (status = 303, description = "Redirect to the identity provider, or to our page with the reason in `sign_in_failed`"),
        (status = 404, description = "No identity provider is configured"),
        (status = 429, description = "Too many sign-ins from this address"),
    )
)]
pub(crate) async fn start(
    State(app): State<AppState>,
    Query(start): Query<Start>,
) -> Result<Response, Problem> {
    let flow = app.authenticator.code_flow().ok_or(Problem::NotFound)?;
    Ok(match in_time(flow.begin(&start.return_to)).await {
        Ok((url, pending)) => redirect(url.as_str(), [pending.cookie(flow.is_secure())]),
        Err(failure) => refuse(&flow, &start.return_to, &failure, []),
    })
}

/// Finish a sign-in at the identity provider.
///
/// The identity provider redirects browsers here. Starts a session like `POST /api/v1/sign-in`.
#[utoipa::path(
    get, path = "/api/v1/sign-in/oidc/callback", tag = "access", params(Answer),
    responses(
        (status = 303, description = "Redirect to the requested page, with the session cookie in `Set-Cookie` or the failure reason in `sign_in_failed`"),
        (status = 404, description = "No identity provider is configured"),
        (status = 429, description = "Too many sign-ins from this address"),
    )
)]
pub(crate) async fn callback(
    State(app): State<AppState>,
    Query(answer): Query<Answer>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let flow = app.authenticator.code_flow().ok_or(Problem::NotFound)?;
    let is_secure = flow.is_secure();
    let Some(pending) = answer.pending(&headers, is_secure) else {
        // The cookie is kept, because another sign-in of this browser may be in progress.
        return Ok(refuse(&flow, "", &SignInFailure::Stale, []));
    };
    let removal = Pending::removal(is_secure);
    let person = match in_time(flow.finish(&answer, &pending)).await {
        Ok(person) => person,
        Err(failure) => return Ok(refuse(&flow, pending.return_to(), &failure, [removal])),
    };
    let (token, lifetime) = app.authenticator.sign_in_person(&person, &app.pool).await?;
    // This response replaces the browser's former cookie, so its session ends.
    if let Some(former) = app.authenticator.browser(&headers).await? {
        end(&app, &former).await?;
    }
    tracing::info!(user.name = person.name, user.role = %person.role, "signed in at the identity provider");
    let cookie = session_cookie(&token, lifetime, is_secure);
    Ok(redirect(&flow.page(&pending), [removal, cookie]))
}

async fn in_time<T>(
    work: impl Future<Output = Result<T, SignInFailure>>,
) -> Result<T, SignInFailure> {
    let result = tokio::time::timeout(PATIENCE, work).await;
    result.unwrap_or(Err(SignInFailure::Away(None)))
}

fn refuse<const N: usize>(
    flow: &CodeFlow<'_>,
    path: &str,
    failure: &SignInFailure,
    cookies: [HeaderValue; N],
) -> Response {
    tracing::warn!(
        error = failure as &dyn std::error::Error,
        code = failure.code(),
        "sign-in at the identity provider failed"
    );
    redirect(&flow.page_of_failure(path, failure), cookies)
}

/// Redirects a browser to `to`, which was built from the settings or the issuer's discovery document.
fn redirect<const N: usize>(to: &str, cookies: [HeaderValue; N]) -> Response {
    let Ok(location) = HeaderValue::from_str(to) else {
        return Problem::Internal("the address of a redirect is no header".into()).into_response();
    };
    const FRESH: [(HeaderName, HeaderValue); 1] =
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    let cookies = AppendHeaders(cookies.map(|cookie| (header::SET_COOKIE, cookie)));
    let location = [(header::LOCATION, location)];
    (StatusCode::SEE_OTHER, FRESH, location, cookies).into_response()
}
