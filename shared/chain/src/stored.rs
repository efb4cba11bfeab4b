//! Serialized form of a stage, compatible with all tarsy versions.
//!
//! An agent stage is written in the same form as before there were other kinds. A stage of another kind has its fields
//! in `work`, and its `agent` is the actor name used in its rows.
//!
//! Sessions that older versions accepted may name an agent with what it requires (`structured-agent:LogAgent`). This is
//! read, and no longer written: the other fields say the same.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_model::{IterationStrategy, ModelOptions, Pool, shown_actor};

use crate::kind::{AgentStage, AskStage, FunctionStage, StageKind, ToolStage, WaitStage};
use crate::{BranchSource, Branches, Join, StageDefinition};

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredStage {
    name: String,
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    work: Option<Work>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    needs: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    #[serde(default, skip_serializing_if = "Join::is_all")]
    join: Join,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branches: Option<Branches>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    iteration_strategy: Option<IterationStrategy>,
    #[serde(default)]
    pool: Pool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    llm_provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sub_agents: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verifies: Option<String>,
    #[serde(default, skip_serializing_if = "ModelOptions::is_empty")]
    model_options: ModelOptions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule_timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
}

/// The content of `work`, for a stage that is not a plain agent stage.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Work {
    SubAgent(AgentStage),
    Ask(AskStage),
    Tool(ToolStage),
    Function(FunctionStage),
    Wait(WaitStage),
}

impl From<StoredStage> for StageDefinition {
    fn from(mut stored: StoredStage) -> Self {
        stored.agent = shown_actor(&stored.agent).to_owned();
        if let Some(Branches {
            source: BranchSource::Agents(agents),
            ..
        }) = &mut stored.branches
        {
            for branch in agents {
                branch.agent = shown_actor(&branch.agent).to_owned();
            }
        }
        let kind = match stored.work {
            None => StageKind::Agent(AgentStage {
                agent: stored.agent,
                iteration_strategy: stored.iteration_strategy,
                llm_provider: stored.llm_provider,
                output_schema: stored.output_schema,
                sub_agents: stored.sub_agents,
                labels: stored.labels,
                verifies: stored.verifies,
                model_options: stored.model_options,
            }),
            Some(Work::SubAgent(stage)) => StageKind::SubAgent(stage),
            Some(Work::Ask(stage)) => StageKind::Ask(stage),
            Some(Work::Tool(stage)) => StageKind::Tool(stage),
            Some(Work::Function(stage)) => StageKind::Function(stage),
            Some(Work::Wait(stage)) => StageKind::Wait(stage),
        };
        Self {
            name: stored.name,
            kind,
            needs: stored.needs,
            when: stored.when,
            join: stored.join,
            branches: stored.branches,
            pool: stored.pool,
            schedule_timeout_ms: stored.schedule_timeout_ms,
            timeout_ms: stored.timeout_ms,
        }
    }
}

impl From<StageDefinition> for StoredStage {
    fn from(stage: StageDefinition) -> Self {
        let agent = stage.kind.shown_actor().into_owned();
        let mut stored = Self {
            name: stage.name,
            agent,
            work: None,
            needs: stage.needs,
            when: stage.when,
            join: stage.join,
            branches: stage.branches,
            iteration_strategy: None,
            pool: stage.pool,
            llm_provider: None,
            output_schema: None,
            sub_agents: None,
            labels: Vec::new(),
            verifies: None,
            model_options: ModelOptions::default(),
            schedule_timeout_ms: stage.schedule_timeout_ms,
            timeout_ms: stage.timeout_ms,
        };
        stored.work = match stage.kind {
            StageKind::Agent(stage) => {
                stored.iteration_strategy = stage.iteration_strategy;
                stored.llm_provider = stage.llm_provider;
                stored.output_schema = stage.output_schema;
                stored.sub_agents = stage.sub_agents;
                stored.labels = stage.labels;
                stored.verifies = stage.verifies;
                stored.model_options = stage.model_options;
                None
            }
            StageKind::SubAgent(stage) => Some(Work::SubAgent(stage)),
            StageKind::Ask(stage) => Some(Work::Ask(stage)),
            StageKind::Tool(stage) => Some(Work::Tool(stage)),
            StageKind::Function(stage) => Some(Work::Function(stage)),
            StageKind::Wait(stage) => Some(Work::Wait(stage)),
        };
        stored
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_model::Role;

    use super::*;

    fn round_trip(kind: StageKind) -> Value {
        let stage = StageDefinition {
            kind,
            ..StageDefinition::new("s", "")
        };
        let stored = serde_json::to_value(&stage).expect("writable");
        let read: StageDefinition = serde_json::from_value(stored.clone()).expect("readable");
        assert_eq!(read, stage);
        stored
    }

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        let agent = StageDefinition::new("s", "A").kind;
        assert_eq!(
            round_trip(agent),
            json!({"name": "s", "agent": "A", "pool": "default"})
        );
        let dispatched = StageKind::SubAgent(AgentStage {
            agent: "Logs".into(),
            iteration_strategy: None,
            llm_provider: None,
            output_schema: None,
            sub_agents: None,
            labels: Vec::new(),
            verifies: None,
            model_options: ModelOptions::default(),
        });
        assert_eq!(
            round_trip(dispatched),
            json!({"name": "s", "agent": "sub-agent:Logs", "work": {"sub_agent": {"agent": "Logs"}}, "pool": "default"})
        );
        let structured = StageKind::Agent(AgentStage {
            agent: "Logs".into(),
            iteration_strategy: None,
            llm_provider: None,
            output_schema: Some(json!("claims")),
            sub_agents: None,
            labels: Vec::new(),
            verifies: None,
            model_options: ModelOptions::default(),
        });
        assert_eq!(
            round_trip(structured),
            json!({"name": "s", "agent": "Logs", "output_schema": "claims", "pool": "default"})
        );
        let dispatching = |output_schema| {
            StageKind::Agent(AgentStage {
                agent: "Lead".into(),
                iteration_strategy: None,
                llm_provider: None,
                output_schema,
                sub_agents: Some(vec!["Logs".into()]),
                labels: Vec::new(),
                verifies: None,
                model_options: ModelOptions::default(),
            })
        };
        assert_eq!(
            round_trip(dispatching(None)),
            json!({"name": "s", "agent": "Lead", "sub_agents": ["Logs"], "pool": "default"})
        );
        assert_eq!(
            round_trip(dispatching(Some(json!("claims")))),
            json!({"name": "s", "agent": "Lead", "output_schema": "claims",
                "sub_agents": ["Logs"], "pool": "default"})
        );
        let StageKind::Agent(stage) = dispatching(Some(json!("claims"))) else {
            panic!("an agent's stage");
        };
        let labelling = StageKind::Agent(AgentStage {
            labels: vec!["noise".into()],
            ..stage
        });
        assert_eq!(
            round_trip(labelling),
            json!({"name": "s", "agent": "Lead", "output_schema": "claims", "sub_agents": ["Logs"],
                "labels": ["noise"], "pool": "default"})
        );
        let StageKind::Agent(stage) = StageDefinition::new("s", "Logs").kind else {
            panic!("an agent's stage");
        };
        let verifying = StageKind::Agent(AgentStage {
            verifies: Some("analysis".into()),
            ..stage
        });
        assert_eq!(
            round_trip(verifying),
            json!({"name": "s", "agent": "Logs", "verifies": "analysis", "pool": "default"})
        );
        let ask = StageKind::Ask(AskStage {
            draft: None,
            model_options: ModelOptions {
                temperature: Some(0.25),
                fallbacks: Some(Vec::new()),
                ..ModelOptions::default()
            },
            prompt: "?".into(),
            llm_provider: Some("big".into()),
            output_schema: Some(json!({"type": "object"})),
        });
        assert_eq!(round_trip(ask)["agent"], "ask:model");
        let call = StageKind::Tool(ToolStage {
            server: "ssh".into(),
            tool: "run".into(),
            args: [("host".to_owned(), json!("{{ alert.data.host }}"))]
                .into_iter()
                .collect(),
            allow_destructive: true,
        });
        assert_eq!(round_trip(call)["agent"], "tool:ssh.run");
        let function = StageKind::Function(FunctionStage {
            function: "rank".into(),
            args: serde_json::Map::new(),
        });
        assert_eq!(round_trip(function)["agent"], "function:rank");
        for (wait, actor) in [
            (
                WaitStage::Approval {
                    role: Role::Operator,
                    expires_ms: 1,
                },
                "wait:approval",
            ),
            (WaitStage::Timer { after_ms: 1 }, "wait:timer"),
            (
                WaitStage::Signal {
                    name: "deployed".into(),
                    expires_ms: 1,
                },
                "wait:signal",
            ),
        ] {
            assert_eq!(round_trip(StageKind::Wait(wait))["agent"], actor);
        }
    }
}
