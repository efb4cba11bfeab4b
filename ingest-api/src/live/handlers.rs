//! Endpoints of live events: tickets and WebSockets.

use axum::Json;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tarsy_model::Role;
use tarsy_store::ws_tickets::TicketHolder;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::access::{Actor, CredentialLifetime, is_own_page};
use crate::live::{Full, Seat, attend, is_allowed, ticket};
use crate::problem::{AuthError, Problem};
use crate::server::state::AppState;

/// WebSocket limit of one process.
const MOST_SOCKETS: usize = 2_000;
/// WebSocket limit of one caller in one process.
const MOST_OF_ONE: usize = 100;
/// Largest message of a client, in bytes.
const LARGEST: usize = 16 * 1024;

/// A ticket for one WebSocket.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    /// For one use, as `?ticket=` in the WebSocket's address.
    ticket: String,
    /// Lifetime in seconds.
    expires_in_seconds: u64,
}

/// Create a ticket for one WebSocket.
///
/// Browsers can't send an `Authorization` header with a WebSocket, and an API key in the address would be logged. A
/// ticket in the address is harmless, because it works only once and expires after 30 seconds.
#[utoipa::path(
    post, path = "/api/v1/ws-tickets", tag = "live",
    responses(
        (status = 200, description = "A ticket", body = Ticket),
    )
)]
pub(crate) async fn issue_ticket(
    State(app): State<AppState>,
    actor: Actor,
) -> Result<Json<Ticket>, Problem> {
    let holder = TicketHolder {
        user_name: actor.name().to_owned(),
        role: actor.role().to_string(),
        key_id: actor.key_id(),
    };
    let ticket = ticket::issue(&app.pool, &holder).await?;
    Ok(Json(Ticket {
        ticket,
        expires_in_seconds: ticket::LIFETIME.as_secs(),
    }))
}

/// Authentication of a WebSocket.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct Admission {
    /// Ticket from `POST /api/v1/ws-tickets`. Clients that are not web pages need one. If access control is on, pages
    /// that are not signed in need one too.
    ticket: Option<String>,
}

/// Subscribe to live events.
///
/// Opens a WebSocket; see docs/LIVE.md for its protocol.
#[utoipa::path(
    get, path = "/ws/dashboard/{user_id}", tag = "live",
    params(("user_id" = String, Path, description = "Any name that the client chooses"), Admission),
    responses(
        (status = 101, description = "Switching to WebSocket"),
        (status = 400, description = "Not a WebSocket request"),
        (status = 401, description = "Missing or invalid ticket or session"),
        (status = 403, description = "Origin not allowed"),
        (status = 429, description = "Too many WebSockets of this caller"),
        (status = 503, description = "Too many WebSockets"),
    )
)]
pub(crate) async fn dashboard(
    State(app): State<AppState>,
    Path(user_id): Path<String>,
    Query(admission): Query<Admission>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|_| Problem::NotAWebSocket)?;
    let (caller, standing) = match &admission.ticket {
        Some(ticket) => by_ticket(&app, ticket, &headers).await?,
        None if app.authenticator.is_open() => {
            check_origin(is_allowed(&headers, &app.ingest.allowed_origins))?;
            (None, CredentialLifetime::lasting())
        }
        None => by_cookie(&app, &headers).await?,
    };
    let seat = seat_for(&app, caller)?;
    let (hub, pool, stop) = (app.hub.clone(), app.pool.clone(), app.draining.clone());
    let user_id: String = user_id.chars().take(255).collect();
    Ok(upgrade
        .max_message_size(LARGEST)
        .max_frame_size(LARGEST)
        .on_upgrade(move |socket| attend(socket, seat, hub, pool, user_id, standing, stop)))
}

/// Reserves a place in the hub for a stream of this caller. Streams count as sockets.
///
/// # Errors
///
/// If there are too many sockets and streams, in all or of this caller.
pub(crate) fn take_seat(app: &AppState, actor: &Actor) -> Result<Seat, Problem> {
    let is_open = app.authenticator.is_open();
    let caller = (!is_open).then(|| socket_owner(actor.key_id(), actor.name()));
    seat_for(app, caller)
}

fn seat_for(app: &AppState, caller: Option<String>) -> Result<Seat, Problem> {
    let seat = app.hub.take_seat(MOST_SOCKETS, caller, MOST_OF_ONE);
    seat.map_err(|full| match full {
        Full::ForAll => Problem::TooManySockets,
        Full::ForOne => Problem::TooManySocketsOfOne(MOST_OF_ONE),
    })
}

/// Owner of a socket for the limit per caller, and how long the socket may stay open.
type Admitted = (Option<String>, CredentialLifetime);

/// Admits the holder of a ticket. If a browser opens the socket, the page's origin must be allowed.
async fn by_ticket(app: &AppState, ticket: &str, headers: &HeaderMap) -> Result<Admitted, Problem> {
    let holder = ticket::redeem(&app.pool, ticket).await?;
    let holder = holder.ok_or(Problem::TicketNotValid)?;
    let is_page = headers.contains_key(axum::http::header::ORIGIN);
    check_origin(!is_page || is_allowed(headers, &app.ingest.allowed_origins))?;
    let caller = socket_owner(holder.key_id, &holder.user_name);
    Ok((Some(caller), app.authenticator.standing(holder.key_id)))
}

/// Admits a page of this service whose browser is signed in.
async fn by_cookie(app: &AppState, headers: &HeaderMap) -> Result<Admitted, Problem> {
    let actor = app.authenticator.browser(headers).await?;
    let actor = actor.ok_or(Problem::TicketNotValid)?;
    let session_id = actor.browser_session().ok_or(Problem::TicketNotValid)?;
    check_origin(is_own_page(headers, &app.ingest.allowed_origins))?;
    let (needed, has) = (Role::Viewer, actor.role());
    if !has.covers(needed) {
        return Err(AuthError::Forbidden { needed, has }.into());
    }
    let caller = socket_owner(actor.key_id(), actor.name());
    let standing = app.authenticator.standing(Some(session_id));
    Ok((Some(caller), standing))
}

fn socket_owner(key_id: Option<Uuid>, name: &str) -> String {
    format!("{key_id:?} {name}")
}

fn check_origin(is_allowed: bool) -> Result<(), Problem> {
    is_allowed.then_some(()).ok_or(Problem::OriginNotAllowed)
}
