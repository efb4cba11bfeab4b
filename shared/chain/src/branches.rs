//! Branches of one stage. They run in parallel, each with a row and a job.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_model::{IterationStrategy, StageStatus};

/// Maximum number of branches of a stage.
pub const MAX_BRANCHES: usize = 32;

/// Maximum length of a branch name that is derived from its item, in characters.
const MAX_NAME_CHARS: usize = 60;

/// The branches of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branches {
    /// The branches.
    #[serde(flatten)]
    pub source: BranchSource,
    /// When and how the stage settles.
    #[serde(default, skip_serializing_if = "Success::is_all")]
    pub success: Success,
}

/// Source of a stage's branches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchSource {
    /// Agents, each with its replicas.
    Agents(Vec<BranchAgent>),
    /// Replicas of the stage.
    Replicas(u32),
    /// One branch per list item: an expression evaluated once, when the stage becomes due.
    Each(String),
}

/// When a stage with branches settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Success {
    /// When every branch has ended; completed if all of them completed. The default.
    #[default]
    All,
    /// When the first branch has completed, or all have failed. The other branches continue and are recorded.
    Any,
}

impl Success {
    fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }
}

/// An agent of a stage with several agents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BranchAgent {
    /// The agent, by bare name.
    pub agent: String,
    /// Overrides the stage's and the agent's strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration_strategy: Option<IterationStrategy>,
    /// Overrides the stage's, the agent's and the chain's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// Number of branches that run this agent, at least one.
    pub replicas: u32,
    /// Maximum running time in ms. Set when a session is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// The branch of a stage to which a row belongs.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Index, from 0.
    pub index: i32,
    /// Number of branches of the stage in this run.
    pub count: i32,
    /// Display name. `None`: the stage has no branches.
    pub name: Option<String>,
    /// List item of the branch, in a stage with `each`.
    pub item: Option<Value>,
}

impl Branch {
    /// The one branch of a stage without branches.
    pub const SOLE: Self = Self {
        index: 0,
        count: 1,
        name: None,
        item: None,
    };
}

impl Branches {
    /// Returns the number of branches; `None` if it depends on a list.
    #[must_use]
    pub fn fixed_count(&self) -> Option<usize> {
        let count = |replicas: u32| usize::try_from(replicas).unwrap_or(usize::MAX);
        match &self.source {
            BranchSource::Agents(agents) => Some(agents.iter().map(|a| count(a.replicas)).sum()),
            BranchSource::Replicas(replicas) => Some(count(*replicas)),
            BranchSource::Each(_) => None,
        }
    }

    /// Returns the list expression of `each`.
    #[must_use]
    pub fn each(&self) -> Option<&str> {
        match &self.source {
            BranchSource::Each(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the agent of a branch, if branches have different agents.
    pub(crate) fn agent_of(&self, branch: usize) -> Option<&BranchAgent> {
        let BranchSource::Agents(agents) = &self.source else {
            return None;
        };
        let replicas = agents
            .iter()
            .flat_map(|agent| std::iter::repeat_n(agent, agent.replicas as usize));
        replicas.clone().nth(branch)
    }
}

pub(crate) fn name_of(item: &Value, index: i32) -> String {
    match item {
        Value::String(text) if !text.trim().is_empty() => {
            text.trim().chars().take(MAX_NAME_CHARS).collect()
        }
        Value::Number(number) => number.to_string(),
        Value::Bool(word) => word.to_string(),
        _ => format!("item-{}", index + 1),
    }
}

/// Result of a branch.
#[derive(Clone, Copy, Debug)]
pub struct BranchResult<'a> {
    /// Name of the branch.
    pub name: &'a str,
    /// Status of the branch.
    pub status: StageStatus,
    /// Output, if it completed.
    pub output: Option<&'a Value>,
    /// Error of a failed branch, or the reason for skipping it.
    pub error: Option<&'a str>,
}

impl BranchResult<'_> {
    /// Formats it as `{name, status, text, data, error}`.
    fn as_json(&self) -> Value {
        let member = |name| self.output.and_then(|output| output.get(name));
        serde_json::json!({
            "name": self.name, "status": self.status.as_str(), "text": member("result"), "data": member("data"),
            "error": self.error,
        })
    }

    fn section(&self) -> String {
        let (name, status) = (self.name, self.status);
        let text = match (self.output, self.error) {
            (Some(output), _) => match output.get("result").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => format!("{output:#}"),
            },
            (None, Some(error)) => format!("This branch {status}: {error}"),
            (None, None) => "No result.".to_owned(),
        };
        format!("#### {name} ({status})\n\n{text}")
    }
}

/// Derives the status of a stage from the statuses of its branches. Returns `None` if the stage has not settled.
#[must_use]
pub fn settled_status(success: Success, branches: &[StageStatus]) -> Option<StageStatus> {
    let has = |status| branches.contains(&status);
    if success == Success::Any && has(StageStatus::Completed) {
        return Some(StageStatus::Completed);
    }
    if branches.is_empty() || !branches.iter().all(|status| status.is_terminal()) {
        return None;
    }
    let ranked = [
        StageStatus::Cancelled,
        StageStatus::Failed,
        StageStatus::Skipped,
    ];
    let worst = ranked.into_iter().find(|status| has(*status));
    Some(worst.unwrap_or(StageStatus::Completed))
}

/// Merges the outputs of branches: `{"result": text, "branches": [{name, status, text, data, error}]}`. Returns `None`
/// if no branch completed.
#[must_use]
pub fn merged_output(branches: &[BranchResult<'_>]) -> Option<Value> {
    branches.iter().find(|branch| branch.output.is_some())?;
    let sections: Vec<String> = branches.iter().map(BranchResult::section).collect();
    let list: Vec<Value> = branches.iter().map(BranchResult::as_json).collect();
    Some(serde_json::json!({"result": sections.join("\n\n"), "branches": list}))
}

/// Joins the errors of branches that did not complete, if any.
#[must_use]
pub fn merged_error(branches: &[BranchResult<'_>]) -> Option<String> {
    let failed = branches
        .iter()
        .filter(|branch| branch.status != StageStatus::Completed);
    let reasons: Vec<String> = failed
        .filter_map(|branch| Some(format!("{}: {}", branch.name, branch.error?)))
        .collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Position of a row within its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// Position of the stage.
    pub stage_index: i32,
    /// Index of the branch.
    pub branch: i32,
    /// Number of branches when the row was written.
    pub branch_count: i32,
    /// Number of the stage's run, counted over all branches.
    pub attempt: i32,
}

/// Keeps the current rows: the highest attempt of each branch that existed in the stage's last run. Sorts them by
/// stage and branch.
pub fn retain_current<T>(rows: &mut Vec<T>, place: impl Fn(&T) -> RowPlace) {
    rows.sort_by_key(|row| {
        let row = place(row);
        (row.stage_index, row.branch, std::cmp::Reverse(row.attempt))
    });
    rows.dedup_by_key(|row| (place(row).stage_index, place(row).branch));
    if rows.iter().all(|row| place(row).branch == 0) {
        return;
    }
    let last: Vec<RowPlace> = rows.iter().map(&place).collect();
    rows.retain(|row| {
        let row = place(row);
        let of_stage = last.iter().filter(|p| p.stage_index == row.stage_index);
        let newest = of_stage.max_by_key(|p| p.attempt);
        newest.is_none_or(|newest| row.branch < newest.branch_count)
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::StageDefinition;

    fn agents(agents: &[(&str, u32)]) -> StageDefinition {
        let agents = agents.iter().map(|(agent, replicas)| BranchAgent {
            agent: (*agent).to_owned(),
            iteration_strategy: None,
            llm_provider: Some(format!("of-{agent}")),
            replicas: *replicas,
            timeout_ms: None,
        });
        StageDefinition {
            branches: Some(Branches {
                source: BranchSource::Agents(agents.collect()),
                success: Success::All,
            }),
            ..StageDefinition::new("s", "logs")
        }
    }

    #[test]
    fn agents_that_run_more_than_one_branch_are_numbered() {
        let stage = agents(&[("logs", 1), ("cluster", 2)]);
        let branches = stage.fixed_branches();
        let names: Vec<_> = branches
            .iter()
            .filter_map(|branch| branch.name.as_deref())
            .collect();
        assert_eq!(names, ["logs", "cluster-1", "cluster-2"]);
        let second = stage.for_branch(2);
        assert_eq!(second.agent(), Some("cluster"));
        assert_eq!(second.kind.llm_provider(), Some("of-cluster"));
    }

    #[test]
    fn a_branch_is_named_after_its_item() {
        let items = vec![json!("db-1"), json!(7), json!({"host": "x"})];
        let branches = StageDefinition::branches_for(items);
        let names: Vec<_> = branches.iter().filter_map(|b| b.name.as_deref()).collect();
        assert_eq!(names, ["db-1", "7", "item-3"]);
    }

    #[test]
    fn what_branches_left_is_one_output_with_their_names() {
        let output = json!({"result": "disk full", "data": {"host": "a"}});
        let branches = [
            BranchResult {
                name: "logs",
                status: StageStatus::Completed,
                output: Some(&output),
                error: None,
            },
            BranchResult {
                name: "metrics",
                status: StageStatus::Failed,
                output: None,
                error: Some("no answer"),
            },
        ];
        let merged = merged_output(&branches).expect("one completed");
        assert_eq!(
            merged["result"],
            "#### logs (completed)\n\ndisk full\n\n#### metrics (failed)\n\nThis branch failed: no answer"
        );
        assert_eq!(merged["branches"][0]["data"], json!({"host": "a"}));
        assert_eq!(merged["branches"][1]["error"], "no answer");
        assert_eq!(
            merged_error(&branches).as_deref(),
            Some("metrics: no answer")
        );
        assert!(merged_output(&branches[1..]).is_none());
    }

    #[test]
    fn a_stage_settles_with_all_its_branches_or_with_the_first() {
        use StageStatus::{Active, Completed, Failed};
        let all = |branches: &[StageStatus]| settled_status(Success::All, branches);
        let any = |branches: &[StageStatus]| settled_status(Success::Any, branches);
        assert_eq!(all(&[Completed, Active]), None);
        assert_eq!(all(&[Completed, Failed]), Some(Failed));
        assert_eq!(all(&[Completed, Completed]), Some(Completed));
        assert_eq!(any(&[Failed, Active]), None);
        assert_eq!(any(&[Failed, Completed, Active]), Some(Completed));
        assert_eq!(any(&[Failed, Failed]), Some(Failed));
    }

    #[test]
    fn branches_that_the_last_run_no_longer_has_are_not_current() {
        let row = |branch, branch_count, attempt| RowPlace {
            stage_index: 1,
            branch,
            branch_count,
            attempt,
        };
        let mut rows = vec![
            row(0, 3, 1),
            row(1, 3, 2),
            row(2, 3, 3),
            row(0, 2, 4),
            row(1, 2, 5),
        ];
        retain_current(&mut rows, |row| *row);
        assert_eq!(rows, [row(0, 2, 4), row(1, 2, 5)]);
        let mut rows = vec![row(0, 2, 1), row(1, 2, 2), row(1, 2, 3)];
        retain_current(&mut rows, |row| *row);
        assert_eq!(
            rows,
            [row(0, 2, 1), row(1, 2, 3)],
            "one branch was replayed"
        );
    }
}
