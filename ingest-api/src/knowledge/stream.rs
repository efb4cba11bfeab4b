//! Server-sent events of a question to the knowledge store, until it is answered.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse as _, Response, Sse};
use serde_json::json;
use tarsy_model::SessionId;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::access::{Actor, CredentialLifetime};
use crate::knowledge::handlers::{Answer, read};
use crate::live::handlers::take_seat;
use crate::live::{Channel, Draft, News, Seat};
use crate::problem::Problem;
use crate::server::state::AppState;

/// Interval at which the answer is read again if something happened in the session.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Number of intervals after which the answer is read even without an event, because an event may
/// have been missed.
const READ_AT: u32 = 10;
/// Interval of keep-alive comments on an idle stream.
const ALIVE: Duration = Duration::from_secs(10);

/// Follow a question until it is answered.
///
/// Sends server-sent events. A `draft` event has the `text` that the model has written so far. Drafts are not checked
/// yet; each draft replaces the previous one, and the answer replaces them all. An `answer` event is the question as
/// returned by `GET /api/v1/ask/{session_id}`. It is sent at the start and whenever the question has changed; the
/// stream closes after the event of the ended question. A question that `guardrails` could deny has no drafts.
#[utoipa::path(
    get, path = "/api/v1/ask/{session_id}/stream", tag = "conversations", operation_id = "stream_knowledge_answer",
    params(("session_id" = String, Path, description = "Session id returned by `POST /api/v1/ask`")),
    responses(
        (status = 200, description = "Events", body = String, content_type = "text/event-stream"),
        (status = 404, description = "Question not found, or history is disabled"),
        (status = 429, description = "Too many streams and WebSockets of this caller"),
        (status = 503, description = "Too many streams and WebSockets"),
    )
)]
pub(crate) async fn stream(
    State(app): State<AppState>,
    actor: Actor,
    Path(session_id): Path<String>,
) -> Result<Response, Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let seat = take_seat(&app, &actor)?;
    seat.listen(Channel::Session(session_id), None);
    let first = read(&app, session_id, None).await?;
    let mut polls = interval(POLL_INTERVAL);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let followed = Followed {
        standing: app.authenticator.standing_of(&actor),
        app,
        seat,
        session_id,
        draft: Draft::default(),
        polls,
        unread: READ_AT,
        unsent: Some(first),
        shown: None,
    };
    let events = futures::stream::unfold(followed, Followed::next);
    let alive = KeepAlive::new().interval(ALIVE);
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

/// State of a stream: the question, and what was sent of its answer.
struct Followed {
    app: AppState,
    seat: Seat,
    standing: CredentialLifetime,
    session_id: SessionId,
    draft: Draft,
    polls: Interval,
    /// Intervals since the answer was last read.
    unread: u32,
    unsent: Option<Answer>,
    /// The answer that was sent last. If it has ended, the stream ends.
    shown: Option<Answer>,
}

impl Followed {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if self.shown.as_ref().is_some_and(Answer::has_ended) {
            return None;
        }
        loop {
            if let Some(answer) = self.unsent.take() {
                let event = Event::default().event("answer").json_data(&answer).ok()?;
                self.shown = Some(answer);
                return Some((Ok(event), self));
            }
            tokio::select! {
                biased;
                () = self.app.draining.cancelled() => return None,
                _ = self.polls.tick() => {
                    if !self.standing.is_valid() {
                        return None;
                    }
                    self.refresh().await;
                }
                sending = self.seat.outbox.next() => {
                    let mut drafted = None;
                    for message in &sending.messages {
                        match self.draft.take(message) {
                            News::Draft(text) => drafted = Some(text),
                            News::Event => self.unread = READ_AT,
                            News::None => {}
                        }
                    }
                    if let Some(text) = drafted {
                        let event = Event::default().event("draft").json_data(json!({"text": text})).ok()?;
                        return Some((Ok(event), self));
                    }
                }
            }
        }
    }

    /// Reads the answer if it may have changed. If that fails, the next interval tries again.
    async fn refresh(&mut self) {
        self.unread += 1;
        if self.unread < READ_AT {
            return;
        }
        if let Ok(answer) = read(&self.app, self.session_id, None).await {
            self.unread = 0;
            self.unsent = (self.shown.as_ref() != Some(&answer)).then_some(answer);
        }
    }
}
