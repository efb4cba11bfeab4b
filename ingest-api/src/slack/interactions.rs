//! Endpoint for button presses in Slack.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use tarsy_intake::webhooks::verify_slack;
use tarsy_slack::Listener;
use tarsy_store::waits::WaitRecord;
use utoipa::ToSchema;

use crate::access::{Actor, AuthMethod};
use crate::approvals::decide as waits;
use crate::problem::{AuthError, ConflictError, FieldError, Problem};
use crate::server::body::AnyBytes;
use crate::server::clock;
use crate::server::operator_request::Reason;
use crate::server::state::AppState;
use crate::slack::{Press, SlackDesk};

/// The form that Slack posts. This schema is only documentation, because the signature covers the raw body.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape of the OpenAPI document")]
pub(crate) struct SlackInteraction {
    /// The interaction as JSON.
    #[schema(min_length = 1)]
    payload: String,
}

/// Receive a button press in Slack.
///
/// Slack signs the request with the app's signing secret. The button press decides an approval; the configuration
/// maps the Slack user to the user who decides. The decision and the name of this user then replace the buttons.
/// Other interactions are accepted and ignored.
#[utoipa::path(
    post, path = "/webhooks/slack/{target}/interactions", tag = "webhooks", operation_id = "slack_interaction",
    params(("target" = String, Path, description = "Notification target of format `slack-app`")),
    request_body(content = SlackInteraction, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "Received; the user is answered in Slack"),
        (status = 401, description = "Invalid signature"),
        (status = 404, description = "No Slack app of this name accepts decisions"),
        (status = 422, description = "Unreadable interaction"),
        (status = 503, description = "Too many requests from this app, or the database is unavailable"),
    )
)]
pub(crate) async fn interact(
    State(app): State<AppState>,
    Path(target): Path<String>,
    actor: Actor,
    headers: HeaderMap,
    body: Result<AnyBytes, Problem>,
) -> Result<StatusCode, Problem> {
    // Checked before the body, so that a request for an unknown app gets that error first.
    let desk = app.catalog.slack_app(&target)?;
    let body = body?;
    verify_slack(&desk.signing_secret, &headers, &body.bytes, clock::now_us())?;
    app.authenticator
        .admit_signed(&actor)
        .map_err(AuthError::SourceRateLimited)?;
    let press = Press::read(&body.bytes)
        .map_err(|detail| Problem::InvalidRequest(vec![FieldError::new("payload", detail)]))?;
    if let Some(press) = press {
        decide(&app, desk, &press).await?;
    }
    Ok(StatusCode::OK)
}

/// Decides an approval by a press, and replies to the user if that fails. Idempotent: an approval
/// is decided once.
async fn decide(app: &AppState, desk: &SlackDesk, press: &Press) -> Result<(), Problem> {
    let is_from_here = desk.is_from(press.app.as_deref(), press.team.as_deref());
    if !is_from_here || press.channel.as_deref() != Some(desk.api.channel()) {
        tracing::warn!(
            target = desk.target,
            slack.user = press.user,
            slack.app = press.app,
            slack.team = press.team,
            slack.channel = press.channel,
            "a button of another app, workspace or channel was pressed"
        );
        whisper(desk, press, "This approval was not asked here, or is gone.").await;
        return Ok(());
    }
    let Some(user) = desk.user(&press.user) else {
        tracing::warn!(
            target = desk.target, slack.user = press.user, wait.id = %press.wait_id,
            "a Slack user without a role pressed a button"
        );
        let text = format!(
            "You can't decide this: your Slack user `{}` has no role. An administrator can give it one.",
            press.user
        );
        whisper(desk, press, &text).await;
        return Ok(());
    };
    let mut conn = app.pool.acquire().await?;
    let is_known =
        tarsy_store::deliveries::is_wait_notified(&mut conn, press.wait_id, &desk.target).await?;
    drop(conn);
    if !is_known {
        whisper(desk, press, "This approval was not asked here, or is gone.").await;
        return Ok(());
    }
    let actor = Actor::new(user.name.clone(), user.role, AuthMethod::Slack);
    let reason = Reason::try_from(format!("button in Slack, user {}", press.user));
    let reason = reason.map_err(|error| Problem::Internal(error.into()))?;
    match waits::answer(app, &actor, press.wait_id, press.is_approved, &reason).await {
        // A delivery updates its message, as after every decision.
        Ok(_) => {}
        Err(Problem::Conflict(ConflictError::AlreadyDecided(wait))) => {
            let text = format!("You were not first: {}.", outcome(&wait));
            whisper(desk, press, &text).await;
        }
        Err(Problem::Conflict(ConflictError::WaitNotFound)) => {
            whisper(desk, press, "This approval is gone.").await;
        }
        Err(Problem::Auth(AuthError::Forbidden { needed, has })) => {
            let text = format!("You can't decide this: role {needed} decides, yours is {has}.");
            whisper(desk, press, &text).await;
        }
        Err(Problem::Auth(AuthError::OwnRequest)) => {
            let text = "You asked for this yourself: somebody else approves it.";
            whisper(desk, press, text).await;
        }
        Err(problem) => return Err(problem),
    }
    Ok(())
}

/// Replies to the user who pressed the button, in the same place.
async fn whisper(desk: &SlackDesk, press: &Press, text: &str) {
    let to = Listener {
        channel: None,
        user: &press.user,
        thread: press.thread.as_deref(),
    };
    desk.whisper(to, text).await;
}

/// Returns the decision and who made it, as mrkdwn.
fn outcome(wait: &WaitRecord) -> String {
    let Some(decision) = wait.decision else {
        return "the session has ended".to_owned();
    };
    match &wait.decided_by {
        Some(name) => format!("*{decision}* by {}", escaped(name)),
        None => format!("*{decision}*"),
    }
}

/// Escapes Slack's control characters.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
