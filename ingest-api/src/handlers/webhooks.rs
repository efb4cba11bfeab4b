//! Alerts from monitoring systems.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use futures::future::join_all;
use tarsy_config::WebhookKind;

use crate::body::JsonBytes;
use crate::caller::Caller;
use crate::clock;
use crate::problem::{Problem, ProblemBody};
use crate::state::AppState;
use crate::webhook::alertmanager::{self, Payload};
use crate::webhook::{Reception, Verdict};

/// Take what a monitoring system sends: one session for each firing alert.
///
/// A sender repeats what it got no 2xx for, so an alert that can't be used does not hold up
/// the others: the answer says what became of each.
#[utoipa::path(
    post, path = "/webhooks/{source}", tag = "webhooks",
    params(("source" = String, Path, description = "A source of the configuration, e.g. `alertmanager`")),
    request_body(content = Object, description = "Alertmanager: webhook payload, version 4"),
    responses(
        (status = 202, description = "What became of each alert", body = Reception),
        (status = 400, description = "Not JSON", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "No such source", body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "Not said to be JSON", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "None of the alerts can be used", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "No provider, too many waiting, or the database away; send it again", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn receive(
    State(app): State<AppState>,
    Path(source): Path<String>,
    caller: Caller,
    body: JsonBytes,
) -> Result<(StatusCode, Json<Reception>), Problem> {
    let source = app.catalog.webhook(&source)?;
    if !app.catalog.has_provider() {
        return Err(Problem::NoLlmProvider);
    }
    let verdicts = match source.kind {
        WebhookKind::Alertmanager => {
            let payload = Payload::read(body.text()?)?;
            alertmanager::judge(
                &payload,
                source,
                &app.catalog,
                &caller,
                app.bounds(),
                clock::now_us(),
            )
        }
        // The configuration knows kinds that this version does not.
        _ => return Err(Problem::NotFound),
    };
    let (firing, resolved) = (
        verdicts.iter().filter_map(Verdict::session),
        Verdict::resolved(&verdicts),
    );
    let accepted = join_all(firing.cloned().map(|session| app.intake.accept(session))).await;
    let noted = match resolved.is_empty() {
        true => Vec::new(),
        false => tarsy_store::resolve_sessions(&mut *app.pool.acquire().await?, &resolved).await?,
    };
    let reception = Reception::of(verdicts, accepted, &noted)?;
    if reception.nothing_usable() {
        return Err(Problem::UnmappableWebhook(reception.results()));
    }
    Ok((StatusCode::ACCEPTED, Json(reception)))
}
