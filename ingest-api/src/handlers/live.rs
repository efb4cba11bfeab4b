//! Live events: tickets and sockets.

use axum::Json;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tarsy_store::TicketHolder;
use utoipa::{IntoParams, ToSchema};

use crate::access::Actor;
use crate::live::{Full, attend, is_allowed, ticket};
use crate::problem::Problem;
use crate::state::AppState;

/// Sockets that one process serves.
const MOST_SOCKETS: usize = 2_000;
/// Sockets that one key or person may have open in one process.
const MOST_OF_ONE: usize = 100;
/// Largest message of a client, in bytes.
const LARGEST: usize = 16 * 1024;

/// A ticket for one WebSocket.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    /// To be named once, as `?ticket=` of the WebSocket's address.
    ticket: String,
    /// How long it can be used, in seconds.
    expires_in_seconds: u64,
}

/// Get a ticket that opens one WebSocket.
///
/// Browsers can't send an `Authorization` header with a WebSocket, and a key in an address
/// ends up in logs; a ticket there is harmless, because it works once and for 30 seconds.
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

/// How a socket says who opens it.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct Admission {
    /// From `POST /api/v1/ws-tickets`; needed where access control is on, and from clients
    /// that are no web page.
    ticket: Option<String>,
}

/// Listen to what happens.
///
/// A WebSocket; its protocol is in docs/LIVE.md.
#[utoipa::path(
    get, path = "/ws/dashboard/{user_id}", tag = "live",
    params(("user_id" = String, Path, description = "Whatever the client calls itself"), Admission),
    responses(
        (status = 101, description = "Events follow"),
        (status = 400, description = "Not a WebSocket request"),
        (status = 401, description = "Missing or invalid ticket"),
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
    let holder = match &admission.ticket {
        Some(ticket) => Some(
            ticket::redeem(&app.pool, ticket)
                .await?
                .ok_or(Problem::TicketNotValid)?,
        ),
        None if app.authenticator.is_open() => None,
        None => return Err(Problem::TicketNotValid),
    };
    let key_id = holder.as_ref().and_then(|holder| holder.key_id);
    let is_page = headers.contains_key(axum::http::header::ORIGIN);
    if (is_page || holder.is_none()) && !is_allowed(&headers, &app.ingest.allowed_origins) {
        return Err(Problem::OriginNotAllowed);
    }
    let standing = app.authenticator.standing(key_id);
    let caller = holder.map(|holder| format!("{:?} {}", holder.key_id, holder.user_name));
    let seat = app.hub.sit(MOST_SOCKETS, caller, MOST_OF_ONE);
    let seat = seat.map_err(|full| match full {
        Full::ForAll => Problem::TooManySockets,
        Full::ForOne => Problem::TooManySocketsOfOne(MOST_OF_ONE),
    })?;
    let (hub, pool, stop) = (app.hub.clone(), app.pool.clone(), app.draining.clone());
    let user_id: String = user_id.chars().take(255).collect();
    Ok(upgrade
        .max_message_size(LARGEST)
        .max_frame_size(LARGEST)
        .on_upgrade(move |socket| attend(socket, seat, hub, pool, user_id, standing, stop)))
}
