//! A chain as the configuration defines it and as a session keeps it.

use serde::{Deserialize, Serialize};
use tarsy_model::{ModelOptions, Pool};

use crate::branches::{BranchSource, Branches, Success};
use crate::kind::{AgentStage, StageKind};

/// What to do if fetching the runbook fails.
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
    /// When the first need has run, whatever its outcome, or when all were skipped.
    Any,
}

impl Join {
    /// Whether it is the default, which is not serialized.
    #[must_use]
    pub fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }
}

/// A graph of stages.
///
/// A session keeps the definition it was accepted with; a changed configuration never
/// changes a session that runs. A replay may set the provider of the stages that follow it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainDefinition {
    /// Unique among built-in and configured chains.
    pub chain_id: String,
    /// Alert types that this chain answers; each type belongs to one chain.
    pub alert_types: Vec<String>,
    /// At least one. A stage is listed after every stage that it needs.
    pub stages: Vec<StageDefinition>,
    /// Description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Provider for stages and agents that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// Whether the chain continues without its runbook.
    #[serde(default)]
    pub on_runbook_error: OnRunbookError,
    /// Agent that answers questions about ended sessions; see [`follow_up`](crate::follow_up).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<String>,
    /// Labels, one of which the agent that concludes gives the session; may be none.
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
    /// Shown to people; unique within the chain.
    pub name: String,
    /// What the stage runs.
    pub kind: StageKind,
    /// Names of earlier stages that must settle first. `None`: the stage listed before it; empty: none,
    /// it is due at once.
    pub needs: Option<Vec<String>>,
    /// Condition to run; see [`Condition`](crate::Condition). `None`: always.
    pub when: Option<String>,
    /// When several needs make it due.
    pub join: Join,
    /// Branches that run side by side. `None`: it runs once.
    pub branches: Option<Branches>,
    /// Pool of stage workers that run it.
    pub pool: Pool,
    /// Maximum wait for a worker that can run it, in ms; `None`: as the fleet's environment says.
    pub schedule_timeout_ms: Option<u64>,
    /// Timeout in ms, all workers together. Set when a session is accepted, together with the strategy and the provider
    /// of its agent; `None` in a configuration and in sessions of older versions.
    pub timeout_ms: Option<u64>,
}

impl StageDefinition {
    /// A stage of an agent with every default: follows the stage before it, in the default pool.
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

    /// Its agent, if one runs it.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.kind.as_agent().map(|stage| stage.agent.as_str())
    }

    /// The agents that run it: that of each branch, where branches have their own.
    #[must_use]
    pub fn agents(&self) -> Vec<&str> {
        match self.branches.as_ref().map(|branches| &branches.source) {
            Some(BranchSource::Agents(agents)) => agents.iter().map(|a| a.agent.as_str()).collect(),
            _ => self.agent().into_iter().collect(),
        }
    }

    /// Whether it has a condition or a list of branches.
    #[must_use]
    pub fn has_expression(&self) -> bool {
        let each = self.branches.as_ref().and_then(|branches| branches.each());
        self.when.is_some() || each.is_some()
    }

    /// Whether strategy, provider and timeout are resolved. A worker then needs no configuration to plan the stage.
    #[must_use]
    pub const fn is_resolved(&self) -> bool {
        self.timeout_ms.is_some()
    }
}

impl ChainDefinition {
    /// Whether it is a plain sequence: each stage needs the one before it, without a condition or branches.
    ///
    /// Versions of the fleet before graphs run sequences only.
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

    /// Whether a stage has a condition or a list of branches, so that deciding needs the outputs of stages.
    #[must_use]
    pub fn has_conditions(&self) -> bool {
        self.stages.iter().any(StageDefinition::has_expression)
    }
}

/// Whether a stage settles before all its branches or needs have ended, so that results can be late.
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
    fn needs_that_say_what_the_order_says_are_a_sequence() {
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
