//! What the paths of lists take.

use utoipa::IntoParams;

/// Which sessions: as [`ListQuery`](crate::history::query::ListQuery) reads it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(
    dead_code,
    reason = "describes what is read one by one, as statuses are repeated"
)]
pub(crate) struct Narrowing {
    /// Any of these: pending, `in_progress`, completed, failed, cancelled; may be repeated
    status: Option<Vec<String>>,
    /// `chain:<chain_id>`
    agent_type: Option<String>,
    /// This alert type
    alert_type: Option<String>,
    /// This chain
    chain_id: Option<String>,
    /// This severity
    severity: Option<String>,
    /// completed, partial or failed
    #[param(pattern = "^(completed|partial|failed)$")]
    outcome: Option<String>,
    /// Whether somebody has acknowledged it
    acknowledged: Option<bool>,
    /// Started then or later, Unix microseconds
    #[param(minimum = 0)]
    start_date_us: Option<i64>,
    /// Started before, Unix microseconds
    #[param(minimum = 0)]
    end_date_us: Option<i64>,
    /// Started then or later, RFC 3339
    start_date: Option<String>,
    /// Started before, RFC 3339
    end_date: Option<String>,
}

/// Which part of the list, and in which order.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what is read one by one")]
pub(crate) struct Paging {
    /// `started_at_us` (default), `completed_at_us` or `duration_ms`
    #[param(pattern = "^(started_at_us|completed_at_us|duration_ms)$")]
    sort_by: Option<String>,
    /// desc (default) or asc
    #[param(pattern = "^(desc|asc)$")]
    sort_order: Option<String>,
    /// From 1
    #[param(minimum = 1)]
    page: Option<i64>,
    /// 1 to 100; default 20
    #[param(minimum = 1, maximum = 100)]
    page_size: Option<i64>,
    /// `next_cursor` of the page before; fast at any depth
    cursor: Option<String>,
}
