//! Iteration strategies of agents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
#[error("unknown iteration strategy `{0}`; known: {known}", known = IterationStrategy::names().join(", "))]
pub struct UnknownStrategy(pub String);

impl IterationStrategy {
    /// Every strategy.
    pub const ALL: [Self; 6] = [
        Self::React,
        Self::ReactStage,
        Self::ReactFinalAnalysis,
        Self::ReactTools,
        Self::ReactToolsPartial,
        Self::Regular,
    ];

    /// The name used in configuration and rows.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::React => "react",
            Self::ReactStage => "react-stage",
            Self::ReactFinalAnalysis => "react-final-analysis",
            Self::ReactTools => "react-tools",
            Self::ReactToolsPartial => "react-tools-partial",
            Self::Regular => "regular",
        }
    }

    /// All names, for messages.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|s| s.as_str()).collect()
    }

    /// Whether agents of this strategy may call tools.
    #[must_use]
    pub const fn uses_tools(self) -> bool {
        !matches!(self, Self::ReactFinalAnalysis)
    }
}

impl fmt::Display for IterationStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for IterationStrategy {
    type Err = UnknownStrategy;

    /// Accepts the kebab-case name and the upper-case constant (`REACT_STAGE`).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.to_ascii_lowercase().replace('_', "-");
        Self::ALL
            .into_iter()
            .find(|s| s.as_str() == name)
            .ok_or_else(|| UnknownStrategy(text.to_owned()))
    }
}
