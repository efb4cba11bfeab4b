//! A chain as it is configured and as a session stores it.

use serde::{Deserialize, Serialize};
use tarsy_model::{ModelOptions, Pool};

use crate::branches::{BranchSource, Branches, Success};
use crate::kind::{AgentStage, StageKind};

/// Reaction to a runbook that can't be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRunbookError {
    /// Records the error and continues without it. The default.
    #[default]
    Continue,
    /// The session fails without an investigation.
    Fail,
}

/// When a stage with several needs becomes due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// When every need has settled. Skipped if all of them were skipped. The default.
    #[default]
    All,
    /// When the first need has run, with any outcome, or when all were skipped.
    Any,
}

impl Join {
    /// Returns whether it is the default, which is not serialized.
    #[must_use]
    pub fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }
}

/// A graph of stages.
///
/// A session keeps the definition it was accepted with, so a changed configuration never changes a running session. A
/// replay may set the provider of the stages after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainDefinition {
    /// Id, unique among built-in and configured chains.
    pub chain_id: String,
    /// Alert types that this chain answers; each type belongs to one chain.
    pub alert_types: Vec<String>,
    /// Stages, at least one. A stage is listed after every stage that it needs.
    pub stages: Vec<StageDefinition>,
    /// Description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Provider for stages and agents that set none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// Whether the chain continues without its runbook.
    #[serde(default)]
    pub on_runbook_error: OnRunbookError,
    /// Agent that answers questions about ended sessions; see [`follow_up`](crate::follow_up).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<String>,
    /// Labels. The concluding agent gives the session one of them. May be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// One stage of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    from = "crate::stored::StoredStage",
    into = "crate::stored::StoredStage"
)]
pub struct StageDefinition {
    /// Display name, unique within the chain.
    pub name: String,
    /// Kind of the stage: the work that it does.
    pub kind: StageKind,
    /// Names of earlier stages that must settle first. `None`: the stage listed before it. Empty: no stage, so it is
    /// due at once.
    pub needs: Option<Vec<String>>,
    /// Condition for running; see [`Condition`](crate::Condition). `None`: it always runs.
    pub when: Option<String>,
    /// When the stage becomes due, if it has several needs.
    pub join: Join,
    /// Branches that run in parallel. `None`: the stage runs once.
    pub branches: Option<Branches>,
    /// Pool of the stage workers that run it.
    pub pool: Pool,
    /// Maximum wait for a worker that can run it, in ms; `None`: the default from the environment.
    pub schedule_timeout_ms: Option<u64>,
    /// Timeout in ms, over all workers. Set when a session is accepted, together with the strategy and the provider of
    /// its agent. `None` in a configuration and in sessions of older versions.
    pub timeout_ms: Option<u64>,
}

impl StageDefinition {
    /// Creates an agent stage with defaults: it follows the stage before it, in the default pool.
    #[must_use]
    pub fn new(name: impl Into<String>, agent: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: StageKind::Agent(AgentStage {
                agent: agent.into(),
                iteration_strategy: None,
                llm_provider: None,
                output_schema: None,
                sub_agents: None,
                labels: Vec::new(),
                verifies: None,
                model_options: ModelOptions::default(),
            }),
            needs: None,
            when: None,
            join: Join::All,
            branches: None,
            pool: Pool::default(),
            schedule_timeout_ms: None,
            timeout_ms: None,
        }
    }

    /// Returns its agent, if an agent runs it.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.kind.as_agent().map(|stage| stage.agent.as_str())
    }

    /// Returns the agents that run it. If branches have different agents, these are the agents of the branches.
    #[must_use]
    pub fn agents(&self) -> Vec<&str> {
        match self.branches.as_ref().map(|branches| &branches.source) {
            Some(BranchSource::Agents(agents)) => agents.iter().map(|a| a.agent.as_str()).collect(),
            _ => self.agent().into_iter().collect(),
        }
    }

    /// Returns whether it has a condition or a list of branches.
    #[must_use]
    pub fn has_expression(&self) -> bool {
        let each = self.branches.as_ref().and_then(|branches| branches.each());
        self.when.is_some() || each.is_some()
    }

    /// Returns whether strategy, provider and timeout are resolved. A worker then needs no configuration to plan the
    /// stage.
    #[must_use]
    pub const fn is_resolved(&self) -> bool {
        self.timeout_ms.is_some()
    }
}

impl ChainDefinition {
    /// Returns whether it is a plain sequence: each stage needs the one before it, without a condition or branches.
    ///
    /// tarsy versions before graphs run only sequences.
    #[must_use]
    pub fn is_sequence(&self) -> bool {
        let mut before: Option<&str> = None;
        self.stages.iter().all(|stage| {
            let follows = match &stage.needs {
                None => true,
                Some(needs) => needs.iter().map(String::as_str).eq(before),
            };
            before = Some(&stage.name);
            follows && stage.when.is_none() && stage.branches.is_none()
        })
    }

    /// Returns whether any stage has a condition or a list of branches, so that a decision needs the outputs of
    /// stages.
    #[must_use]
    pub fn has_conditions(&self) -> bool {
        self.stages.iter().any(StageDefinition::has_expression)
    }
}

/// Returns whether a stage can settle before all its branches or needs have ended, so that results can be late.
#[must_use]
pub fn has_late_results(stages: &[StageDefinition]) -> bool {
    let any = |stage: &StageDefinition| {
        let branches = stage.branches.as_ref();
        stage.join == Join::Any || branches.is_some_and(|b| b.success == Success::Any)
    };
    stages.iter().any(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_of_a_version_before_graphs_reads_as_a_sequence() {
        let stored = r#"{"chain_id": "c", "alert_types": ["t"],
            "stages": [{"name": "a", "agent": "x"}, {"name": "b", "agent": "x", "pool": "p"}]}"#;
        let chain: ChainDefinition = serde_json::from_str(stored).expect("readable");
        assert!(chain.is_sequence() && !chain.has_conditions());
        let written = serde_json::to_string(&chain).expect("writable");
        assert!(
            !written.contains("needs") && !written.contains("join"),
            "{written}"
        );
    }

    #[test]
    fn needs_that_equal_the_order_are_a_sequence() {
        let mut chain = ChainDefinition {
            chain_id: "c".into(),
            alert_types: vec![],
            stages: vec![
                StageDefinition::new("a", "x"),
                StageDefinition::new("b", "x"),
            ],
            description: None,
            llm_provider: None,
            on_runbook_error: OnRunbookError::Continue,
            chat: None,
            labels: Vec::new(),
        };
        chain.stages[1].needs = Some(vec!["a".into()]);
        assert!(chain.is_sequence());
        chain.stages[1].needs = Some(vec![]);
        assert!(!chain.is_sequence());
    }
}
