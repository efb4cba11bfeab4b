//! The audit log. The table rejects updates and deletions.

use serde_json::Value;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::Error;

/// A new audit entry.
#[derive(Clone, Debug)]
pub struct NewAuditEntry {
    /// Name of the API key or person.
    pub actor: String,
    /// Role of the caller.
    pub role: &'static str,
    /// Method of authentication: `key`, `forwarded`, `oidc`, `off` or `database`.
    pub means: &'static str,
    /// API key of the request, if any.
    pub key_id: Option<Uuid>,
    /// The action, e.g. `session.cancel`.
    pub action: &'static str,
    /// Kind of the subject, e.g. `session`.
    pub subject_kind: &'static str,
    /// Subject of the action: id of a session, job or key, or name of a queue.
    pub subject: String,
    /// Reason that the caller gave.
    pub reason: String,
    /// Further details: an object without secrets.
    pub details: Value,
}

/// Inserts an audit entry, in the transaction of its action. Returns its id.
pub async fn record_audit(conn: &mut PgConnection, new: &NewAuditEntry) -> Result<i64, Error> {
    let id = sqlx::query_scalar!(
        "insert into audit_log (actor, role, action, subject_kind, subject, reason, details, means, key_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning entry_id",
        new.actor,
        new.role,
        new.action,
        new.subject_kind,
        new.subject,
        new.reason,
        new.details,
        new.means,
        new.key_id,
    )
    .fetch_one(conn)
    .await?;
    Ok(id)
}

/// An audit entry.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AuditEntry {
    /// Id of the entry. Rises with time; pages of the list continue from it.
    pub entry_id: i64,
    /// Time of the action, in Unix microseconds.
    pub at_us: i64,
    /// Name of the caller.
    pub actor: String,
    /// Role that the caller had at that time.
    pub role: String,
    /// Method of authentication; `None` in entries of older versions.
    pub means: Option<String>,
    /// API key of the request, if any.
    pub key_id: Option<Uuid>,
    /// The action, e.g. `session.cancel`.
    pub action: String,
    /// Kind of the subject, e.g. `session`.
    pub subject_kind: String,
    /// Subject of the action: id of a session, job or key, or name of a queue.
    pub subject: String,
    /// Reason that the caller gave.
    pub reason: String,
    /// Further details.
    pub details: Value,
}

/// Filter of audit entries; all conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Only entries of this caller.
    pub actor: Option<String>,
    /// Only entries of this action.
    pub action: Option<String>,
    /// Only entries about this session, job, queue or key.
    pub subject: Option<String>,
    /// Only entries older than this one.
    pub before: Option<i64>,
}

/// Lists matching entries, newest first.
pub async fn list_audit(
    conn: &mut PgConnection,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<AuditEntry>, Error> {
    // Built for the filters that are given: each has an index in the order of the list.
    let mut query = QueryBuilder::<Postgres>::new(
        "select entry_id, at_us, actor, role, means, key_id, action, subject_kind, subject, reason, details
         from audit_log where true",
    );
    for (condition, value) in [
        (" and actor = ", &filter.actor),
        (" and action = ", &filter.action),
        (" and subject = ", &filter.subject),
    ] {
        if let Some(value) = value {
            query.push(condition).push_bind(value.clone());
        }
    }
    if let Some(before) = filter.before {
        query.push(" and entry_id < ").push_bind(before);
    }
    query
        .push(" order by entry_id desc limit ")
        .push_bind(limit);
    Ok(query
        .build_query_as()
        .persistent(false)
        .fetch_all(conn)
        .await?)
}
