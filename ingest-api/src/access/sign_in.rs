//! Sign-in of browsers with an API key, and sign-out.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{Actor, cookie, removals};
use crate::problem::{ConflictError, Problem};
use crate::server::state::AppState;

/// Browser session that was started.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SignedIn {
    /// Lifetime in seconds.
    expires_in_seconds: u64,
}

/// Exchange an API key for a session cookie.
///
/// The cookie is `HttpOnly` and `SameSite=Strict`, and grants the same access as the key. It is valid until it expires
/// (`TARSY_BROWSER_SESSION`), the browser signs out, or the key is revoked. Requests that change data and
/// authenticate with the cookie must send the header `X-Tarsy-CSRF`.
#[utoipa::path(
    post, path = "/api/v1/sign-in", tag = "access",
    responses(
        (status = 200, description = "Signed in; `Set-Cookie` contains the session cookie", body = SignedIn),
        (status = 409, description = "The caller did not authenticate with an API key of their own"),
    )
)]
pub(crate) async fn sign_in(
    State(app): State<AppState>,
    actor: Actor,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let signed_in = app.authenticator.sign_in(&actor, &app.pool).await?;
    let (token, lifetime) = signed_in.ok_or(ConflictError::KeyRequired)?;
    // This response replaces the browser's former cookie, so its session ends.
    if let Some(former) = app.authenticator.browser(&headers).await? {
        end(&app, &former).await?;
    }
    let body = Json(SignedIn {
        expires_in_seconds: lifetime.as_secs(),
    });
    let cookie = cookie(&token, lifetime, &headers);
    Ok(([(header::SET_COOKIE, cookie)], body).into_response())
}

/// Session that was ended here, but not yet at the identity provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SignedOut {
    /// URL at which the browser also signs out of the identity provider.
    provider_sign_out_url: String,
}

/// End the session of this browser.
#[utoipa::path(
    post, path = "/api/v1/sign-out", tag = "access",
    responses(
        (status = 200, description = "Signed out of tarsy, but not yet of the identity provider", body = SignedOut),
        (status = 204, description = "Signed out; `Set-Cookie` removes the session cookie"),
    )
)]
pub(crate) async fn sign_out(
    State(app): State<AppState>,
    actor: Actor,
) -> Result<Response, Problem> {
    end(&app, &actor).await?;
    let cookie_removals = AppendHeaders(removals().map(|value| (header::SET_COOKIE, value)));
    let is_person = actor.browser_session().is_some() && actor.key_id().is_none();
    let flow = app.authenticator.code_flow().filter(|_| is_person);
    let sign_out_url = match flow {
        Some(flow) => flow.sign_out_url().await,
        None => None,
    };
    Ok(match sign_out_url {
        Some(provider_sign_out_url) => {
            let body = SignedOut {
                provider_sign_out_url,
            };
            (cookie_removals, Json(body)).into_response()
        }
        None => (StatusCode::NO_CONTENT, cookie_removals).into_response(),
    })
}

/// Ends the actor's browser session, if there is one.
pub(super) async fn end(app: &AppState, actor: &Actor) -> Result<(), Problem> {
    match actor.browser_session() {
        Some(session_id) => app.authenticator.sign_out(session_id, &app.pool).await,
        None => Ok(()),
    }
}
