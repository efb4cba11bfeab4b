//! Kinds of stages.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tarsy_model::{Actor, IterationStrategy, ModelOptions, Role};

/// Kind of a stage: what it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum StageKind {
    /// An agent: a loop of model calls and tool calls.
    Agent(AgentStage),
    /// An agent that another agent dispatched: the only stage of a child session.
    SubAgent(AgentStage),
    /// One model call.
    Ask(AskStage),
    /// One tool call.
    Tool(ToolStage),
    /// A built-in function over earlier results.
    Function(FunctionStage),
    /// A wait.
    Wait(WaitStage),
}

/// A stage run by an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentStage {
    /// The agent, by bare name.
    pub agent: String,
    /// Overrides the agent's own strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration_strategy: Option<IterationStrategy>,
    /// Overrides the agent's and the chain's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// Structured output: `claims`, or the JSON Schema of additional data ([`AnalysisSchema`](crate::AnalysisSchema)).
    /// `None`: text only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Agents that it may dispatch as child sessions, instead of the agent's own list; may be empty. `None`: the
    /// agent's own list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_agents: Option<Vec<String>>,
    /// Labels, one of which it gives after its conclusion. Empty: it is not asked for one. Set when a session is
    /// accepted, for stages whose answer can be the session's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Name of the stage whose claims it tries to refute, for a stage of kind `verify`. `None`: it investigates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifies: Option<String>,
    /// Options for calls of its model.
    #[serde(default, skip_serializing_if = "ModelOptions::is_empty")]
    pub model_options: ModelOptions,
}

impl AgentStage {
    /// Returns the actor of the stage if `agent` runs it.
    pub(crate) const fn actor_of<'a>(&self, agent: &'a str) -> Actor<'a> {
        if self.verifies.is_some() {
            return Actor::VerifyingAgent(agent);
        }
        if !self.labels.is_empty() {
            return Actor::LabellingAgent(agent);
        }
        let structured = self.output_schema.is_some();
        match self.sub_agents {
            Some(_) => Actor::DispatchingAgent { agent, structured },
            None if structured => Actor::StructuredAgent(agent),
            None => Actor::Agent(agent),
        }
    }
}

/// A stage that calls a model once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskStage {
    /// Template of the prompt.
    pub prompt: String,
    /// Overrides the chain's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// JSON Schema that the answer must match. `None`: any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Member of a structured answer that is shown as a draft while the answer is streamed. `None`: no draft is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// Options for calls of its model.
    #[serde(default, skip_serializing_if = "ModelOptions::is_empty")]
    pub model_options: ModelOptions,
}

/// A stage that calls one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStage {
    /// MCP server, by id.
    pub server: String,
    /// Tool of that server.
    pub tool: String,
    /// Arguments by name. Strings in them, at any depth, are templates.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Whether the tool may change something. By default only read-only tools are called.
    #[serde(default)]
    pub allow_destructive: bool,
}

/// A stage that calls a built-in function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionStage {
    /// Name of the function.
    pub function: String,
    /// Arguments by name. Strings in them, at any depth, are templates.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// A stage that waits. It occupies no worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitStage {
    /// Waits for a person's decision.
    Approval {
        /// Role required to decide.
        role: Role,
        /// Milliseconds until the wait expires.
        expires_ms: u64,
    },
    /// Waits for a duration.
    Timer {
        /// Milliseconds to wait.
        after_ms: u64,
    },
    /// Waits for a signal from outside.
    Signal {
        /// Name of the signal.
        name: String,
        /// Milliseconds until the wait expires.
        expires_ms: u64,
    },
}

impl WaitStage {
    /// Returns the kind of wait, in the configuration's notation.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Approval { .. } => "approval",
            Self::Timer { .. } => "timer",
            Self::Signal { .. } => "signal",
        }
    }
}

impl StageKind {
    /// Returns the actor of the stage.
    #[must_use]
    pub fn actor(&self) -> Actor<'_> {
        match self {
            Self::Agent(stage) => stage.actor_of(&stage.agent),
            Self::SubAgent(stage) => Actor::SubAgent(&stage.agent),
            Self::Ask(_) => Actor::Ask,
            Self::Tool(stage) => Actor::Tool {
                server: &stage.server,
                tool: &stage.tool,
            },
            Self::Function(stage) => Actor::Function(&stage.function),
            Self::Wait(stage) => Actor::Wait(stage.as_str()),
        }
    }

    /// Returns the actor as one word, with what it requires of workers.
    #[must_use]
    pub fn actor_name(&self) -> Cow<'_, str> {
        match self.actor() {
            Actor::Agent(name) => Cow::Borrowed(name),
            actor => Cow::Owned(actor.to_string()),
        }
    }

    /// Returns the name of the actor, as shown to people.
    #[must_use]
    pub fn shown_actor(&self) -> Cow<'_, str> {
        match self.as_agent() {
            Some(stage) if matches!(self, Self::Agent(_)) => Cow::Borrowed(&stage.agent),
            _ => self.actor_name(),
        }
    }

    /// Returns its agent stage, if an agent runs it.
    #[must_use]
    pub const fn as_agent(&self) -> Option<&AgentStage> {
        match self {
            Self::Agent(stage) | Self::SubAgent(stage) => Some(stage),
            _ => None,
        }
    }

    /// Returns its wait, if it is a stage that waits.
    #[must_use]
    pub const fn as_wait(&self) -> Option<&WaitStage> {
        match self {
            Self::Wait(stage) => Some(stage),
            _ => None,
        }
    }

    /// Returns the provider set on the stage itself.
    #[must_use]
    pub fn llm_provider(&self) -> Option<&str> {
        match self {
            Self::Agent(stage) | Self::SubAgent(stage) => stage.llm_provider.as_deref(),
            Self::Ask(stage) => stage.llm_provider.as_deref(),
            Self::Tool(_) | Self::Function(_) | Self::Wait(_) => None,
        }
    }

    /// Returns the options for calls of its model, if it calls one.
    #[must_use]
    pub const fn model_options(&self) -> Option<&ModelOptions> {
        match self {
            Self::Agent(stage) | Self::SubAgent(stage) => Some(&stage.model_options),
            Self::Ask(stage) => Some(&stage.model_options),
            Self::Tool(_) | Self::Function(_) | Self::Wait(_) => None,
        }
    }

    /// Returns [`Self::model_options`] for changing them.
    pub const fn model_options_mut(&mut self) -> Option<&mut ModelOptions> {
        match self {
            Self::Agent(stage) | Self::SubAgent(stage) => Some(&mut stage.model_options),
            Self::Ask(stage) => Some(&mut stage.model_options),
            Self::Tool(_) | Self::Function(_) | Self::Wait(_) => None,
        }
    }

    /// Returns whether it calls a model.
    #[must_use]
    pub const fn asks_model(&self) -> bool {
        matches!(self, Self::Agent(_) | Self::SubAgent(_) | Self::Ask(_))
    }

    /// Returns the schema of its structured output, if any.
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Value> {
        match self {
            Self::Agent(stage) | Self::SubAgent(stage) => stage.output_schema.as_ref(),
            Self::Ask(stage) => stage.output_schema.as_ref(),
            Self::Tool(_) | Self::Function(_) | Self::Wait(_) => None,
        }
    }
}
