//! Gaps of an investigation (failed or refused calls), as the API shows them.

use serde::Serialize;
use tarsy_store::history::Gap;
use utoipa::ToSchema;

use crate::sessions::detail::StageDetail;

/// Calls of a stage that failed in the same way. The analysis lacks their results.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InvestigationGap {
    /// `unreachable`: the server's tools could not be listed; `refused`: the call was not made; `failed`: the call
    /// failed.
    #[schema(example = "unreachable")]
    pub(crate) kind: String,
    /// MCP server.
    pub(crate) server: String,
    /// Tool; null if the server was unreachable.
    pub(crate) tool: Option<String>,
    /// Name of the stage, with that of the branch if it has branches.
    pub(crate) stage: String,
    pub(crate) times: i64,
    /// Error of the last of these calls.
    pub(crate) error: Option<String>,
}

/// Returns the gaps of current attempts. Gaps of earlier attempts are left out, because a replay
/// may have closed them.
pub(crate) fn of_current(gaps: Vec<Gap>, stages: &[StageDetail]) -> Vec<InvestigationGap> {
    let shown = gaps.into_iter().filter_map(|gap| {
        let stage = stages
            .iter()
            .find(|stage| stage.is_current && stage.execution_id == gap.execution_id)?;
        let stage = match &stage.branch_name {
            Some(branch) => format!("{} ({branch})", stage.stage_name),
            None => stage.stage_name.clone(),
        };
        Some(InvestigationGap {
            kind: gap.kind,
            server: gap.server,
            tool: gap.tool,
            stage,
            times: gap.times,
            error: gap.error,
        })
    });
    shown.collect()
}

impl InvestigationGap {
    /// Formats the gap as one line, e.g. ``kubernetes: unreachable in collect (connection refused)``.
    pub(crate) fn line(&self) -> String {
        let what = match &self.tool {
            Some(tool) => format!("{}.{tool}", self.server),
            None => self.server.clone(),
        };
        let times = match self.times {
            1 => String::new(),
            times => format!(" {times} times"),
        };
        let error = self.error.as_deref().map(|error| format!(": {error}"));
        format!(
            "{what} {}{times} in {}{}",
            self.kind,
            self.stage,
            error.unwrap_or_default()
        )
    }
}
