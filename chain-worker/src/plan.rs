//! How a stage is to be run, as far as the chain worker decides it.

use std::collections::HashMap;
use std::time::Duration;

use tarsy_model::{IterationStrategy, StageDefinition};

/// Longest run of a stage whose agent names none: 600 s (DESIGN §6).
pub(crate) const DEFAULT_STAGE_TIMEOUT: Duration = Duration::from_secs(600);

/// What a stage row needs to know of its agent's configuration.
#[derive(Clone, Copy, Debug)]
pub struct StagePlan {
    /// Resolved: stage over agent over the system's default.
    pub strategy: IterationStrategy,
    /// Longest run, all workers together.
    pub timeout: Duration,
}

/// What a configured agent says about its stages.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentPlan {
    /// The agent's own strategy.
    pub strategy: Option<IterationStrategy>,
    /// Longest run of one of its stages.
    pub timeout: Option<Duration>,
}

/// Plans of all configured agents.
#[derive(Clone, Debug, Default)]
pub struct StagePlans {
    /// By agent name.
    pub agents: HashMap<String, AgentPlan>,
    /// Where neither stage nor agent names a strategy.
    pub default_strategy: IterationStrategy,
}

impl StagePlans {
    /// The plan of one stage. An agent that is not configured (any more) gets the defaults;
    /// the stage worker fails its stage with that reason.
    #[must_use]
    pub fn of(&self, stage: &StageDefinition) -> StagePlan {
        let agent = self.agents.get(&stage.agent).copied().unwrap_or_default();
        StagePlan {
            strategy: stage
                .iteration_strategy
                .or(agent.strategy)
                .unwrap_or(self.default_strategy),
            timeout: agent.timeout.unwrap_or(DEFAULT_STAGE_TIMEOUT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stage_speaks_before_the_agent_and_the_agent_before_the_default() {
        let mut plans = StagePlans {
            default_strategy: IterationStrategy::Regular,
            ..StagePlans::default()
        };
        let mut stage = StageDefinition {
            name: "analysis".into(),
            agent: "a".into(),
            iteration_strategy: None,
            pool: tarsy_model::Pool::default(),
            llm_provider: None,
        };
        assert_eq!(plans.of(&stage).strategy, IterationStrategy::Regular);
        let agent = AgentPlan {
            strategy: Some(IterationStrategy::ReactTools),
            timeout: None,
        };
        plans.agents.insert("a".into(), agent);
        assert_eq!(plans.of(&stage).strategy, IterationStrategy::ReactTools);
        stage.iteration_strategy = Some(IterationStrategy::ReactStage);
        assert_eq!(plans.of(&stage).strategy, IterationStrategy::ReactStage);
        assert_eq!(plans.of(&stage).timeout, DEFAULT_STAGE_TIMEOUT);
    }
}
