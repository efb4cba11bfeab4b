//! Decides waits: approvals, denials and signals.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_failpoint::reached;
use tarsy_model::{Role, SessionId, WaitDecision, WaitId, WaitSort, chain_queue};
use tarsy_store::waits::WaitRecord;
use tarsy_transitions::{Decider, Verdict, decide_wait};

use crate::access::{Actor, AuthMethod};
use crate::problem::{AuthError, ConflictError, Problem};
use crate::server::operator_request::Reason;
use crate::server::state::AppState;

/// Approves or denies an approval, and returns it as decided.
///
/// # Errors
///
/// [`ConflictError::WaitNotFound`]; [`AuthError::Forbidden`] unless the actor's role covers the
/// approval's; [`AuthError::OwnRequest`] if the actor approves a session that they asked for by a
/// message or a question; [`ConflictError::AlreadyDecided`] with the decision, if someone else
/// decided first or the approval expired.
pub(crate) async fn answer(
    app: &AppState,
    actor: &Actor,
    id: WaitId,
    is_approved: bool,
    reason: &Reason,
) -> Result<WaitRecord, Problem> {
    let mut conn = app.pool.acquire().await?;
    let wait = find_approval(&mut conn, id).await?;
    let (needed, has) = (role_of(&wait), actor.role());
    if !has.covers(needed) {
        return Err(AuthError::Forbidden { needed, has }.into());
    }
    if is_approved && is_own_request(app, &mut conn, actor, wait.session_id).await? {
        return Err(AuthError::OwnRequest.into());
    }
    let verdict = Verdict::Answer {
        is_approved,
        by: decider(actor),
        // Masked, because agents get the reason.
        reason: app.catalog.alert_masker.text(reason.as_str()),
    };
    let decided = record_decision(app, &mut conn, wait, &verdict).await?;
    if decided.sort == WaitSort::Spending {
        decide_siblings(app, &mut conn, &decided, actor, &verdict).await?;
    }
    Ok(decided)
}

/// Returns whether the session was requested by the actor, by a message or a question, and so must
/// be approved by someone else. Always false without access control, because callers then have no
/// names to compare.
async fn is_own_request(
    app: &AppState,
    conn: &mut PgConnection,
    actor: &Actor,
    session_id: SessionId,
) -> Result<bool, Problem> {
    if actor.auth_method() == AuthMethod::Off || app.catalog.approvals().own_requests {
        return Ok(false);
    }
    let questioner = tarsy_store::waits::questioner_of(conn, session_id).await?;
    let approvals = app.catalog.approvals();
    Ok(questioner.is_some_and(|name| approvals.is_same_person(&name, actor.name())))
}

/// Applies a decision about spending to the session's other open approvals of spending, because
/// each branch asks the same question. If this process dies before it is done, the remaining
/// approvals stay open.
async fn decide_siblings(
    app: &AppState,
    conn: &mut PgConnection,
    decided: &WaitRecord,
    actor: &Actor,
    verdict: &Verdict,
) -> Result<(), Problem> {
    for wait in tarsy_store::waits::waits_of(conn, decided.session_id).await? {
        let asks = wait.sort == WaitSort::Spending && wait.decision.is_none();
        if !asks || !actor.role().covers(role_of(&wait)) {
            continue;
        }
        match record_decision(app, conn, wait, verdict).await {
            Ok(_) | Err(Problem::Conflict(ConflictError::AlreadyDecided(_))) => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}

/// Delivers a signal and returns the decided wait.
///
/// # Errors
///
/// [`Problem::SessionNotFound`]; [`ConflictError::NoSignalAwaited`] if no stage has waited for the
/// signal; [`ConflictError::AlreadyDecided`] if the wait is already decided or has expired.
pub(crate) async fn signal(
    app: &AppState,
    actor: &Actor,
    session_id: SessionId,
    name: &str,
    payload: &Value,
) -> Result<WaitRecord, Problem> {
    let mut conn = app.pool.acquire().await?;
    let wait = tarsy_store::waits::find_signal_wait(&mut conn, session_id, name).await?;
    let Some(wait) = wait else {
        let session = tarsy_store::history::session_record(&mut conn, session_id).await?;
        return Err(match session {
            None => Problem::SessionNotFound,
            Some(_) => ConflictError::NoSignalAwaited(name.to_owned()).into(),
        });
    };
    let verdict = Verdict::Signal {
        // Masked, because conditions and agents get the payload.
        payload: app.catalog.alert_masker.json(payload),
        by: decider(actor),
    };
    record_decision(app, &mut conn, wait, &verdict).await
}

/// Returns an approval, open or decided.
///
/// # Errors
///
/// [`ConflictError::WaitNotFound`].
pub(crate) async fn find_approval(
    conn: &mut PgConnection,
    id: WaitId,
) -> Result<WaitRecord, Problem> {
    let wait = tarsy_store::waits::find_wait(conn, id).await?;
    let wait = wait.filter(|wait| wait.sort.is_approval());
    wait.ok_or_else(|| ConflictError::WaitNotFound.into())
}

async fn record_decision(
    app: &AppState,
    conn: &mut PgConnection,
    wait: WaitRecord,
    verdict: &Verdict,
) -> Result<WaitRecord, Problem> {
    reached("admin.decide.before_commit");
    let decided = decide_wait(conn, &wait, verdict).await?;
    reached("admin.decide.after_commit");
    if let Some(decided) = &decided {
        app.waker.wake(&decided.queue);
        // Chain workers then notify the people who were asked.
        app.waker.wake(chain_queue());
        app.waker.wake_watchers();
    }
    let now = tarsy_store::waits::find_wait(conn, wait.wait_id).await?;
    let now = now.ok_or(ConflictError::WaitNotFound)?;
    match decided {
        Some(decided) if decided.decision != WaitDecision::Expired => Ok(now),
        _ => Err(ConflictError::AlreadyDecided(Box::new(now)).into()),
    }
}

/// Returns the role that may decide. A role that this version does not know counts as administrator.
fn role_of(wait: &WaitRecord) -> Role {
    let role = wait.role.as_deref().and_then(|role| role.parse().ok());
    role.unwrap_or(Role::Admin)
}

fn decider(actor: &Actor) -> Decider {
    Decider {
        name: actor.name().to_owned(),
        role: actor.role(),
        means: actor.auth_method().audited(),
        key_id: actor.key_id(),
    }
}
