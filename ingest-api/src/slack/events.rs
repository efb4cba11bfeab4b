//! Endpoint for events of Slack apps. A mention asks a question.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde::Serialize;
use serde_json::Value;
use tarsy_failpoint::reached;
use tarsy_intake::webhooks::verify_slack;
use tarsy_intake::{Error, Sender};
use tarsy_slack::Listener;
use utoipa::ToSchema;

use crate::access::{Actor, AuthMethod};
use crate::problem::{AuthError, ConflictError, FieldError, Problem};
use crate::questions::conversation;
use crate::questions::conversation::AnswerTo;
use crate::questions::handlers::{LONGEST_QUESTION, checked};
use crate::server::body::AnyBytes;
use crate::server::clock;
use crate::server::state::AppState;
use crate::slack::{Mention, SlackDesk, SlackEvent};

/// Reply to a mention outside of a session's thread, or without a question.
const ABOUT: &str = "Mention me with a question in the thread of a session that has ended: I look into it and answer there.";

/// An event of Slack's Events API. This schema is only documentation, because the signature covers the raw body.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape of the OpenAPI document")]
pub(crate) struct SlackEventBody {
    /// `url_verification` or `event_callback`.
    #[schema(example = "event_callback")]
    r#type: String,
    /// Value that Slack expects back for `url_verification`.
    challenge: Option<String>,
    /// Id of the event. If Slack repeats the event, the id stays the same.
    event_id: Option<String>,
    /// The event; `app_mention` asks a question.
    event: Option<Value>,
}

/// Response to an event.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct SlackEventAnswer {
    /// The challenge that Slack sent to verify the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
}

/// Receive an event of Slack.
///
/// Slack signs the event with the app's signing secret. A mention of the app in a session's thread asks a question
/// about the session. The configuration maps the Slack user to the user who asks. The answer is posted in the thread.
/// If Slack repeats an event, the question is asked only once. Other events are accepted and ignored.
#[utoipa::path(
    post, path = "/webhooks/slack/{target}/events", tag = "webhooks", operation_id = "slack_event",
    params(("target" = String, Path, description = "Notification target of format `slack-app`")),
    request_body(content = SlackEventBody, content_type = "application/json"),
    responses(
        (status = 200, description = "Received; the user is answered in Slack", body = SlackEventAnswer),
        (status = 401, description = "Invalid signature"),
        (status = 404, description = "No Slack app of this name accepts decisions"),
        (status = 422, description = "Unreadable event"),
        (status = 503, description = "Too many requests from this app, or the database is unavailable"),
    )
)]
pub(crate) async fn receive(
    State(app): State<AppState>,
    Path(target): Path<String>,
    actor: Actor,
    headers: HeaderMap,
    body: Result<AnyBytes, Problem>,
) -> Result<Json<SlackEventAnswer>, Problem> {
    // Checked before the body, so that a request for an unknown app gets that error first.
    let desk = app.catalog.slack_app(&target)?;
    let body = body?;
    verify_slack(&desk.signing_secret, &headers, &body.bytes, clock::now_us())?;
    app.authenticator
        .admit_signed(&actor)
        .map_err(AuthError::SourceRateLimited)?;
    let event = SlackEvent::read(&body.bytes)
        .map_err(|(field, detail)| Problem::InvalidRequest(vec![FieldError::new(field, detail)]))?;
    let mut answer = SlackEventAnswer::default();
    match event {
        SlackEvent::Challenge(challenge) => answer.challenge = Some(challenge),
        SlackEvent::Mention(mention) => answer_mention(&app, desk, mention).await?,
        SlackEvent::Other => {}
    }
    Ok(Json(answer))
}

/// Asks the question of a mention, or replies why it can't. Idempotent: the event's id is the
/// question's idempotency key, and a hint is given once.
async fn answer_mention(app: &AppState, desk: &SlackDesk, mention: Mention) -> Result<(), Problem> {
    if !desk.is_from(mention.app.as_deref(), mention.team.as_deref()) {
        tracing::warn!(
            target = desk.target,
            slack.user = mention.user,
            slack.app = mention.app,
            slack.team = mention.team,
            "an app or workspace that is not configured was mentioned"
        );
        return Ok(());
    }
    let event = format!("event:{}", mention.event_id);
    if mention.channel != desk.api.channel() {
        let text = format!(
            "I answer questions in the threads of <#{}>.",
            desk.api.channel()
        );
        return hint(app, desk, &mention, &event, &text).await;
    }
    let Some(user) = desk.user(&mention.user) else {
        let place = mention.thread.as_deref().unwrap_or_default();
        let once = format!("no role:{}:{place}", mention.user);
        tracing::warn!(
            target = desk.target,
            slack.user = mention.user,
            "a Slack user without a role asked a question"
        );
        let text = format!(
            "You can't ask: your Slack user `{}` has no role. An administrator can give it one.",
            mention.user
        );
        return hint(app, desk, &mention, &once, &text).await;
    };
    let about = match &mention.thread {
        Some(thread) => {
            let mut conn = app.pool.acquire().await?;
            tarsy_store::slack::session_of_thread(&mut conn, &desk.target, thread).await?
        }
        None => None,
    };
    let (Some(about), Some(thread)) = (about, mention.thread.as_deref()) else {
        return hint(app, desk, &mention, &event, ABOUT).await;
    };
    if mention.text.is_empty() {
        return hint(app, desk, &mention, &event, ABOUT).await;
    }
    let actor = Actor::new(user.name.clone(), user.role, AuthMethod::Slack);
    let result = match checked("text", &mention.text) {
        Ok(text) => {
            let sender = Sender {
                author: user.name.clone(),
                idempotency_key: Some(format!("slack:{}:{}", desk.target, mention.event_id)),
                traceparent: tarsy_telemetry::current_traceparent(),
            };
            let answer_to = AnswerTo {
                target: &desk.target,
                thread,
            };
            conversation::ask(app, &actor, sender, about, text, Some(answer_to)).await
        }
        Err(problem) => Err(problem),
    };
    let text = match result {
        Ok(_) => "I look into it. The answer comes into this thread.".to_owned(),
        Err(problem) => refusal(problem)?,
    };
    hint(app, desk, &mention, &event, &text).await
}

/// Returns the text that tells the user why the question was refused. Returns the problem itself if
/// it may be gone when Slack repeats the event.
fn refusal(problem: Problem) -> Result<String, Problem> {
    Ok(match problem {
        Problem::Conflict(ConflictError::SessionRunning(_)) => {
            "The session has not ended yet. Ask again when it has.".to_owned()
        }
        Problem::Conflict(ConflictError::QuestionRunning) => {
            "Another question about this session is not answered yet. Ask again when it is."
                .to_owned()
        }
        Problem::Conflict(ConflictError::NoAgent) => {
            "No agent can answer questions about this session.".to_owned()
        }
        Problem::SessionNotFound => "This session is gone.".to_owned(),
        Problem::Intake(Error::NoLlmProvider) => {
            "I can't answer: no LLM provider is available. An administrator can set one.".to_owned()
        }
        // The repeated event is now about another session, which began in this thread since.
        Problem::Intake(Error::IdempotencyKeyReused) => {
            "Another session began in this thread. Ask again about that one.".to_owned()
        }
        Problem::InvalidRequest(_) => {
            format!("A question has at most {LONGEST_QUESTION} characters.")
        }
        Problem::Auth(AuthError::Forbidden { needed, has }) => {
            format!("You can't ask: role {needed} asks, yours is {has}.")
        }
        problem => return Err(problem),
    })
}

/// Sends a message that only the user who mentioned the app sees; once for each `given_for`.
async fn hint(
    app: &AppState,
    desk: &SlackDesk,
    mention: &Mention,
    given_for: &str,
    text: &str,
) -> Result<(), Problem> {
    let mut tx = app.pool.begin().await?;
    if !tarsy_store::slack::note_hint(&mut tx, &desk.target, given_for).await? {
        return Ok(());
    }
    reached("slack.hint.before_commit");
    tx.commit().await?;
    reached("slack.hint.after_commit");
    let to = Listener {
        channel: Some(&mention.channel),
        user: &mention.user,
        thread: mention.thread.as_deref(),
    };
    desk.whisper(to, text).await;
    Ok(())
}
