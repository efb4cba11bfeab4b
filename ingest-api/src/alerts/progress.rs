//! Progress of an alert.

use serde::Serialize;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus, StageStatus, shown_actor};
use tarsy_store::status::{AlertStatus, StageProgress};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::server::catalog::Catalog;
use crate::sessions::masking::mask_text;

/// Status of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stand {
    /// Accepted; no stage has begun.
    Queued,
    /// The chain is running.
    Processing,
    /// Ended with an analysis.
    Completed,
    /// Ended without an analysis.
    Error,
    /// Cancelled by a person.
    Cancelled,
}

/// Progress of an alert's session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Progress {
    pub(crate) alert_id: Uuid,
    #[schema(value_type = Uuid)]
    pub(crate) session_id: SessionId,
    pub(crate) status: Stand,
    /// Percentage of finished stages; running stages count partially, by their iterations.
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
    /// Result of checking the analysis against the tool results.
    #[schema(example = "partly_supported")]
    pub(crate) verdict: Option<String>,
    /// The verdict in one sentence.
    pub(crate) verdict_summary: Option<String>,
    /// Label that the concluding agent chose from those of its chain.
    #[schema(example = "noise")]
    pub(crate) label: Option<String>,
    /// Why there is no analysis.
    pub(crate) error: Option<String>,
    /// Chain of the alert.
    pub(crate) chain_id: String,
    /// Time of the response, RFC 3339.
    #[schema(example = "2026-11-20T08:00:00Z")]
    pub(crate) timestamp: String,
}

impl Progress {
    pub(crate) fn new(
        alert_id: Uuid,
        status: AlertStatus,
        catalog: &Catalog,
        timestamp: String,
    ) -> Self {
        let current = status
            .stages
            .iter()
            .find(|stage| !stage.status.is_terminal());
        let (stand, progress) = match status.status {
            SessionStatus::Pending => (Stand::Queued, 0),
            SessionStatus::InProgress => {
                (Stand::Processing, share(&status.stages, status.stage_count))
            }
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
            step: step(stand, status.outcome, current, status.stage_count, catalog),
            agent,
            assigned_mcp_servers: servers.unwrap_or_default().to_vec(),
            result: status.final_analysis,
            verdict: status.verdict,
            verdict_summary: status.verdict_summary,
            label: status.label,
            error: mask_text(&catalog.alert_masker, status.error_message),
            chain_id: status.chain_id,
            timestamp,
        }
    }
}

/// Returns the progress of a running session in percent. It is below 100 and never decreases while
/// its stages go on.
///
/// Each iteration brings a stage nearer to its end, but the number of iterations is not known in
/// advance. So each one counts a little less than the one before.
fn share(stages: &[StageProgress], count: i32) -> u8 {
    let done: f64 = stages.iter().map(done).sum();
    let percent = 100.0 * done / f64::from(count.max(1));
    // Rounded down. The tolerance keeps rounding errors in a sum of branches from hiding that they
    // have all ended.
    (0..=99)
        .rev()
        .find(|whole| f64::from(*whole) <= percent + 1e-6)
        .unwrap_or(0)
}

/// Returns the fraction of a stage that one row (a run of one branch) has completed.
fn done(row: &StageProgress) -> f64 {
    let iteration = f64::from(row.iteration.unwrap_or(0).max(0));
    let part = match row.status.is_terminal() {
        true => 1.0,
        false => iteration / (iteration + 4.0),
    };
    part / f64::from(row.branch_count.max(1))
}

fn step(
    stand: Stand,
    outcome: Option<SessionOutcome>,
    current: Option<&StageProgress>,
    count: i32,
    catalog: &Catalog,
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
                "stage {} of {count}, {}: {state}{}",
                stage.stage_index + 1,
                stage.stage_name,
                iteration(stage, catalog)
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

/// Returns text like `, iteration 3 of 10` for a running stage, and no text before its first model
/// call. The conclusion after the last iteration is beyond the limit, so the limit is left out
/// then.
fn iteration(stage: &StageProgress, catalog: &Catalog) -> String {
    let Some(iteration) = stage
        .iteration
        .filter(|_| stage.status == StageStatus::Active)
    else {
        return String::new();
    };
    match catalog.iteration_limit(shown_actor(&stage.agent)) {
        Some(limit) if i64::from(iteration) <= i64::from(limit) => {
            format!(", iteration {iteration} of {limit}")
        }
        _ => format!(", iteration {iteration}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tarsy_model::StageStatus;
    use tarsy_store::status::StageProgress;

    use super::share;

    fn row(
        index: i32,
        branches: i32,
        status: StageStatus,
        iteration: Option<i32>,
    ) -> StageProgress {
        StageProgress {
            stage_index: index,
            stage_name: String::new(),
            agent: String::new(),
            branch_name: None,
            branch_count: branches,
            status,
            iteration,
        }
    }

    #[test]
    fn a_running_session_is_never_done() {
        let ended = |count: i32| {
            let rows = (0..count).map(|index| row(index, 1, StageStatus::Failed, None));
            share(&rows.collect::<Vec<_>>(), 3)
        };
        assert_eq!([0, 1, 2, 3].map(ended), [0, 33, 66, 99]);
        assert_eq!(share(&[], 0), 0);
        let branches: Vec<_> = (0..7)
            .map(|_| row(0, 7, StageStatus::Completed, Some(3)))
            .collect();
        assert_eq!(share(&branches, 2), 50, "branches are one stage");
    }

    #[test]
    fn each_iteration_of_the_only_stage_moves_the_progress() {
        let at = |iteration| share(&[row(0, 1, StageStatus::Active, Some(iteration))], 1);
        assert_eq!([1, 2, 3, 10, 1_000].map(at), [20, 33, 42, 71, 99]);
        assert_eq!(share(&[row(0, 1, StageStatus::Active, None)], 1), 0);
    }

    proptest! {
        /// Holds for stages that begin, iterate and end in any order.
        #[test]
        fn progress_never_falls_and_is_below_100(
            branches in prop::collection::vec(1..4_i32, 1..5),
            events in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3), 0..60),
        ) {
            let mut rows: Vec<StageProgress> = Vec::new();
            let count = i32::try_from(branches.len()).unwrap();
            let mut before = 0;
            for (stage, branch, event) in events {
                let index = stage.index(branches.len());
                let first = rows.iter().position(|row| row.stage_index == i32::try_from(index).unwrap());
                match (event, first) {
                    (0, None) => rows.extend((0..branches[index]).map(|_| {
                        row(i32::try_from(index).unwrap(), branches[index], StageStatus::Pending, None)
                    })),
                    (_, None) | (0, Some(_)) => {}
                    (event, Some(first)) => {
                        let at = first + branch.index(usize::try_from(branches[index]).unwrap());
                        if event == 1 && !rows[at].status.is_terminal() {
                            rows[at].status = StageStatus::Active;
                            rows[at].iteration = Some(rows[at].iteration.unwrap_or(0) + 1);
                        } else {
                            rows[at].status = StageStatus::Completed;
                        }
                    }
                }
                let now = share(&rows, count);
                prop_assert!(now >= before && now < 100, "{before} to {now}");
                before = now;
            }
        }
    }
}
