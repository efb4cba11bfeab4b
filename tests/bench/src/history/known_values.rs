//! Values for the requests, sampled from the database.

use anyhow::{Result, ensure};
use sqlx::PgPool;

/// Values from all parts of a seeded database.
pub(super) struct Known {
    pub(super) ids: Vec<String>,
    pub(super) pods: Vec<String>,
    pub(super) first_us: i64,
    pub(super) last_us: i64,
    pub(super) sessions: i64,
}

impl Known {
    pub(super) async fn read(pool: &PgPool) -> Result<Self> {
        let sessions: i64 = sqlx::query_scalar(
            "select reltuples::bigint from pg_class where oid = 'alert_sessions'::regclass",
        )
        .fetch_one(pool)
        .await?;
        let rows: Vec<(uuid::Uuid, Option<String>)> = sqlx::query_as(
            "select session_id, alert_data ->> 'pod' from alert_sessions tablesample system ($1) limit 500",
        )
        .bind((200_000.0 / sessions.max(1) as f32).clamp(0.1, 100.0))
        .fetch_all(pool)
        .await?;
        let (first_us, last_us): (Option<i64>, Option<i64>) =
            sqlx::query_as("select min(started_at_us), max(started_at_us) from alert_sessions")
                .fetch_one(pool)
                .await?;
        let (Some(first_us), Some(last_us)) = (first_us, last_us) else {
            anyhow::bail!("the database holds no sessions");
        };
        ensure!(!rows.is_empty(), "no session was picked; try again");
        Ok(Self {
            ids: rows.iter().map(|(id, _)| id.to_string()).collect(),
            pods: rows.into_iter().filter_map(|(_, pod)| pod).collect(),
            first_us,
            last_us,
            sessions,
        })
    }

    pub(super) fn id(&self, n: usize) -> &str {
        &self.ids[n * 7 % self.ids.len()]
    }

    /// Returns the point in time at this hundredth of the whole range.
    pub(super) fn at(&self, hundredth: usize) -> i64 {
        let span = (self.last_us - self.first_us) / 100;
        self.first_us + span * i64::try_from(hundredth % 100).unwrap_or(0)
    }
}
