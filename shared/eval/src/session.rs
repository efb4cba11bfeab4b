//! Reads an ended session from the output of `tarsy export --format json`.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Error;
use crate::server::{DIAGNOSIS_SERVER, NO_DATA};

/// Data of a session that scores are computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// `completed`, `failed` and so on.
    pub status: String,
    /// The checked verdict, if the fleet gives one.
    pub verdict: Option<String>,
    /// The answer.
    pub answer: Option<String>,
    /// Tool calls, in their order; without pages of results and answers of sub-agents.
    pub calls: Vec<Call>,
    /// The diagnosis that the session was given before a model was asked.
    pub diagnosis: Option<String>,
    /// Replies of models.
    pub replies: usize,
    /// Replies that were a call or a conclusion.
    pub readable_replies: usize,
    /// Tokens of all model calls.
    pub tokens: u64,
    /// Estimated dollars of the model calls that have a price.
    pub cost_usd: f64,
    /// Seconds from the session's start to its end.
    pub seconds: f64,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name of the tool at its server.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Whether the call succeeded.
    pub success: bool,
    /// Whether it was not sent: no such tool, arguments against the schema, a repetition.
    pub refused: bool,
    /// Whether no record answered the call.
    pub is_missing: bool,
    /// Result of the call.
    pub result: String,
}

#[derive(Deserialize)]
struct Exported {
    status: String,
    #[serde(default)]
    verdict: Option<String>,
    #[serde(default)]
    final_analysis: Option<String>,
    #[serde(default)]
    duration_ms: Option<f64>,
    #[serde(default)]
    stages: Vec<Stage>,
}

#[derive(Deserialize)]
struct Stage {
    #[serde(default)]
    chronological_interactions: Vec<Interaction>,
}

#[derive(Deserialize)]
struct Interaction {
    #[serde(rename = "type")]
    kind: String,
    iteration: i64,
    success: Option<bool>,
    error_message: Option<String>,
    details: Map<String, Value>,
}

impl Interaction {
    fn text(&self, name: &str) -> &str {
        self.details
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    fn is_call(&self) -> bool {
        self.kind == "mcp" && self.text("communication_type") == "tool_call"
    }

    fn call(&self) -> Call {
        let result = match self.details.get("result") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        let reason = self.error_message.as_deref().unwrap_or_default();
        let arguments = self.details.get("parameters").and_then(Value::as_object);
        Call {
            tool: self.text("tool_name").to_owned(),
            arguments: arguments.cloned().unwrap_or_default(),
            success: self.success == Some(true),
            refused: self.details.get("refused") == Some(&Value::Bool(true)),
            is_missing: result.contains(NO_DATA) || reason.contains(NO_DATA),
            result,
        }
    }
}

impl Session {
    /// Reads an export.
    ///
    /// # Errors
    ///
    /// [`Error::Session`].
    pub fn read(export: &str) -> Result<Self, Error> {
        let exported: Exported = serde_json::from_str(export).map_err(Error::Session)?;
        let mut session = Self {
            status: exported.status,
            verdict: exported.verdict,
            answer: exported.final_analysis,
            seconds: exported.duration_ms.unwrap_or_default() / 1_000.0,
            ..Self::default()
        };
        for stage in &exported.stages {
            session.add(&stage.chronological_interactions);
        }
        Ok(session)
    }

    /// Adds the calls and replies of a stage.
    fn add(&mut self, interactions: &[Interaction]) {
        let own = ["tarsy", "sub-agents"];
        for call in interactions.iter().filter(|one| one.is_call()) {
            let server = call.text("server_name");
            if server.starts_with(DIAGNOSIS_SERVER) {
                self.diagnosis = Some(call.call().result);
            } else if !own.contains(&server) {
                self.calls.push(call.call());
            }
        }
        let is_reply =
            |one: &Interaction| one.kind == "llm" && one.text("purpose") != "result_summary";
        let last = interactions.iter().rposition(is_reply);
        for (position, reply) in interactions.iter().enumerate() {
            if reply.kind != "llm" || reply.success != Some(true) {
                continue;
            }
            let total = reply.details.get("total_tokens").and_then(Value::as_u64);
            self.tokens += total.unwrap_or_default();
            let cost = reply.details.get("cost_usd").and_then(Value::as_f64);
            self.cost_usd += cost.unwrap_or_default();
            if !is_reply(reply) {
                continue;
            }
            self.replies += 1;
            let called = interactions
                .iter()
                .any(|one| one.is_call() && one.iteration == reply.iteration);
            if called || Some(position) == last || reply.text("purpose") != "iteration" {
                self.readable_replies += 1;
            }
        }
    }
}

/// Returns the estimated dollars of a session's model calls, including failed ones. For a running session, this is
/// the cost so far.
#[must_use]
pub fn cost_usd(session: &Value) -> f64 {
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    let stages = list(session, "stages").into_iter();
    let calls = stages.flat_map(|stage| list(&stage, "chronological_interactions"));
    calls
        .filter_map(|call| call["details"]["cost_usd"].as_f64())
        .sum()
}
