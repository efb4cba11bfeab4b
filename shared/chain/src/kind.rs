//! Kinds of stages: what runs when a stage is due.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tarsy_model::{Actor, IterationStrategy, Role};

/// What a stage does when it is due.
#[derive(Clone, Debug, PartialEq)]
pub enum StageKind {
    /// An agent investigates: a loop of model calls and tool calls.
    Agent(AgentStage),
    /// A model is asked once.
    Ask(AskStage),
    /// A tool is called once.
    Tool(ToolStage),
    /// A built-in function computes something from earlier results.
    Function(FunctionStage),
    /// The chain waits.
    Wait(WaitStage),
}

/// A stage that an agent runs.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentStage {
    /// The agent, by bare name.
    pub agent: String,
    /// Overrides the agent's own strategy.
    pub iteration_strategy: Option<IterationStrategy>,
    /// Overrides the agent's and the chain's provider.
    pub llm_provider: Option<String>,
    /// JSON Schema of the structured form of its analysis. `None`: it gives text alone.
    pub output_schema: Option<Value>,
}

/// A stage that asks a model one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskStage {
    /// The question: a template.
    pub prompt: String,
    /// Overrides the chain's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// JSON Schema that the answer must match. `None`: any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// A stage that calls one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStage {
    /// MCP server, by id.
    pub server: String,
    /// Tool of that server.
    pub tool: String,
    /// Arguments by name. Texts in them, at any depth, are templates.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Whether the tool may change something. Without it only a read-only tool is called.
    #[serde(default)]
    pub allow_destructive: bool,
}

/// A stage that calls a built-in function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionStage {
    /// Name in the registry of functions.
    pub function: String,
    /// Arguments by name. Texts in them, at any depth, are templates.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// A stage that waits. It holds no worker meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitStage {
    /// For a person's decision.
    Approval {
        /// Role that may decide.
        role: Role,
        /// How long it waits, in ms.
        expires_ms: u64,
    },
    /// For some time.
    Timer {
        /// How long, in ms.
        after_ms: u64,
    },
    /// For a signal from outside.
    Signal {
        /// Name of the signal.
        name: String,
        /// How long it waits, in ms.
        expires_ms: u64,
    },
}

impl WaitStage {
    /// What it waits for, as the configuration writes it.
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
    /// What runs the stage, as rows name it.
    #[must_use]
    pub fn actor(&self) -> Actor<'_> {
        match self {
            Self::Agent(stage) => Actor::Agent(&stage.agent),
            Self::Ask(_) => Actor::Ask,
            Self::Tool(stage) => Actor::Tool {
                server: &stage.server,
                tool: &stage.tool,
            },
            Self::Function(stage) => Actor::Function(&stage.function),
            Self::Wait(stage) => Actor::Wait(stage.as_str()),
        }
    }

    /// The same as a row writes it.
    #[must_use]
    pub fn actor_name(&self) -> Cow<'_, str> {
        match self.actor() {
            Actor::Agent(name) => Cow::Borrowed(name),
            actor => Cow::Owned(actor.to_string()),
        }
    }

    /// Whether it is a stage that an agent runs.
    #[must_use]
    pub const fn as_agent(&self) -> Option<&AgentStage> {
        match self {
            Self::Agent(stage) => Some(stage),
            _ => None,
        }
    }

    /// What it waits for, if it is a stage that waits.
    #[must_use]
    pub const fn as_wait(&self) -> Option<&WaitStage> {
        match self {
            Self::Wait(stage) => Some(stage),
            _ => None,
        }
    }

    /// Provider that the stage names itself.
    #[must_use]
    pub fn llm_provider(&self) -> Option<&str> {
        match self {
            Self::Agent(stage) => stage.llm_provider.as_deref(),
            Self::Ask(stage) => stage.llm_provider.as_deref(),
            Self::Tool(_) | Self::Function(_) | Self::Wait(_) => None,
        }
    }

    /// Whether it asks a model.
    #[must_use]
    pub const fn asks_model(&self) -> bool {
        matches!(self, Self::Agent(_) | Self::Ask(_))
    }

    /// JSON Schema of the stage's `data`, if it has one.
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Value> {
        match self {
            Self::Agent(stage) => stage.output_schema.as_ref(),
            Self::Ask(stage) => stage.output_schema.as_ref(),
            Self::Tool(_) | Self::Function(_) | Self::Wait(_) => None,
        }
    }
}
