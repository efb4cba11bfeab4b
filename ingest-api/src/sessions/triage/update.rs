//! Writes the triage of a session with its audit entries.

use serde_json::{Value, json};
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, SessionId};
use tarsy_store::admin::{Triage, TriageChange};
use tarsy_store::events::NewEvent;

use crate::access::Actor;
use crate::problem::Problem;
use crate::server::audit::note;
use crate::server::operator_request::Reason;
use crate::server::state::AppState;

/// Updates the triage of a session and writes an audit entry for each change.
///
/// # Errors
///
/// [`Problem::SessionNotFound`].
pub(crate) async fn update_triage(
    app: &AppState,
    actor: &Actor,
    session_id: SessionId,
    change: &TriageChange,
    reason: &Reason,
) -> Result<Triage, Problem> {
    let mut tx = app.pool.begin().await?;
    let triage = tarsy_store::admin::update_triage(&mut tx, session_id, actor.name(), change)
        .await?
        .ok_or(Problem::SessionNotFound)?;
    if let Some(is_member) = change.incident_member {
        let name = actor.name();
        tarsy_store::admin::set_incident_member(&mut tx, session_id, name, is_member)
            .await?
            .ok_or(Problem::IncidentNotFound)?;
    }
    for (action, details) in entries(change) {
        note(&mut tx, actor, action, session_id, reason, details).await?;
    }
    tarsy_store::events::publish(&mut tx, &[NewEvent::session_care(session_id)]).await?;
    reached("admin.care.before_commit");
    tx.commit().await?;
    reached("admin.care.after_commit");
    app.waker.wake_watchers();
    Ok(triage)
}

fn entries(change: &TriageChange) -> impl Iterator<Item = (OperatorAction, Value)> {
    let seen = change.acknowledged.map(|seen| {
        (
            OperatorAction::AcknowledgeSession,
            json!({ "acknowledged": seen }),
        )
    });
    let assigned = change.assignee.as_ref().map(|assignee| {
        (
            OperatorAction::AssignSession,
            json!({ "assignee": assignee }),
        )
    });
    let rated = change
        .rating
        .map(|rating| (OperatorAction::RateSession, json!({ "rating": rating })));
    let faulted = change
        .faults
        .as_ref()
        .map(|faults| (OperatorAction::RateSession, json!({ "faults": faults })));
    let reviewed = change.reviewed.map(|reviewed| {
        (
            OperatorAction::ReviewSession,
            json!({ "reviewed": reviewed }),
        )
    });
    // The entry leaves out the text. Retention deletes the text with the session, but not the log.
    let stated = change.right_cause.as_ref().map(|cause| {
        (
            OperatorAction::RateSession,
            json!({ "right_cause": cause.is_some() }),
        )
    });
    let grouped = change.incident_member.map(|is_member| {
        (
            OperatorAction::GroupSession,
            json!({ "incident_member": is_member }),
        )
    });
    [seen, assigned, rated, faulted, stated, reviewed, grouped]
        .into_iter()
        .flatten()
}
