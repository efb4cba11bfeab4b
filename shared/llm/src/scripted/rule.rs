//! A rule of a script: its conditions and its answer.

use serde::Deserialize;
use serde_json::Value;

use crate::{ChatRequest, ErrorClass};

/// A condition and an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// Conditions that must all hold; empty: the rule always applies.
    #[serde(default)]
    pub(super) when: When,
    pub(super) reply: Reply,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct When {
    stage: Option<String>,
    agent: Option<String>,
    strategy: Option<String>,
    iteration: Option<Iteration>,
    native_tools: Option<bool>,
    contains: OneOrMany,
    last_contains: OneOrMany,
}

/// Matching iterations: `3`, `[1, 2]` or `{ from: 4 }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Iteration {
    One(usize),
    Many(Vec<usize>),
    From { from: usize },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl OneOrMany {
    fn all(&self, mut holds: impl FnMut(&str) -> bool) -> bool {
        match self {
            Self::One(text) => holds(text),
            Self::Many(texts) => texts.iter().all(|text| holds(text)),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) thinking: Option<String>,
    pub(super) tool_calls: Vec<ScriptedCall>,
    pub(super) usage: Option<ScriptedUsage>,
    pub(super) delay_ms: u64,
    pub(super) error: Option<ScriptedError>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedCall {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: Option<Value>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedUsage {
    pub(super) input_tokens: i64,
    pub(super) output_tokens: i64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedError {
    pub(super) class: ErrorClass,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) retry_after_ms: Option<u64>,
}

impl When {
    /// Whether the rule applies. `iteration` counts from 1.
    pub(super) fn matches(&self, request: &ChatRequest, iteration: usize) -> bool {
        let label = |wanted: &Option<String>, is: &Option<String>| {
            wanted
                .as_ref()
                .is_none_or(|wanted| Some(wanted) == is.as_ref())
        };
        let at = match &self.iteration {
            None => true,
            Some(Iteration::One(one)) => iteration == *one,
            Some(Iteration::Many(many)) => many.contains(&iteration),
            Some(Iteration::From { from }) => iteration >= *from,
        };
        at && label(&self.stage, &request.labels.stage)
            && label(&self.agent, &request.labels.agent)
            && label(&self.strategy, &request.labels.strategy)
            && self
                .native_tools
                .is_none_or(|wanted| wanted == (!request.tools.is_empty() && !request.forbid_tools))
            && self.contains.all(|text| {
                request
                    .messages
                    .iter()
                    .any(|message| message.content.contains(text))
            })
            && self.last_contains.all(|text| {
                request
                    .messages
                    .last()
                    .is_some_and(|message| message.content.contains(text))
            })
    }
}
