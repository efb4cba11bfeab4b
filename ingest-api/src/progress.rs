//! Progress of an alert.

use serde::Serialize;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus, StageStatus, shown_actor};
use tarsy_store::{AlertStatus, StageProgress};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::history::masking::mask_text;

/// Status of an alert (seed 003 REQ-1.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stand {
    /// Accepted; no stage has begun.
    Queued,
    /// Its chain runs.
    Processing,
    /// Ended with an analysis.
    Completed,
    /// Ended without one.
    Error,
    /// Cancelled by a person.
    Cancelled,
}

/// Where an alert's session stands.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Progress {
    pub(crate) alert_id: Uuid,
    #[schema(value_type = Uuid)]
    pub(crate) session_id: SessionId,
    pub(crate) status: Stand,
    /// Percentage of finished stages.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) progress: u8,
    /// Human-readable progress.
    pub(crate) step: String,
    /// Current or last agent.
    pub(crate) agent: Option<String>,
    /// MCP servers of that agent.
    pub(crate) assigned_mcp_servers: Vec<String>,
    /// The analysis, once there is one.
    pub(crate) result: Option<String>,
    /// Why there is none.
    pub(crate) error: Option<String>,
    /// Chain of the alert.
    pub(crate) chain_id: String,
    /// Time of the response, RFC 3339.
    #[schema(example = "2026-11-20T08:00:00Z")]
    pub(crate) timestamp: String,
}

impl Progress {
    pub(crate) fn of(
        alert_id: Uuid,
        status: AlertStatus,
        catalog: &Catalog,
        timestamp: String,
    ) -> Self {
        let ended = status
            .stages
            .iter()
            .filter(|stage| stage.status.is_terminal())
            .count();
        let current = status
            .stages
            .iter()
            .find(|stage| !stage.status.is_terminal());
        let (stand, progress) = match status.status {
            SessionStatus::Pending => (Stand::Queued, 0),
            SessionStatus::InProgress => (Stand::Processing, share(ended, status.stage_count)),
            SessionStatus::Completed => (Stand::Completed, 100),
            SessionStatus::Failed => (Stand::Error, 100),
            SessionStatus::Cancelled => (Stand::Cancelled, 100),
        };
        let agent = current.or(status.stages.last());
        let agent = agent.map(|stage| shown_actor(&stage.agent).to_owned());
        let servers = agent.as_deref().map(|agent| catalog.servers_of(agent));
        Self {
            alert_id,
            session_id: status.session_id,
            status: stand,
            progress,
            step: step(stand, status.outcome, current, status.stage_count),
            agent,
            assigned_mcp_servers: servers.unwrap_or_default().to_vec(),
            result: status.final_analysis,
            error: mask_text(&catalog.alert_masker, status.error_message),
            chain_id: status.chain_id,
            timestamp,
        }
    }
}

/// Percentage of ended stages; below 100 while the session runs.
fn share(ended: usize, count: i32) -> u8 {
    let count = usize::try_from(count).unwrap_or_default().max(1);
    u8::try_from(ended * 100 / count).unwrap_or(99).min(99)
}

fn step(
    stand: Stand,
    outcome: Option<SessionOutcome>,
    current: Option<&StageProgress>,
    count: i32,
) -> String {
    match (stand, current) {
        (Stand::Queued, _) => "waiting for a worker".to_owned(),
        (Stand::Processing, Some(stage)) => {
            let state = match stage.status {
                StageStatus::Pending => "waiting for a worker",
                StageStatus::Waiting => "waiting for a decision, a signal or a time",
                _ => "running",
            };
            format!(
                "stage {} of {count}, {}: {state}",
                stage.stage_index + 1,
                stage.stage_name
            )
        }
        (Stand::Processing, None) => "between two stages".to_owned(),
        (Stand::Completed, _) if outcome == Some(SessionOutcome::Partial) => {
            "analysis complete, although some stages failed".to_owned()
        }
        (Stand::Completed, _) => "analysis complete".to_owned(),
        (Stand::Error, _) => "ended without an analysis".to_owned(),
        (Stand::Cancelled, _) => "cancelled".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_running_session_is_never_done() {
        assert_eq!(share(0, 3), 0);
        assert_eq!(share(2, 3), 66);
        assert_eq!(share(3, 3), 99);
        assert_eq!(share(0, 0), 0);
    }
}
