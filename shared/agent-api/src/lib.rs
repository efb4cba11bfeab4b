//! Interface for agents written in Rust. An agent is a function from past events to the next step. See
//! `docs/CUSTOM-AGENTS.md`.
//!
//! The stage worker performs each step as it does for agents of the configuration. It records the step before and
//! after, masks it, counts it against the limits, and asks a person for approval if the configuration requires that.

use std::fmt;

use serde_json::Value;

/// An agent written in Rust.
///
/// It must be pure: the same case must give the same step, because an interrupted stage is replayed through it. It
/// must have no state, no clock and no I/O, and must not block. A panic fails the stage.
pub trait CodeAgent: Send + Sync {
    /// Returns the name that the `code` key of a configured agent refers to. It must be unique.
    fn name(&self) -> &'static str;

    /// Returns the next step of a stage.
    fn next(&self, case: &Case<'_>) -> Step;
}

impl fmt::Debug for dyn CodeAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The next step of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Ask the agent's model. The answer is the next event. A failed model call is retried within the limits; then
    /// the stage fails.
    Ask {
        /// System message.
        system: String,
        /// User message. Put untrusted text between marks with [`Case::quote`].
        prompt: String,
    },
    /// Call a tool. The next event is its result, or its refusal.
    Call {
        /// Name of one of [`Case::tools`].
        tool: String,
        /// Arguments, an object.
        arguments: Value,
    },
    /// End with this analysis, in Markdown.
    Conclude(String),
    /// End without an analysis, for this reason.
    Fail(String),
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The model answered.
    Answer(String),
    /// A tool was called.
    ToolResult {
        /// Full name of the tool, `server.tool`.
        tool: String,
        /// The tool's answer. The error states why the call failed, was refused or denied, or that its outcome is
        /// unknown.
        result: Result<String, String>,
    },
}

/// A tool that may be called.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    /// Id of the MCP server.
    pub server: &'a str,
    /// Name at the server. [`Step::Call`] accepts it alone if no other server has a tool of this name, or as
    /// `server.name`.
    pub name: &'a str,
    /// Description for models.
    pub description: &'a str,
    /// JSON Schema of the arguments.
    pub input_schema: &'a Value,
}

/// An earlier stage of the chain.
#[derive(Clone, Copy, Debug)]
pub struct EarlierStage<'a> {
    /// Name of the stage.
    pub name: &'a str,
    /// Result of the stage, or why it failed.
    pub result: Result<&'a str, &'a str>,
}

/// All data that a step may depend on. Secrets in it are masked.
pub struct Case<'a> {
    /// Alert type.
    pub alert_type: &'a str,
    /// Severity.
    pub severity: &'a str,
    /// The alert's data.
    pub alert: &'a Value,
    /// Runbook; empty if there is none.
    pub runbook: &'a str,
    /// The question, if a person asks about an ended session; the task, if another agent dispatched this one.
    pub task: Option<&'a str>,
    /// `custom_instructions` of the configured agent.
    pub instructions: &'a str,
    /// Stages before this one.
    pub earlier: Vec<EarlierStage<'a>>,
    /// Tools of the configured MCP servers.
    pub tools: Vec<Tool<'a>>,
    /// Events of this stage so far, oldest first.
    pub events: &'a [Event],
    /// Whether a limit or the end of the time is reached. If so, the agent should conclude. It may first make one
    /// last [`Step::Ask`]; any other question or call fails the stage.
    pub must_conclude: bool,
    /// Function that puts text between marks that its author can't forge. Use [`Case::quote`].
    pub quoting: &'a dyn Fn(&str, &str) -> String,
}

impl Case<'_> {
    /// Returns `text` between marks with this label, so that a model treats it as data and not as instructions.
    #[must_use]
    pub fn quote(&self, label: &str, text: &str) -> String {
        (self.quoting)(label, text)
    }
}
