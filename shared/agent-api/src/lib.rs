//! Agents written in Rust: a function from what has happened to the next step. See `docs/CUSTOM-AGENTS.md`.
//!
//! The stage worker carries out each step as it does for agents of the configuration: it records the step before and after,
//! masks it, counts it against the limits, and asks a person where the configuration wants that.

use std::fmt;

use serde_json::Value;

/// An agent written in Rust.
///
/// It must be pure: the same case must give the same step, because a stage that was interrupted is replayed through it. It
/// has no state, no clock and no I/O, and must not block. A panic fails the stage.
pub trait CodeAgent: Send + Sync {
    /// The name that `code` of a configured agent gives. Unique.
    fn name(&self) -> &'static str;

    /// The next step of a stage.
    fn next(&self, case: &Case<'_>) -> Step;
}

impl fmt::Debug for dyn CodeAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a step decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Ask the agent's model. The answer is the next event. A model that fails is retried as the limits say, then the
    /// stage fails.
    Ask {
        /// System message.
        system: String,
        /// User message. Put what others wrote between marks with [`Case::quote`].
        prompt: String,
    },
    /// Call a tool. The result, a refusal included, is the next event.
    Call {
        /// A name of [`Case::tools`].
        tool: String,
        /// Arguments, an object.
        arguments: Value,
    },
    /// End with this analysis, in Markdown.
    Conclude(String),
    /// End without one, for this reason.
    Fail(String),
}

/// What has come of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The model answered.
    Answer(String),
    /// A tool was called.
    ToolResult {
        /// Its full name, `server.tool`.
        tool: String,
        /// What it answered; or why it failed, was refused or denied, or that its outcome is unknown.
        result: Result<String, String>,
    },
}

/// A tool that may be called.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    /// MCP server.
    pub server: &'a str,
    /// Name at the server; [`Step::Call`] takes it alone where no other server has it, or as `server.name`.
    pub name: &'a str,
    /// For models.
    pub description: &'a str,
    /// JSON Schema of the arguments.
    pub input_schema: &'a Value,
}

/// An earlier stage of the chain.
#[derive(Clone, Copy, Debug)]
pub struct EarlierStage<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its result, or why it failed.
    pub result: Result<&'a str, &'a str>,
}

/// All that a step may depend on. Secrets in it are masked.
pub struct Case<'a> {
    /// Alert type.
    pub alert_type: &'a str,
    /// Severity.
    pub severity: &'a str,
    /// The alert's data.
    pub alert: &'a Value,
    /// Runbook; empty if there is none.
    pub runbook: &'a str,
    /// The question, if a person asks about an ended session, or the task, if another agent dispatched this one.
    pub task: Option<&'a str>,
    /// `custom_instructions` of the configured agent.
    pub instructions: &'a str,
    /// Stages before this one.
    pub earlier: Vec<EarlierStage<'a>>,
    /// Tools of the configured MCP servers.
    pub tools: Vec<Tool<'a>>,
    /// What has happened in this stage, oldest first.
    pub events: &'a [Event],
    /// Whether a limit or the time is reached: of further steps only one last [`Step::Ask`] is carried out.
    pub must_conclude: bool,
    /// Puts text between marks that its author can't forge.
    pub quoting: &'a dyn Fn(&str, &str) -> String,
}

impl Case<'_> {
    /// `text` between marks with this label, so that a model takes it for data and not for instructions.
    #[must_use]
    pub fn quote(&self, label: &str, text: &str) -> String {
        (self.quoting)(label, text)
    }
}
