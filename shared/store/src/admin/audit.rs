//! Who did what, and why. The table refuses changes and deletions.

use serde_json::Value;
use sqlx::PgConnection;

use crate::Error;

/// Something an operator does.
#[derive(Clone, Debug)]
pub struct NewAuditEntry {
    /// Who: the name of a key or person.
    pub actor: String,
    /// The role they act under.
    pub role: &'static str,
    /// What is done, e.g. `session.cancel`.
    pub action: &'static str,
    /// What kind of thing it is done to, e.g. `session`.
    pub subject_kind: &'static str,
    /// Which one.
    pub subject: String,
    /// Why, in the actor's words.
    pub reason: String,
    /// What else there is to know; an object without secrets.
    pub details: Value,
}

/// Write an entry, in the transaction that does what it says. Answers its id.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn record_audit(conn: &mut PgConnection, new: &NewAuditEntry) -> Result<i64, Error> {
    let id = sqlx::query_scalar!(
        "insert into audit_log (actor, role, action, subject_kind, subject, reason, details)
         values ($1, $2, $3, $4, $5, $6, $7) returning entry_id",
        new.actor,
        new.role,
        new.action,
        new.subject_kind,
        new.subject,
        new.reason,
        new.details,
    )
    .fetch_one(conn)
    .await?;
    Ok(id)
}

/// An entry of the log.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    /// Rises with time.
    pub entry_id: i64,
    /// Unix microseconds.
    pub at_us: i64,
    /// Who.
    pub actor: String,
    /// Under which role.
    pub role: String,
    /// What was done.
    pub action: String,
    /// To what kind of thing.
    pub subject_kind: String,
    /// Which one.
    pub subject: String,
    /// Why.
    pub reason: String,
    /// What else there is to know.
    pub details: Value,
}

/// Which entries; all of it must hold.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// By this actor.
    pub actor: Option<String>,
    /// Of this action.
    pub action: Option<String>,
    /// About this one.
    pub subject: Option<String>,
    /// Older than this entry.
    pub before: Option<i64>,
}

/// The latest entries that match, newest first.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn list_audit(
    conn: &mut PgConnection,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<AuditEntry>, Error> {
    let entries = sqlx::query_as!(
        AuditEntry,
        "select entry_id, at_us, actor, role, action, subject_kind, subject, reason, details
         from audit_log
         where ($1::text is null or actor = $1) and ($2::text is null or action = $2)
           and ($3::text is null or subject = $3) and ($4::bigint is null or entry_id < $4)
         order by entry_id desc limit $5",
        filter.actor,
        filter.action,
        filter.subject,
        filter.before,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(entries)
}
