//! Dry run of a chain for one alert: agents, tools, size of prompts and cost. No model is called.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::Serialize;
use tarsy_agent::{
    Action, AgentBrief, DecisionContext, Model as _, ModelProfile, Transcript, next_action,
};
use tarsy_chain::{ChainDefinition, StageDefinition};
use tarsy_config::{AgentConfig, Config, ProviderConfig};
use tarsy_llm::{Providers, RetryPolicy};
use tarsy_masking::Masker;
use tarsy_mcp::{McpPool, ToolInfo};
use tarsy_model::{AlertProcessingData, IterationStrategy};

use crate::estimate::{Bounds, Tokens, Workload, dollars, tokens_of};
use crate::listing;
use crate::resolved_stage::ResolvedStage;

/// Dry run of one stage.
#[derive(Debug, Serialize)]
pub(crate) struct StageDryRun {
    #[serde(flatten)]
    pub(crate) resolved: ResolvedStage,
    /// Tools that the agent may call, as `server.tool`.
    pub(crate) tools: Vec<String>,
    /// Unreachable servers, each with the reason.
    pub(crate) unreachable: Vec<(String, String)>,
    /// Reason why the stage would fail at the moment.
    pub(crate) fails: Option<String>,
    /// Estimated tokens of all prompts and answers.
    pub(crate) tokens: Option<Bounds<Tokens>>,
    /// Estimated US dollars; `None`: a price is missing.
    pub(crate) usd: Option<Bounds<f64>>,
    /// Number of tokens that its result may add to later stages.
    #[serde(skip)]
    result_tokens: u64,
}

impl StageDryRun {
    /// Returns the dry run of a stage that no agent runs, which costs nothing.
    fn without_agent(resolved: ResolvedStage) -> Self {
        Self {
            resolved,
            tools: Vec::new(),
            unreachable: Vec::new(),
            fails: None,
            tokens: None,
            usd: Some(Bounds::default()),
            result_tokens: 0,
        }
    }
}

/// Runs chains without calling models.
pub(crate) struct DryRunner<'c> {
    pub(crate) config: &'c Config,
    pub(crate) chain: &'c ChainDefinition,
    providers: Providers,
    servers: McpPool,
    alert_masker: Masker,
}

impl<'c> DryRunner<'c> {
    /// Sets up providers and servers, without starting any.
    pub(crate) fn new(config: &'c Config, chain: &'c ChainDefinition) -> Result<Self> {
        let alert_masker = Masker::new(&config.alert_masking)
            .map_err(|problems| anyhow::anyhow!("failed to set up alert masking: {problems:?}"))?;
        Ok(Self {
            config,
            chain,
            providers: tarsy_stage_worker::providers(config)
                .context("failed to set up a provider")?,
            servers: tarsy_stage_worker::servers(config)
                .context("failed to set up an MCP server")?,
            alert_masker,
        })
    }

    /// Runs all stages. It starts the MCP servers of their agents and stops them afterwards.
    pub(crate) async fn run(&self, data: &AlertProcessingData) -> Result<Vec<StageDryRun>> {
        let mut stages: Vec<StageDryRun> = Vec::new();
        for stage in &self.chain.stages {
            let earlier = stages.iter().map(|stage| stage.result_tokens).sum();
            let data = AlertProcessingData {
                current_stage: stage.name.clone(),
                ..data.clone()
            };
            stages.push(self.stage(stage, &data, earlier).await?);
        }
        self.servers.close().await;
        Ok(stages)
    }

    async fn stage(
        &self,
        stage: &StageDefinition,
        data: &AlertProcessingData,
        earlier: u64,
    ) -> Result<StageDryRun> {
        let resolved = ResolvedStage::new(self.config, self.chain, stage);
        let (Some(name), Some(strategy)) = (stage.agent(), resolved.strategy) else {
            return Ok(StageDryRun::without_agent(resolved));
        };
        let missing = || format!("agent `{name}` is not configured");
        let agent = self.config.agent(name).with_context(missing)?;
        let view = self
            .servers
            .agent(&tarsy_stage_worker::access(self.config, agent))?;
        let listing = if strategy.uses_tools() {
            view.list().await
        } else {
            Default::default()
        };
        let mut dry_run = StageDryRun {
            tools: listing.tools.iter().map(ToolInfo::full_name).collect(),
            unreachable: listing.unavailable.clone(),
            fails: None,
            tokens: None,
            usd: None,
            result_tokens: 0,
            resolved,
        };
        let providers = self.config.provider_for(stage, self.chain);
        let Some(profile) = self.profile(&providers)? else {
            dry_run.fails = Some("no LLM provider has an API key".to_owned());
            return Ok(dry_run);
        };
        let brief =
            tarsy_stage_worker::agent_brief(self.config, agent, strategy, data, &self.alert_masker);
        let servers: Vec<String> = view.servers().into_iter().map(str::to_owned).collect();
        let records = listing::records(&servers, &listing);
        let transcript = Transcript::from_records(records);
        match first_question(&brief, &profile, &servers, &transcript) {
            Ok(prompt_tokens) => {
                let workload = Workload {
                    earlier_tokens: earlier,
                    has_tools: !dry_run.tools.is_empty(),
                    ..workload(strategy, agent, providers[0], &profile, prompt_tokens)
                };
                let tokens = workload.tokens();
                dry_run.result_tokens = workload.result_tokens();
                dry_run.tokens = Some(tokens);
                dry_run.usd = self.cost(&providers, tokens);
            }
            Err(reason) => dry_run.fails = Some(reason),
        }
        Ok(dry_run)
    }

    fn profile(&self, providers: &[&ProviderConfig]) -> Result<Option<ModelProfile>> {
        let Some((first, fallbacks)) = providers.split_first() else {
            return Ok(None);
        };
        let fallbacks: Vec<String> = fallbacks
            .iter()
            .map(|provider| provider.name.clone())
            .collect();
        let model =
            self.providers
                .with_fallbacks(&first.name, &fallbacks, RetryPolicy::default())?;
        Ok(Some(model.profile()))
    }

    /// Returns the bounds of the cost. The lower bound uses the first provider's price, the upper bound the highest
    /// price of all providers.
    fn cost(&self, providers: &[&ProviderConfig], tokens: Bounds<Tokens>) -> Option<Bounds<f64>> {
        let prices = providers
            .iter()
            .map(|provider| self.config.price_of(provider))
            .collect::<Option<Vec<_>>>()?;
        Some(Bounds {
            least: dollars(tokens.least, prices.first()?),
            most: prices
                .iter()
                .map(|price| dollars(tokens.most, price))
                .fold(0.0, f64::max),
        })
    }
}

fn workload(
    strategy: IterationStrategy,
    agent: &AgentConfig,
    first: &ProviderConfig,
    profile: &ModelProfile,
    prompt_tokens: u64,
) -> Workload {
    // As in the agents' own budget: room for the answer, and a tenth as a margin, are subtracted.
    let kept = profile.max_output_tokens.min(profile.context_window / 2);
    Workload {
        strategy,
        prompt_tokens,
        earlier_tokens: 0,
        answer_tokens: first
            .max_tokens
            .map_or(profile.max_output_tokens as u64, u64::from),
        window_tokens: ((profile.context_window - kept) / 10 * 9) as u64,
        limits: agent.limits,
        has_tools: true,
    }
}

/// Returns the tokens of the agent's first prompt, or the reason why it sends none.
fn first_question(
    brief: &AgentBrief,
    profile: &ModelProfile,
    servers: &[String],
    transcript: &Transcript,
) -> Result<u64, String> {
    let context = DecisionContext {
        transcript,
        brief,
        profile,
        summarizer: None,
        servers,
        remaining: Duration::from_secs(3_600),
        reserve: Duration::ZERO,
    };
    match next_action(&context) {
        Action::AskModel(question) => {
            let message_bytes: usize = question
                .messages
                .iter()
                .map(|message| message.content.chars().count())
                .sum();
            let offered: usize = question
                .tools
                .iter()
                .map(|tool| {
                    tool.name.len() + tool.description.len() + tool.input_schema.to_string().len()
                })
                .sum();
            Ok(tokens_of(message_bytes + offered))
        }
        Action::Finish(tarsy_agent::StageOutcome::Failed { reason, .. }) => Err(reason),
        other => Err(format!(
            "the agent would not call its model first: {other:?}"
        )),
    }
}
