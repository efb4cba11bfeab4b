//! Runs stages with configured agents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgConnection;
use tarsy_agent::{
    Agent, AgentBrief, CallDecision, RunError, StageOutcome, Task, Transcript, Verification,
};
use tarsy_config::{AgentConfig, Config, Guardrails};
use tarsy_llm::{ModelOptions, ModelWithFallbacks, Providers, RetryPolicy};
use tarsy_masking::Masker;
use tarsy_mcp::McpPool;
use tarsy_model::{FOLLOW_UP_CHAIN, RecordedInteraction, Role, SUB_AGENT_CHAIN, WaitDecision};
use tarsy_queue::{Connections, StopSignal, Waker};
use tarsy_store::Error;
use tarsy_store::children::task_of_child;
use tarsy_store::conversations::follow_up_context;
use tarsy_store::interactions::{StageFence, load_records};
use tarsy_store::stages::BegunStage;
use tarsy_store::waits::{DecidedCall, decided_calls};
use tokio::time::Instant;

use crate::answers::{Answers, ObservedModel};
use crate::configuration::{Configurations, StageConfiguration};
use crate::recorder::StageRecorder;
use crate::records::Records;
use crate::runner::{StageEnd, StageRunner};
use crate::secrets::Secrets;
use crate::sub_agents::{StageTools, SubAgents};
use crate::unstorable::{self, UNSTORABLE};

/// Recorded interactions of a stage, and the decisions about its calls.
type Recorded = (Vec<RecordedInteraction>, BTreeMap<i32, CallDecision>);

/// Runs stages with the agents of the configuration.
pub(crate) struct AgentRunner {
    pub(crate) config: Arc<Config>,
    pub(crate) providers: Providers,
    /// MCP servers of this process.
    pub(crate) servers: McpPool,
    /// Masks alert data before a model sees it.
    pub(crate) alert_masker: Arc<Masker>,
    /// Policies that stages of function `guard` apply.
    pub(crate) guardrails: Guardrails,
    /// Configurations that its stages run with.
    pub(crate) configurations: Configurations,
    pub(crate) records: Records,
    pub(crate) connections: Connections,
    /// Wakes chain workers for child sessions.
    pub(crate) waker: Waker,
    /// Streams answers to subscribers while they are generated; `None`: answers are only shown when complete.
    pub(crate) answers: Option<Answers>,
}

#[async_trait]
impl StageRunner for AgentRunner {
    async fn run(&self, stage: &BegunStage, fence: StageFence, stop: &StopSignal) -> StageEnd {
        let ran = match self.run_kind(stage, fence, stop).await {
            Some(ran) => ran,
            None => self.try_run(stage, fence, stop).await,
        };
        let (Ok(end) | Err(end)) = ran;
        match end {
            // Errors often quote the text that caused them.
            StageEnd::Failed { reason, class } => StageEnd::Failed {
                reason: self.alert_masker.mask_or_withhold(&reason),
                class,
            },
            end => end,
        }
    }

    async fn close(&self) {
        self.servers.close().await;
    }

    fn configuration(&self, stage: &BegunStage) -> Option<Arc<StageConfiguration>> {
        self.configurations
            .for_stage(stage, &self.config, &self.alert_masker)
    }

    fn approver(&self, server: &str) -> Role {
        let server = self.config.server(server);
        server.map_or(Role::Operator, |server| server.approve_role)
    }
}

impl AgentRunner {
    async fn try_run(
        &self,
        stage: &BegunStage,
        fence: StageFence,
        stop: &StopSignal,
    ) -> Result<StageEnd, StageEnd> {
        let agent = self.config.agent(stage.agent_name()).ok_or_else(|| {
            let known: Vec<&str> = self.config.agents.keys().map(String::as_str).collect();
            let reason = format!(
                "agent `{}` is not configured here; known: {}",
                stage.agent_name(),
                known.join(", ")
            );
            failed(reason, "not_configured")
        })?;
        let named = stage.llm_provider.as_ref().or(agent.llm_provider.as_ref());
        let model = self
            .model(
                named.map(String::as_str),
                Config::model_options(stage.model_options(), Some(agent)),
            )
            .map_err(|reason| failed(reason, "not_configured"))?;
        let verified = stage.verifies();
        let access = crate::servers::access(&self.config, agent);
        let access = match verified {
            Some(_) => crate::servers::read_only(access),
            None => access,
        };
        let tools = self
            .servers
            .agent(&access)
            .map_err(|error| failed(error.to_string(), "not_configured"))?;
        let named = match verified {
            Some(_) => &[][..],
            None => stage.sub_agents().unwrap_or(&agent.sub_agents),
        };
        let tools = StageTools {
            tools,
            sub_agents: (!named.is_empty()).then_some(SubAgents {
                named,
                config: &self.config,
                masker: &self.alert_masker,
                connections: &self.connections,
                waker: &self.waker,
                agent,
                stage,
                fence,
            }),
        };
        let brief = match stage.data.chain_id.as_str() {
            FOLLOW_UP_CHAIN => self.follow_up_brief(stage, agent).await?,
            SUB_AGENT_CHAIN => self.sub_agent_brief(stage, agent).await?,
            _ => self.brief(stage, agent),
        };
        let output = match verified {
            Some(of) => match self.verification_task(stage, of).await? {
                Some(task) => Some(task),
                None => {
                    let output = Verification::nothing(of);
                    return Ok(StageEnd::Completed { output });
                }
            },
            None => self.output_task(stage).await?,
        };
        let code = brief.code.filter(|_| verified.is_none());
        let asks = code.is_none() && verified.is_none() && brief.follow_up.is_none();
        let changes = match asks {
            true => self.prompt_changes(stage, fence).await?,
            false => Vec::new(),
        };
        let brief = AgentBrief {
            output,
            code,
            changes,
            ..brief
        };
        let (records, decisions) = self.records(stage).await?;
        let recorder = self.recorder(fence, stop);
        let deadline = self.deadline(stage);
        let model = self.observed(model, fence);
        let summarizer = self.summarizer(fence);
        let agent = Agent {
            model: &model,
            summarizer: summarizer.as_ref().map(|model| model as _),
            tools: &tools,
            recorder: &recorder,
        };
        let investigated = agent
            .run(
                Task::Investigate,
                &brief,
                Transcript::from_records(records).with_decisions(decisions),
                deadline,
                stop.token(),
            )
            .await;
        let outcome = match investigated {
            // The findings of a verifying stage are themselves a verdict on another answer.
            Ok((outcome, _)) if verified.is_some() => Ok(outcome),
            Ok((outcome, transcript)) => Ok(self
                .with_verdict(stage, &brief, outcome, &transcript)
                .await?),
            Err(error) => Err(error),
        };
        Ok(end_of(&fence, outcome))
    }

    pub(crate) fn recorder(&self, fence: StageFence, stop: &StopSignal) -> StageRecorder<'_> {
        StageRecorder {
            records: &self.records,
            connections: &self.connections,
            waker: &self.waker,
            fence,
            stop: stop.clone(),
            unkept: Mutex::default(),
            secrets: Secrets(&self.alert_masker),
        }
    }

    /// Wraps a model so that its answers are shown while they are generated.
    pub(crate) fn observed(&self, model: ModelWithFallbacks, fence: StageFence) -> ObservedModel {
        match &self.answers {
            Some(answers) => answers.observe(model, fence, &self.alert_masker),
            None => ObservedModel::unobserved(model, fence, &self.alert_masker),
        }
    }

    /// Returns the model that summarises long tool results. If there is none that can be called, the agent sees their
    /// first page.
    fn summarizer(&self, fence: StageFence) -> Option<ObservedModel> {
        let provider = self.config.summary_provider.as_deref()?;
        match self.model(Some(provider), ModelOptions::default()) {
            Ok(model) => Some(ObservedModel::unobserved(model, fence, &self.alert_masker)),
            Err(reason) => {
                tracing::warn!(provider, reason, "long tool results are not summarised");
                None
            }
        }
    }

    pub(crate) fn deadline(&self, stage: &BegunStage) -> Instant {
        Instant::now() + Duration::from_millis(u64::try_from(stage.remaining_ms).unwrap_or(0))
    }

    /// Returns the provider set by stage, chain or agent, or the default one, with its fallbacks and these options.
    pub(crate) fn model(
        &self,
        named: Option<&str>,
        options: ModelOptions,
    ) -> Result<ModelWithFallbacks, String> {
        let first = match named {
            Some(name) => self
                .config
                .provider(name)
                .ok_or_else(|| format!("LLM provider `{name}` is not configured here"))?,
            None => self.config.default_provider().ok_or(
                "no LLM provider is configured: set a key such as GEMINI_API_KEY or OPENAI_API_KEY",
            )?,
        };
        let candidates = self.config.with_fallbacks(first, &options).into_iter();
        let mut usable = candidates
            .map(|provider| provider.name.as_str())
            .filter(|name| self.providers.get(name).is_some());
        let preferred = usable.next().ok_or_else(|| {
            format!(
                "LLM provider `{}` can't be asked: {}",
                first.name,
                first.how_to_enable()
            )
        })?;
        let fallbacks: Vec<String> = usable.map(str::to_owned).collect();
        self.providers
            .with_fallbacks(preferred, &fallbacks, RetryPolicy::default())
            .map(|model| model.with_options(options))
            .map_err(|error| error.to_string())
    }

    fn brief(&self, stage: &BegunStage, agent: &AgentConfig) -> AgentBrief {
        let strategy = stage.strategy.as_deref().and_then(|name| name.parse().ok());
        let strategy = strategy
            .or(agent.iteration_strategy)
            .unwrap_or(self.config.default_strategy);
        let (config, masker) = (&self.config, &self.alert_masker);
        AgentBrief {
            started_at: stage.started_at_us,
            ..crate::agent_brief(config, agent, strategy, &stage.data, masker)
        }
    }

    /// Builds the brief of a follow-up question: that of its agent, about the session that the question is about.
    async fn follow_up_brief(
        &self,
        stage: &BegunStage,
        agent: &AgentConfig,
    ) -> Result<AgentBrief, StageEnd> {
        let session_id = stage.data.session_id;
        let reading = self.read(async |conn| follow_up_context(conn, session_id).await);
        let context = reading.await?.ok_or_else(|| {
            let reason = "the session that the question is about is gone";
            failed(reason, "unreadable")
        })?;
        let follow_up = crate::agent_brief::masked_follow_up(&self.alert_masker, context.follow_up);
        let stage = BegunStage {
            data: context.data,
            ..stage.clone()
        };
        Ok(AgentBrief {
            follow_up: Some(follow_up),
            ..self.brief(&stage, agent)
        })
    }

    /// Builds the brief of a child session: that of its agent, with its task.
    async fn sub_agent_brief(
        &self,
        stage: &BegunStage,
        agent: &AgentConfig,
    ) -> Result<AgentBrief, StageEnd> {
        let session_id = stage.data.session_id;
        let reading = self.read(async |conn| task_of_child(conn, session_id).await);
        let task = reading
            .await?
            .ok_or_else(|| failed("the task of the sub-agent is gone", "unreadable"))?;
        Ok(AgentBrief {
            task: Some(task),
            ..self.brief(stage, agent)
        })
    }

    /// Reads rows for a stage. The stage is tried again if they can't be read.
    pub(crate) async fn read<T>(
        &self,
        read: impl AsyncFnOnce(&mut PgConnection) -> Result<T, Error>,
    ) -> Result<T, StageEnd> {
        let read = self.connections.run(read).await;
        read.map_err(|error| StageEnd::Retry(error.into()))
    }

    pub(crate) async fn records(&self, stage: &BegunStage) -> Result<Recorded, StageEnd> {
        if !stage.resumed {
            return Ok(Recorded::default());
        }
        let reading = self.connections.run(async |conn| {
            let records = load_records(conn, stage.execution_id).await?;
            let decided = decided_calls(conn, stage.execution_id).await?;
            let decisions = decided
                .into_iter()
                .map(|call| (call.sequence, decision(call)));
            Ok::<_, Error>((records, decisions.collect()))
        });
        reading
            .await
            .map_err(|error| match error.is_unreadable() {
                true => {
                    tracing::error!(?error, stage.execution_id = %stage.execution_id, "failed to read the record of the stage");
                    failed("what the stage has recorded can't be read", "unreadable")
                }
                false => StageEnd::Retry(error.into()),
            })
    }
}

/// Returns the decision about a call, as text for the model.
fn decision(call: DecidedCall) -> CallDecision {
    let by = call.decided_by.as_deref().unwrap_or("nobody");
    let why = match call.decision {
        WaitDecision::Approved => return CallDecision::Approved,
        WaitDecision::Denied => {
            let reason = call.reason.as_deref().unwrap_or("not stated");
            format!("the call was not made: {by} denied it. Reason: {reason}")
        }
        _ => "the call was not made: it needs approval, and nobody decided in time".to_owned(),
    };
    CallDecision::Refused { why }
}

/// Returns the end of the stage for an agent's outcome.
pub(crate) fn end_of(fence: &StageFence, outcome: Result<StageOutcome, RunError>) -> StageEnd {
    match outcome {
        Ok(StageOutcome::Completed { output, .. }) => StageEnd::Completed { output },
        Ok(StageOutcome::Failed { reason, class }) => failed(reason, &class.to_string()),
        Err(RunError::Snooze(delay)) => StageEnd::Snooze(delay),
        Err(RunError::Wait(call)) => StageEnd::Wait(call),
        Err(RunError::WaitForSubAgents) => StageEnd::WaitForSubAgents,
        Err(RunError::Unstorable(error)) => {
            let reason = unstorable::reason(error.as_ref());
            failed(reason.unwrap_or_else(|| error.to_string()), UNSTORABLE)
        }
        Err(RunError::Unavailable(error)) => StageEnd::Retry(error),
        Err(RunError::Shortage(shortage)) => StageEnd::Shortage(shortage),
        Err(RunError::HandedOver) => StageEnd::HandedOver,
        Err(RunError::ClaimLost) => {
            tracing::warn!(
                stage.execution_id = %fence.execution_id, claim.epoch = fence.claim.epoch,
                "another worker holds this stage; its run ends here"
            );
            StageEnd::Stopped
        }
        Err(RunError::Cancelled) => StageEnd::Stopped,
    }
}

pub(crate) fn failed(reason: impl Into<String>, class: &str) -> StageEnd {
    StageEnd::Failed {
        reason: reason.into(),
        class: class.to_owned(),
    }
}
