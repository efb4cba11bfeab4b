//! Iteration strategies of agents.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::words;

/// How an agent gets from the question to the conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IterationStrategy {
    /// Thought, Action, Observation until a Final Answer. The default.
    #[default]
    React,
    /// ReAct on the part of a longer chain that this stage has.
    ReactStage,
    /// One call, without tools, over the results of all earlier stages.
    ReactFinalAnalysis,
    /// ReAct that only collects data for later stages and draws no conclusion.
    ReactTools,
    /// ReAct that collects data and adds a partial analysis.
    ReactToolsPartial,
    /// The provider's native tool calling, without Thought/Action text.
    Regular,
}

/// A strategy that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("unknown iteration strategy `{0}`; known: {known}", known = IterationStrategy::WORDS.join(", "))]
pub struct UnknownStrategy(pub String);

words!(IterationStrategy {
    React => "react",
    ReactStage => "react-stage",
    ReactFinalAnalysis => "react-final-analysis",
    ReactTools => "react-tools",
    ReactToolsPartial => "react-tools-partial",
    Regular => "regular",
});

impl IterationStrategy {
    /// Whether agents of this strategy may call tools.
    #[must_use]
    pub const fn uses_tools(self) -> bool {
        !matches!(self, Self::ReactFinalAnalysis)
    }
}

impl FromStr for IterationStrategy {
    type Err = UnknownStrategy;

    /// Accepts the kebab-case name and the upper-case constant (`REACT_STAGE`).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.to_ascii_lowercase().replace('_', "-");
        Self::from_word(&name).ok_or_else(|| UnknownStrategy(text.to_owned()))
    }
}
