//! The audit log.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_store::admin::{AuditEntry, AuditFilter, list_audit};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::problem::Problem;
use crate::server::operator_request::{PageSize, ValidQuery};
use crate::server::state::AppState;

/// Filter of the audit log.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Name of an API key or a person.
    #[param(pattern = r"^[^\u0000]*$")]
    actor: Option<String>,
    /// Action, e.g. `session.cancel`.
    #[param(pattern = r"^[^\u0000]*$")]
    action: Option<String>,
    /// Id or name of a session, queue, worker, job or key.
    #[param(pattern = r"^[^\u0000]*$")]
    subject: Option<String>,
    /// `next` of the previous page.
    before: Option<i64>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// Audit entry.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct Entry {
    /// Increases with time.
    entry_id: i64,
    at_us: i64,
    actor: String,
    #[schema(example = "operator")]
    role: String,
    /// Authentication method: `key`, `forwarded` (by a proxy's key), `oidc`, `off` (access control was off) or
    /// `database` (`tarsy keys`); null in older entries.
    #[schema(example = "key")]
    means: Option<String>,
    /// The API key, if one was used.
    key_id: Option<Uuid>,
    #[schema(example = "session.cancel")]
    action: String,
    #[schema(example = "session")]
    subject_kind: String,
    subject: String,
    /// Reason given by the actor.
    reason: String,
    #[schema(value_type = Object)]
    details: Value,
}

impl From<AuditEntry> for Entry {
    fn from(entry: AuditEntry) -> Self {
        Self {
            entry_id: entry.entry_id,
            at_us: entry.at_us,
            actor: entry.actor,
            role: entry.role,
            means: entry.means,
            key_id: entry.key_id,
            action: entry.action,
            subject_kind: entry.subject_kind,
            subject: entry.subject,
            reason: entry.reason,
            details: entry.details,
        }
    }
}

/// A page of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditLog {
    /// Newest first.
    entries: Vec<Entry>,
    /// Cursor of the next page, for `before`.
    next: Option<i64>,
}

/// List the audit log, newest first.
///
/// Entries are never changed or deleted.
#[utoipa::path(
    get, path = "/api/v1/admin/audit-log", tag = "admin", operation_id = "list_audit_log", params(Filter),
    responses(
        (status = 200, description = "A page", body = AuditLog),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    ValidQuery(wanted): ValidQuery<Filter>,
) -> Result<Json<AuditLog>, Problem> {
    let page = PageSize::from_limit(wanted.limit)?;
    let filter = AuditFilter {
        actor: wanted.actor,
        action: wanted.action,
        subject: wanted.subject,
        before: wanted.before,
    };
    let mut conn = app.pool.acquire().await?;
    let entries = list_audit(&mut conn, &filter, page.to_read()).await?;
    let (entries, next) = page.cut(entries, |entry| entry.entry_id);
    Ok(Json(AuditLog {
        entries: entries.into_iter().map(Entry::from).collect(),
        next,
    }))
}
