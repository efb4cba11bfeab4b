//! Middleware around the routes that accept alerts.

use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;

use crate::alerts::rejected::outcome::{Outcomes, Refusal};
use crate::alerts::rejected::witness::Witness;
use crate::server::state::AppState;

/// Counts the alerts of a request by their results, and has rejected ones logged and stored.
pub(crate) async fn witness(mut request: Request, next: Next) -> Response {
    let state = request.extensions().get::<AppState>().cloned();
    let Some(app) = state.filter(|_| *request.method() == Method::POST) else {
        return next.run(request).await;
    };
    let witness = Witness::default();
    request.extensions_mut().insert(witness.clone());
    let uri = request.uri().clone();
    let response = next.run(request).await;
    let path = uri.path();
    let source = app.catalog.source_of(path);
    if let Some(outcomes) = response.extensions().get::<Outcomes>() {
        app.journal
            .took(source, path, &witness, response.status(), outcomes);
    } else if let Some(refusal) = response.extensions().get::<Refusal>() {
        app.journal.refused(source, path, &witness, refusal);
    }
    response
}
