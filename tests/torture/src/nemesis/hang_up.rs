//! Clients that disconnect before they get an answer.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use sqlx::types::Uuid;
use tokio::time::timeout;

use super::Nemesis;

/// Number of aborted requests per fault.
const REQUESTS: u32 = 300;
/// Longest wait for an answer, in microseconds. On a busy machine a third of the requests is answered by then.
const PATIENCE_US: u64 = 20_000;

impl Nemesis {
    /// Acknowledges a session, decides waits and sends alerts, and disconnects at a random moment of each request.
    /// Returns how often the answer had not arrived by then. A transaction that has just begun must not include the
    /// next writes of others on its connection, e.g. their decisions (I3).
    pub(super) async fn hang_up(&self, dice: u64) -> Result<usize> {
        let session =
            "select session_id from alert_sessions order by md5(session_id::text || $1) limit 1";
        let session = sqlx::query_scalar(session).bind(dice.to_string());
        let session: Option<Uuid> = session.fetch_optional(&self.pool).await?;
        let Some(session) = session else {
            return Ok(0);
        };
        let open = "select wait_id from waits where decision is null and sort = 'approval'";
        let open: Vec<Uuid> = sqlx::query_scalar(open).fetch_all(&self.pool).await?;
        let mut open = open.into_iter();
        let path = format!("sessions/{session}/care");
        let body = json!({"acknowledged": true, "reason": "torture"});
        let mut given_up = 0;
        for n in 0..REQUESTS {
            let patience = Duration::from_micros(dice.rotate_left(7 * n) % PATIENCE_US);
            let is_answered = match (n % 3, open.next()) {
                (0, _) => timeout(patience, self.client.send("Brief", 1))
                    .await
                    .is_ok(),
                (1, Some(wait)) => timeout(patience, self.client.decide(wait, "approve"))
                    .await
                    .is_ok(),
                _ => timeout(patience, self.client.act(&path, &body))
                    .await
                    .is_ok(),
            };
            given_up += usize::from(!is_answered);
        }
        Ok(given_up)
    }
}
