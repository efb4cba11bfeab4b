//! Concurrent operators who replay and cancel the same sessions, and clients that don't read their sockets.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use futures::SinkExt as _;
use serde_json::json;
use sqlx::types::Uuid;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;

use super::Nemesis;

/// Sockets that are not read.
const SOCKETS: usize = 60;
/// Sessions that are replayed or cancelled per fault.
const SESSIONS: i64 = 6;
/// Concurrent requests per session.
const AT_ONCE: usize = 4;

impl Nemesis {
    /// Replays the same stages, and cancels the same sessions, several times at once.
    pub(super) async fn replay_and_cancel(&self, dice: u64) -> Result<usize> {
        // Stages of ended sessions are replayed, one branch or all branches, failed or not. Running sessions are
        // cancelled. In some cases it is the other way round, which is refused. Poisoned sessions are excluded, because
        // they would kill another four workers.
        let query = "(select session_id, stage_index, branch, branch_count, false from stage_executions
                where status = 'failed' and agent <> 'Poisoner' and agent not like 'wait:%'
                order by md5(execution_id::text || $2) limit $1)
            union all
            (select session_id, stage_index, branch, branch_count, false
                from stage_executions e join alert_sessions s using (session_id)
                where s.chain_id in ('graph', 'race', 'asked') and s.completed_at_us is not null and e.status = 'completed'
                  and agent not like 'wait:%'
                order by md5(execution_id::text || $2) limit $1)
            union all
            (select session_id, 0, 0, 1, true from alert_sessions
                where status in ('pending', 'in_progress') and chain_id <> 'parked'
                order by md5(session_id::text || $2) limit $1)";
        let sessions: Vec<(Uuid, i32, i32, i32, bool)> = sqlx::query_as(query)
            .bind(SESSIONS)
            .bind(dice.to_string())
            .fetch_all(&self.pool)
            .await?;
        let mut people = JoinSet::new();
        for (place, (session, stage, branch, branches, live)) in sessions.into_iter().enumerate() {
            let path = match live != (place as u64 % 5 == dice % 5) {
                true => format!("sessions/{session}/cancel"),
                false => format!("sessions/{session}/stages/{stage}/replay"),
            };
            let one_branch = branches > 1 && place % 2 == 0 && path.ends_with("replay");
            let body = match one_branch {
                true => json!({"reason": "torture", "branch": branch}),
                false => json!({"reason": "torture"}),
            };
            for _ in 0..AT_ONCE {
                let (client, path, body) = (self.client.clone(), path.clone(), body.clone());
                people.spawn(async move { client.act(&path, &body).await });
            }
        }
        let accepted = people.join_all().await;
        Ok(accepted.into_iter().filter(|accepted| *accepted).count())
    }

    /// Opens many sockets that subscribe to everything and read nothing.
    pub(super) async fn listen_slowly(&self, time: Duration) -> Result<usize> {
        let mut sockets = Vec::new();
        let address = self.client.url().replacen("http", "ws", 1);
        for n in 0..SOCKETS {
            let mut request = format!("{address}/ws/dashboard/slow-{n}").into_client_request()?;
            // Like a page of the web apps. Other clients need a ticket.
            let origin = HeaderValue::from_static("http://localhost");
            request.headers_mut().insert("origin", origin);
            let Ok((mut socket, _)) = tokio_tungstenite::connect_async(request).await else {
                continue;
            };
            let wish = json!({"type": "subscribe", "channel": "dashboard_updates"}).to_string();
            if socket.send(Message::text(wish)).await.is_ok() {
                sockets.push(socket);
            }
        }
        self.sockets.fetch_add(sockets.len(), Ordering::Relaxed);
        sleep(time).await;
        Ok(sockets.len())
    }
}
