//! Plans of stages, as resolved when a stage becomes due.

use std::collections::HashMap;
use std::time::Duration;

use tarsy_model::{IterationStrategy, StageDefinition, agent_requirement, provider_requirement};

use crate::{AgentLimits, Config};

/// Longest run of a stage whose agent names none: 600 s.
const DEFAULT_STAGE_TIMEOUT: Duration = Duration::from_secs(600);

/// What a stage row needs to know of its agent's configuration.
#[derive(Clone, Debug)]
pub struct StagePlan {
    /// Resolved: stage over agent over the system's default.
    pub strategy: IterationStrategy,
    /// Named by the stage, else the agent, else the chain; `None`: the fleet's default.
    pub llm_provider: Option<String>,
    /// Longest run, all workers together.
    pub timeout: Duration,
}

/// What a configured agent says about its stages.
#[derive(Clone, Debug, Default)]
pub struct AgentPlan {
    /// The agent's own strategy.
    pub strategy: Option<IterationStrategy>,
    /// The agent's own provider.
    pub llm_provider: Option<String>,
    /// Longest run of one of its stages.
    pub timeout: Option<Duration>,
    /// Longest wait of one of its stages for rate limits.
    pub rate_limit_wait: Option<Duration>,
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
    /// Whether this process's configuration has the agent.
    #[must_use]
    pub fn knows(&self, agent: &str) -> bool {
        self.agents.contains_key(agent)
    }

    /// How long a stage of this agent may wait for rate limits, all waits together.
    #[must_use]
    pub fn rate_limit_wait(&self, agent: &str) -> Duration {
        let plan = self.agents.get(agent);
        plan.and_then(|plan| plan.rate_limit_wait)
            .unwrap_or(AgentLimits::default().rate_limit_wait)
    }

    /// The plan of one stage of a chain that names `chain_provider`. An agent that is not
    /// configured (any more) gets the defaults; the stage worker fails its stage with that reason.
    #[must_use]
    pub fn of(&self, stage: &StageDefinition, chain_provider: Option<&str>) -> StagePlan {
        let agent = self.agents.get(&stage.agent).cloned().unwrap_or_default();
        let named = stage.llm_provider.as_ref().or(agent.llm_provider.as_ref());
        StagePlan {
            llm_provider: named
                .map(String::as_str)
                .or(chain_provider)
                .map(str::to_owned),
            strategy: stage
                .iteration_strategy
                .or(agent.strategy)
                .unwrap_or(self.default_strategy),
            timeout: agent.timeout.unwrap_or(DEFAULT_STAGE_TIMEOUT),
        }
    }
}

impl Config {
    /// What a stage worker with this configuration offers: its agents and LLM providers, by name. A provider
    /// whose key is missing counts: that is a mistake to be told at once, not a reason to wait.
    #[must_use]
    pub fn offers(&self) -> Vec<String> {
        let agents = self.agents.keys().map(|name| agent_requirement(name));
        let providers = self.providers.keys();
        agents
            .chain(providers.map(|name| provider_requirement(name)))
            .collect()
    }

    /// What the configured agents say about their stages.
    #[must_use]
    pub fn stage_plans(&self) -> StagePlans {
        let agents = self.agents.iter().map(|(name, agent)| {
            let plan = AgentPlan {
                strategy: agent.iteration_strategy,
                llm_provider: agent.llm_provider.clone(),
                timeout: Some(agent.limits.stage_timeout),
                rate_limit_wait: Some(agent.limits.rate_limit_wait),
            };
            (name.clone(), plan)
        });
        StagePlans {
            agents: agents.collect(),
            default_strategy: self.default_strategy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stage_speaks_before_the_agent_and_the_agent_before_chain_and_default() {
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
            schedule_timeout_ms: None,
        };
        let plan = plans.of(&stage, Some("of-chain"));
        assert_eq!(plan.strategy, IterationStrategy::Regular);
        assert_eq!(plan.llm_provider.as_deref(), Some("of-chain"));
        assert_eq!(plan.timeout, DEFAULT_STAGE_TIMEOUT);

        let agent = AgentPlan {
            strategy: Some(IterationStrategy::ReactTools),
            llm_provider: Some("of-agent".into()),
            timeout: None,
            rate_limit_wait: None,
        };
        plans.agents.insert("a".into(), agent);
        let plan = plans.of(&stage, Some("of-chain"));
        assert_eq!(plan.strategy, IterationStrategy::ReactTools);
        assert_eq!(plan.llm_provider.as_deref(), Some("of-agent"));

        stage.iteration_strategy = Some(IterationStrategy::ReactStage);
        stage.llm_provider = Some("of-stage".into());
        let plan = plans.of(&stage, Some("of-chain"));
        assert_eq!(plan.strategy, IterationStrategy::ReactStage);
        assert_eq!(plan.llm_provider.as_deref(), Some("of-stage"));
    }
}
