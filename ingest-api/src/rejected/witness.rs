//! What stands around the routes that take alerts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;

use super::outcome::{Outcomes, Refusal};
use crate::access::Actor;
use crate::state::AppState;

/// What is known of a request once it is answered; an extension of the request. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Witness(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    request: OnceLock<SeenRequest>,
    is_proven: AtomicBool,
}

/// A request whose body was read.
#[derive(Debug)]
pub(super) struct SeenRequest {
    pub(super) body: Bytes,
    pub(super) headers: HeaderMap,
    pub(super) author: Option<String>,
}

impl Witness {
    /// Remember a request's body, which is not copied, and its headers.
    pub(crate) fn saw(&self, headers: HeaderMap, author: Option<&Actor>, body: Bytes) {
        let author = author.map(|actor| actor.name().to_owned());
        let _ = self.0.request.set(SeenRequest {
            body,
            headers,
            author,
        });
    }

    /// The sender has shown who it is.
    pub(crate) fn prove(&self) {
        self.0.is_proven.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_proven(&self) -> bool {
        self.0.is_proven.load(Ordering::Relaxed)
    }

    pub(super) fn request(&self) -> Option<&SeenRequest> {
        self.0.request.get()
    }
}

/// Count the alerts of a request by what became of them; log and keep those that are rejected.
pub(crate) async fn witness(mut request: Request, next: Next) -> Response {
    let state = request.extensions().get::<AppState>().cloned();
    let Some(app) = state.filter(|_| *request.method() == Method::POST) else {
        return next.run(request).await;
    };
    let witness = Witness::default();
    request.extensions_mut().insert(witness.clone());
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    if let Some(outcomes) = response.extensions().get::<Outcomes>() {
        app.journal
            .took(&app, &path, &witness, response.status(), outcomes);
    } else if let Some(refusal) = response.extensions().get::<Refusal>() {
        app.journal.refused(&app, &path, &witness, refusal);
    }
    response
}
