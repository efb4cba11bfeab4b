//! Groups sessions into incidents, after their starts and their ends. The rules are in the migration that creates
//! `incident_members`.

use std::time::Duration;

use sqlx::PgConnection;

use crate::Error;
use crate::clock_step::STEP_BACK_US;

/// Key of the advisory lock that is held while members are grouped, removed and put back; the same as in the SQL
/// function `lock_incidents`.
pub const INCIDENTS_LOCK: i64 = 0x7461_720a;
/// Maximum time between the starts of two alerts about one target in the same incident.
pub const TARGET_GAP: Duration = Duration::from_secs(600);
/// Maximum time between the starts of two sessions with one root cause in the same incident.
pub const CAUSE_GAP: Duration = Duration::from_secs(3_600);
/// Maximum time from the first start of an incident to its last start, so that an alert that repeats all day is not
/// one incident.
pub const LONGEST_INCIDENT: Duration = Duration::from_secs(6 * 3_600);
/// How far before its cursor [`group_late_sessions`] searches. Longer than most transactions take to commit.
const LATE: Duration = Duration::from_secs(300);

/// Groups up to `limit` sessions by the targets of their alerts, in the order of their starts. Returns how many it
/// read. Call it again at once while that is `limit` or more. Sessions younger than `settle` are left for later.
pub async fn group_started_sessions(
    conn: &mut PgConnection,
    limit: i64,
    settle: Duration,
) -> Result<u64, Error> {
    let seen = sqlx::query_scalar!(
        r#"select group_started_sessions($1, $2, $3, $4, $5) as "seen!""#,
        limit,
        micros(settle),
        STEP_BACK_US,
        micros(TARGET_GAP),
        micros(LONGEST_INCIDENT),
    );
    Ok(seen.fetch_one(conn).await?.unsigned_abs())
}

/// Groups up to `limit` sessions by their root causes, in the order of their ends. Otherwise like
/// [`group_started_sessions`].
pub async fn group_ended_sessions(
    conn: &mut PgConnection,
    limit: i64,
    settle: Duration,
) -> Result<u64, Error> {
    let seen = sqlx::query_scalar!(
        r#"select group_ended_sessions($1, $2, $3, $4, $5) as "seen!""#,
        limit,
        micros(settle),
        STEP_BACK_US,
        micros(CAUSE_GAP),
        micros(LONGEST_INCIDENT),
    );
    Ok(seen.fetch_one(conn).await?.unsigned_abs())
}

/// Groups sessions whose start or end lies within the last five minutes before the cursor but committed after it had
/// passed. Returns how many.
pub async fn group_late_sessions(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    let seen = sqlx::query_scalar!(
        r#"select group_late_sessions($1, $2, $3, $4, $5) as "seen!""#,
        limit,
        micros(LATE),
        micros(TARGET_GAP),
        micros(CAUSE_GAP),
        micros(LONGEST_INCIDENT),
    );
    Ok(seen.fetch_one(conn).await?.unsigned_abs())
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
