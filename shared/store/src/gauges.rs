//! Gauges for metrics: the current state and the last minutes. An index bounds each statement.

mod upkeep;

use sqlx::PgConnection;
use tarsy_model::{SessionOutcome, SessionStatus};
use uuid::Uuid;

use crate::Error;

pub use upkeep::{
    PendingDeliveries, TableRows, hot_table_rows, oldest_snapshot_age, pending_deliveries,
};

/// Number of live sessions with one status.
#[derive(Clone, Debug)]
pub struct LiveSessions {
    /// Status: pending or in progress.
    pub status: SessionStatus,
    /// Number of sessions.
    pub sessions: i64,
}

/// Number of sessions with one status and outcome that ended in a period.
#[derive(Clone, Debug)]
pub struct EndedSessions {
    /// Status at the end.
    pub status: SessionStatus,
    /// Outcome of the sessions.
    pub outcome: Option<SessionOutcome>,
    /// Number of sessions.
    pub sessions: i64,
}

/// Calls of one model that began in a period.
#[derive(Clone, Debug)]
pub struct ModelUse {
    /// Provider that was called.
    pub provider: String,
    /// Model that was called.
    pub model: String,
    /// Number of calls.
    pub calls: i64,
    /// Number of these calls that failed.
    pub failed: i64,
    /// Tokens of prompts.
    pub input_tokens: i64,
    /// Tokens of answers.
    pub output_tokens: i64,
    /// Estimated cost in dollars; a lower bound if prices are missing.
    pub cost_usd: f64,
}

/// Counts running sessions by status. Reads at most as many as the backlog limit.
pub async fn live_sessions(conn: &mut PgConnection) -> Result<Vec<LiveSessions>, Error> {
    Ok(sqlx::query_as!(
        LiveSessions,
        r#"select status as "status: SessionStatus", count(*) as "sessions!"
           from alert_sessions where status in ('pending', 'in_progress') group by status"#
    )
    .fetch_all(conn)
    .await?)
}

/// Counts sessions that ended since `since_us`, by status and outcome.
pub async fn ended_sessions(
    conn: &mut PgConnection,
    since_us: i64,
) -> Result<Vec<EndedSessions>, Error> {
    Ok(sqlx::query_as!(
        EndedSessions,
        r#"select status as "status: SessionStatus", outcome as "outcome: SessionOutcome",
                  count(*) as "sessions!"
           from alert_sessions where completed_at_us >= $1 group by status, outcome"#,
        since_us
    )
    .fetch_all(conn)
    .await?)
}

/// Returns the use of each model since `since_us`. Ids of interactions are UUIDv7, so the primary key finds those of
/// the last minutes.
pub async fn model_use(conn: &mut PgConnection, since_us: i64) -> Result<Vec<ModelUse>, Error> {
    Ok(sqlx::query_as!(
        ModelUse,
        r#"select provider, model_name as model, count(*) as "calls!",
                  count(*) filter (where success is false) as "failed!",
                  coalesce(sum(input_tokens), 0)::bigint as "input_tokens!",
                  coalesce(sum(output_tokens), 0)::bigint as "output_tokens!",
                  coalesce(sum(cost_usd), 0) as "cost_usd!"
           from llm_interactions where interaction_id >= $1 group by provider, model_name"#,
        first_id_of(since_us)
    )
    .fetch_all(conn)
    .await?)
}

/// Returns the smallest UUIDv7 of this millisecond.
pub(crate) fn first_id_of(at_us: i64) -> Uuid {
    let millis = u128::try_from(at_us / 1_000).unwrap_or_default();
    Uuid::from_u128(millis << 80)
}

#[cfg(test)]
mod tests {
    use super::first_id_of;

    #[test]
    fn ids_made_later_are_larger() {
        let at_us = 1_795_155_878_326_000;
        let timestamp = uuid::Timestamp::from_unix_time(1_795_155_878, 326_000_000, 0, 0);
        let made = uuid::Uuid::new_v7(timestamp);
        assert!(first_id_of(at_us) < made && made < first_id_of(at_us + 1_000));
    }
}
