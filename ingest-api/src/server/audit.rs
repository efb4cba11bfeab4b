//! Audit entries of actions.

pub(crate) mod handlers;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::OperatorAction;
use tarsy_store::admin::{NewAuditEntry, record_audit};

use crate::access::Actor;
use crate::problem::{AuthError, Problem};
use crate::server::operator_request::Reason;

/// Writes the audit entry of an action, in the transaction that carries it out.
///
/// # Errors
///
/// [`AuthError::Forbidden`] if the actor's role does not allow the action. The transaction is then
/// rolled back.
pub(crate) async fn note(
    conn: &mut PgConnection,
    actor: &Actor,
    action: OperatorAction,
    subject: impl ToString,
    reason: &Reason,
    details: Value,
) -> Result<(), Problem> {
    let (needed, has) = (action.role(), actor.role());
    if !has.covers(needed) {
        return Err(AuthError::Forbidden { needed, has }.into());
    }
    let entry = NewAuditEntry {
        actor: actor.name().to_owned(),
        role: actor.role().as_str(),
        means: actor.auth_method().audited(),
        key_id: actor.key_id(),
        action: action.as_str(),
        subject_kind: action.subject_kind(),
        subject: subject.to_string(),
        reason: reason.as_str().to_owned(),
        details,
    };
    record_audit(conn, &entry).await?;
    Ok(())
}
