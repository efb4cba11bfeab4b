//! Plans of stages: strategy, provider and timeout, resolved from stage, agent, chain and defaults.

use std::collections::HashMap;
use std::time::Duration;

use tarsy_chain::{BranchSource, Branches, ChainDefinition, Function, StageDefinition, StageKind};
use tarsy_model::{
    ASK_REQUIREMENT, DISPATCH_REQUIREMENT, IterationStrategy, agent_offers, function_requirement,
    provider_requirement, server_requirement,
};

use crate::{AgentLimits, Config};

/// Longest run of a stage whose agent sets no limit.
const DEFAULT_STAGE_TIMEOUT: Duration = Duration::from_secs(600);

/// The part of the configuration that a stage's row stores.
#[derive(Clone, Debug)]
pub struct StagePlan {
    /// Strategy of the stage, or else of the agent, or else the system's default. `None`: no agent runs it.
    pub strategy: Option<IterationStrategy>,
    /// Provider named by the stage, or else the agent, or else the chain; `None`: the default provider.
    pub llm_provider: Option<String>,
    /// Longest run, over all workers that run it one after another.
    pub timeout: Duration,
}

/// An agent's settings for its stages.
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
    /// Strategy if neither stage nor agent names one.
    pub default_strategy: IterationStrategy,
    /// Limits of stages that no agent runs.
    pub limits: AgentLimits,
}

impl StagePlans {
    /// Whether the stage can be planned here: it is resolved, or its agent is configured.
    #[must_use]
    pub fn can_plan(&self, stage: &StageDefinition) -> bool {
        let is_known = |agent| self.agents.contains_key(agent);
        stage.is_resolved() || stage.agent().is_none_or(is_known)
    }

    /// Returns the chain in the form that a session stores. Strategy, provider and timeout of every stage are filled
    /// in, and also which agents give the session a label. So workers with other configurations plan its stages in the
    /// same way.
    #[must_use]
    pub fn resolve(&self, chain: &ChainDefinition) -> ChainDefinition {
        let mut resolved = chain.clone();
        for stage in &mut resolved.stages {
            let plan = self.plan(stage, chain.llm_provider.as_deref());
            match &mut stage.kind {
                StageKind::Agent(kind) | StageKind::SubAgent(kind) => {
                    kind.iteration_strategy = plan.strategy;
                    kind.llm_provider = plan.llm_provider;
                }
                StageKind::Ask(kind) => kind.llm_provider = plan.llm_provider,
                StageKind::Tool(_) | StageKind::Function(_) | StageKind::Wait(_) => {}
            }
            self.resolve_agents(stage, chain.llm_provider.as_deref());
            stage.timeout_ms = Some(u64::try_from(plan.timeout.as_millis()).unwrap_or(u64::MAX));
        }
        resolved.assign_labels();
        resolved
    }

    /// Returns the chain that answers questions about sessions of `chain`, in the form that its session stores. `None`:
    /// the chain has no stage.
    #[must_use]
    pub fn follow_up(&self, chain: &ChainDefinition) -> Option<ChainDefinition> {
        let chain = tarsy_chain::follow_up(chain)?;
        Some(self.resolve(&chain))
    }

    /// Fills in strategy, provider and timeout of the agents of a stage's branches.
    fn resolve_agents(&self, stage: &mut StageDefinition, chain_provider: Option<&str>) {
        let unresolved = StageDefinition {
            timeout_ms: None,
            ..stage.clone()
        };
        let Some(Branches {
            source: BranchSource::Agents(agents),
            ..
        }) = &mut stage.branches
        else {
            return;
        };
        let mut branch = 0;
        for agent in agents {
            let plan = self.plan(&unresolved.for_branch(branch), chain_provider);
            branch += i32::try_from(agent.replicas).unwrap_or(i32::MAX);
            agent.iteration_strategy = plan.strategy;
            agent.llm_provider = plan.llm_provider;
            agent.timeout_ms = u64::try_from(plan.timeout.as_millis()).ok();
        }
    }

    /// Returns how long a stage of this agent may wait for rate limits in total.
    #[must_use]
    pub fn rate_limit_wait(&self, agent: &str) -> Duration {
        let plan = self.agents.get(agent);
        plan.and_then(|plan| plan.rate_limit_wait)
            .unwrap_or(AgentLimits::default().rate_limit_wait)
    }

    /// Returns the plan of one stage of a chain that names `chain_provider`.
    ///
    /// A resolved stage contains everything itself. A stage that is not resolved and whose agent is not configured here
    /// gets the defaults.
    #[must_use]
    pub fn plan(&self, stage: &StageDefinition, chain_provider: Option<&str>) -> StagePlan {
        let configured = stage.agent().and_then(|agent| self.agents.get(agent));
        let agent = configured.filter(|_| !stage.is_resolved());
        let agent = agent.cloned().unwrap_or_default();
        let named = stage.kind.llm_provider().or(agent.llm_provider.as_deref());
        let named = named.or(chain_provider.filter(|_| stage.kind.asks_model()));
        let default_timeout = match &stage.kind {
            StageKind::Agent(_) | StageKind::SubAgent(_) => DEFAULT_STAGE_TIMEOUT,
            _ => self.limits.stage_timeout,
        };
        StagePlan {
            llm_provider: named.map(str::to_owned),
            strategy: stage.kind.as_agent().map(|kind| {
                let named = kind.iteration_strategy.or(agent.strategy);
                match (named.unwrap_or(self.default_strategy), &kind.verifies) {
                    (IterationStrategy::Regular, _) => IterationStrategy::Regular,
                    // A verifying stage concludes and may call tools, whatever strategy its agent has elsewhere.
                    (_, Some(_)) => IterationStrategy::React,
                    (strategy, None) => strategy,
                }
            }),
            timeout: stage
                .timeout_ms
                .map(Duration::from_millis)
                .or(agent.timeout)
                .unwrap_or(default_timeout),
        }
    }
}

impl Config {
    /// Returns what a stage worker with this configuration offers: its agents, LLM providers and enabled MCP servers,
    /// by name. A provider without a key counts too, because a missing key is a mistake to report at once, not a reason
    /// to wait.
    #[must_use]
    pub fn offers(&self) -> Vec<String> {
        let agents = self.agents.keys().flat_map(|name| agent_offers(name));
        let providers = self.providers.keys().map(|name| provider_requirement(name));
        let servers = self.servers.values().filter(|server| server.enabled);
        let servers = servers.map(|server| server_requirement(&server.server_id));
        let functions = Function::WORDS
            .iter()
            .map(|name| function_requirement(name));
        let kinds = [ASK_REQUIREMENT, DISPATCH_REQUIREMENT]
            .map(str::to_owned)
            .into_iter()
            .chain(functions);
        agents
            .chain(providers)
            .chain(servers)
            .chain(kinds)
            .collect()
    }

    /// Returns the plans for stages of all configured agents.
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
            limits: self.limits,
        }
    }
}

#[cfg(test)]
mod tests {
    use tarsy_chain::AgentStage;
    use tarsy_model::ModelOptions;

    use super::*;

    #[test]
    fn the_stage_precedes_the_agent_and_the_agent_precedes_chain_and_default() {
        let mut plans = StagePlans {
            default_strategy: IterationStrategy::Regular,
            ..StagePlans::default()
        };
        let mut stage = StageDefinition::new("analysis", "a");
        let plan = plans.plan(&stage, Some("of-chain"));
        assert_eq!(plan.strategy, Some(IterationStrategy::Regular));
        assert_eq!(plan.llm_provider.as_deref(), Some("of-chain"));
        assert_eq!(plan.timeout, DEFAULT_STAGE_TIMEOUT);

        let agent = AgentPlan {
            strategy: Some(IterationStrategy::ReactTools),
            llm_provider: Some("of-agent".into()),
            timeout: None,
            rate_limit_wait: None,
        };
        plans.agents.insert("a".into(), agent);
        let plan = plans.plan(&stage, Some("of-chain"));
        assert_eq!(plan.strategy, Some(IterationStrategy::ReactTools));
        assert_eq!(plan.llm_provider.as_deref(), Some("of-agent"));

        stage.kind = StageKind::Agent(AgentStage {
            agent: "a".into(),
            iteration_strategy: Some(IterationStrategy::ReactStage),
            llm_provider: Some("of-stage".into()),
            output_schema: None,
            sub_agents: None,
            labels: Vec::new(),
            verifies: None,
            model_options: ModelOptions::default(),
        });
        let plan = plans.plan(&stage, Some("of-chain"));
        assert_eq!(plan.strategy, Some(IterationStrategy::ReactStage));
        assert_eq!(plan.llm_provider.as_deref(), Some("of-stage"));
    }

    #[test]
    fn a_resolved_chain_is_planned_alike_by_every_configuration() {
        let stage = |name: &str, agent: &str| StageDefinition::new(name, agent);
        let chain = ChainDefinition {
            chain_id: "c".into(),
            alert_types: vec!["t".into()],
            stages: vec![stage("collect", "new"), stage("report", "plain")],
            description: None,
            llm_provider: None,
            on_runbook_error: tarsy_chain::OnRunbookError::Continue,
            chat: None,
            labels: Vec::new(),
        };
        let agent = |strategy, provider: Option<&str>, seconds: Option<u64>| AgentPlan {
            strategy,
            llm_provider: provider.map(str::to_owned),
            timeout: seconds.map(Duration::from_secs),
            rate_limit_wait: None,
        };
        let plans = |agents: Vec<(&str, AgentPlan)>, default_strategy| StagePlans {
            agents: agents
                .into_iter()
                .map(|(name, plan)| (name.to_owned(), plan))
                .collect(),
            default_strategy,
            ..StagePlans::default()
        };
        let collects = agent(Some(IterationStrategy::ReactTools), Some("p"), Some(7));
        let known = vec![("new", collects), ("plain", AgentPlan::default())];
        let resolved = plans(known, IterationStrategy::React).resolve(&chain);
        assert!(resolved.stages.iter().all(StageDefinition::is_resolved));

        let other = agent(Some(IterationStrategy::Regular), Some("other"), Some(9));
        for worker in [
            StagePlans::default(),
            plans(
                vec![("new", other.clone()), ("plain", other)],
                IterationStrategy::ReactStage,
            ),
        ] {
            let planned = resolved.stages.iter().map(|stage| {
                assert!(worker.can_plan(stage));
                let plan = worker.plan(stage, None);
                (plan.strategy, plan.llm_provider, plan.timeout)
            });
            let expected = [
                (
                    Some(IterationStrategy::ReactTools),
                    Some("p".to_owned()),
                    Duration::from_secs(7),
                ),
                (Some(IterationStrategy::React), None, DEFAULT_STAGE_TIMEOUT),
            ];
            assert_eq!(planned.collect::<Vec<_>>(), expected);
        }
    }
}
