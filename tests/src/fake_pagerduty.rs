//! A fake PagerDuty: a server with the wire format of its REST API and one incident.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, routing};
use serde_json::{Value, json};

/// The only incident.
pub const INCIDENT: &str = "PGR0VU2";
/// The API key that it accepts.
pub const KEY: &str = "k-1";
/// The user from whom it accepts writes.
pub const FROM: &str = "tarsy@example.com";

/// A fake PagerDuty. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FakePagerDuty {
    /// URL of its REST API.
    pub url: String,
    desk: Arc<Mutex<Desk>>,
}

#[derive(Debug, Default)]
struct Desk {
    notes: Vec<String>,
    resolved: usize,
    /// Number of requests to resolve that were refused because the incident was resolved already.
    refused: usize,
    /// Whether the next request to resolve never gets a response.
    hangs: bool,
}

impl FakePagerDuty {
    /// Starts a server. With `hangs`, the first request to resolve takes effect but gets no response.
    ///
    /// # Panics
    ///
    /// When it can't listen.
    pub async fn start(hangs: bool) -> Self {
        let desk = Desk {
            hangs,
            ..Desk::default()
        };
        let desk = Arc::new(Mutex::new(desk));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .route(
                "/incidents/{incident}/notes",
                routing::get(notes).post(note),
            )
            .route("/incidents/{incident}", routing::get(show).put(resolve))
            .with_state(Arc::clone(&desk));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, desk }
    }

    fn desk<T>(&self, access: impl FnOnce(&Desk) -> T) -> T {
        access(&self.desk.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the notes of the incident.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.desk(|desk| desk.notes.clone())
    }

    /// Returns how often the incident was resolved, and how often that was refused because it was resolved already.
    #[must_use]
    pub fn resolved(&self) -> (usize, usize) {
        self.desk(|desk| (desk.resolved, desk.refused))
    }
}

type Shared = State<Arc<Mutex<Desk>>>;

/// Returns the response that refuses a request; `None`: the request is accepted.
fn refusal(incident: &str, headers: &HeaderMap, writes: bool) -> Option<Response> {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|sent| sent == value);
    if !is("authorization", &format!("Token token={KEY}")) {
        return Some(StatusCode::UNAUTHORIZED.into_response());
    }
    if incident != INCIDENT {
        return Some(StatusCode::NOT_FOUND.into_response());
    }
    let refused = writes && !is("from", FROM);
    refused.then(|| StatusCode::BAD_REQUEST.into_response())
}

async fn notes(State(desk): Shared, Path(incident): Path<String>, headers: HeaderMap) -> Response {
    if let Some(refusal) = refusal(&incident, &headers, false) {
        return refusal;
    }
    let desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
    let notes = desk.notes.iter().map(|note| json!({"content": note}));
    Json(json!({"notes": notes.collect::<Vec<_>>()})).into_response()
}

async fn note(
    State(desk): Shared,
    Path(incident): Path<String>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    if let Some(refusal) = refusal(&incident, &headers, true) {
        return refusal;
    }
    let Some(note) = body["note"]["content"].as_str() else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
    desk.notes.push(note.to_owned());
    (StatusCode::CREATED, Json(body)).into_response()
}

async fn show(State(desk): Shared, Path(incident): Path<String>, headers: HeaderMap) -> Response {
    if let Some(refusal) = refusal(&incident, &headers, false) {
        return refusal;
    }
    let desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
    incident_now(&desk)
}

async fn resolve(
    State(desk): Shared,
    Path(incident): Path<String>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    if let Some(refusal) = refusal(&incident, &headers, true) {
        return refusal;
    }
    if body["incident"]["status"] != "resolved" {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let hangs = {
        let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
        if desk.resolved > 0 {
            desk.refused += 1;
            // Like PagerDuty, refuses to resolve a resolved incident.
            return StatusCode::BAD_REQUEST.into_response();
        }
        desk.resolved += 1;
        std::mem::take(&mut desk.hangs)
    };
    if hangs {
        std::future::pending::<()>().await;
    }
    let desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
    incident_now(&desk)
}

fn incident_now(desk: &Desk) -> Response {
    let status = match desk.resolved {
        0 => "triggered",
        _ => "resolved",
    };
    Json(json!({"incident": {"id": INCIDENT, "type": "incident", "status": status}}))
        .into_response()
}
