//! Runs stages without an agent: `ask`, `tool` and `function`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::{Value, json};
use tarsy_agent::{
    Agent, AgentBrief, AskTask, CallTask, Model, ModelAnswer, ModelProfile, NotListed, RunError,
    Task, ToolCall, Tools, Transcript,
};
use tarsy_chain::{
    Arguments, AskStage, Facts, Function, FunctionStage, OutputSchema, StageKind, Template,
    ToolStage,
};
use tarsy_llm::ChatRequest;
use tarsy_mcp::{AgentAccess, ListedServer, ServerGrant};
use tarsy_model::{IterationStrategy, McpResult, ReplyFormat};
use tarsy_queue::StopSignal;
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;

use crate::agents::{AgentRunner, end_of, failed};
use crate::answers::Draft;
use crate::runner::StageEnd;

impl AgentRunner {
    /// Runs a stage of another kind. Returns `None` if an agent runs it.
    pub(crate) async fn run_kind(
        &self,
        stage: &BegunStage,
        fence: StageFence,
        stop: &StopSignal,
    ) -> Option<Result<StageEnd, StageEnd>> {
        let index = usize::try_from(stage.stage_index).ok()?;
        Some(match &stage.stages.get(index)?.kind {
            StageKind::Agent(_) | StageKind::SubAgent(_) => return None,
            StageKind::Ask(ask) => self.ask(ask, stage, fence, stop).await,
            StageKind::Tool(call) => self.call(call, stage, fence, stop).await,
            StageKind::Function(function) => self.compute(function, stage),
            StageKind::Wait(_) => Err(failed("a wait is run by no worker", "not_configured")),
        })
    }

    async fn ask(
        &self,
        ask: &AskStage,
        stage: &BegunStage,
        fence: StageFence,
        stop: &StopSignal,
    ) -> Result<StageEnd, StageEnd> {
        let model = self
            .model(stage.llm_provider.as_deref(), ask.model_options.clone())
            .map_err(|reason| failed(reason, "not_configured"))?;
        let brief = self.plain_brief(stage);
        let prompt = Template::parse(&ask.prompt)
            .and_then(|template| template.render(&Facts::from_data(&brief.data)))
            .map_err(|error| failed(format!("the prompt can't be made: {error}"), "template"))?;
        let schema = ask.output_schema.as_ref();
        let shown = schema.map(|schema| format!("{schema:#}"));
        let schema = schema
            .map(OutputSchema::compile)
            .transpose()
            .map_err(|error| {
                failed(
                    format!("the output schema can't be used: {error}"),
                    "template",
                )
            })?;
        let read = |reply: &str| match &schema {
            Some(schema) => schema.read(reply),
            None => Ok(Value::Null),
        };
        let task = AskTask {
            prompt: &prompt,
            schema: shown.as_deref().map(|shown| (shown, &read as _)),
        };
        let transcript = Transcript::from_records(self.records(stage).await?.0);
        let recorder = self.recorder(fence, stop);
        let draft = ask.draft.clone().and_then(|member| {
            let policies = self.guardrails.masker_of_drafts()?;
            Some(Draft { member, policies })
        });
        let model = self.observed(model, fence).with_draft(draft);
        let agent = Agent {
            model: &model,
            summarizer: None,
            tools: &NoTools,
            recorder: &recorder,
        };
        let (task, deadline) = (Task::Ask(task), self.deadline(stage));
        let ran = agent.run(task, &brief, transcript, deadline, stop.token());
        Ok(end_of(&fence, ran.await.map(|(outcome, _)| outcome)))
    }

    async fn call(
        &self,
        call: &ToolStage,
        stage: &BegunStage,
        fence: StageFence,
        stop: &StopSignal,
    ) -> Result<StageEnd, StageEnd> {
        let Some(server) = self.config.server(&call.server) else {
            let reason = format!("MCP server `{}` is not configured here", call.server);
            return Err(failed(reason, "not_configured"));
        };
        let is_offered = |tools: &Vec<String>| tools.contains(&call.tool);
        let offered = server.allowed_tools.as_ref().is_none_or(is_offered);
        let access = AgentAccess {
            servers: vec![ServerGrant {
                server: call.server.clone(),
                tools: Some(offered.then(|| call.tool.clone()).into_iter().collect()),
                writes: Default::default(),
            }],
            allow_destructive: call.allow_destructive,
        };
        let tools = self
            .servers
            .agent(&access)
            .map_err(|error| failed(error.to_string(), "not_configured"))?;
        let mut brief = self.plain_brief(stage);
        brief.approvals = crate::agent_brief::approvals([server]);
        let arguments = rendered(&call.args, &brief)?;
        let task = CallTask {
            server: call.server.clone(),
            tool: call.tool.clone(),
            arguments: Value::Object(arguments),
        };
        let (records, decisions) = self.records(stage).await?;
        let transcript = Transcript::from_records(records).with_decisions(decisions);
        let recorder = self.recorder(fence, stop);
        let agent = Agent {
            model: &NoModel,
            summarizer: None,
            tools: &tools,
            recorder: &recorder,
        };
        let (task, deadline) = (Task::Call(&task), self.deadline(stage));
        let ran = agent.run(task, &brief, transcript, deadline, stop.token());
        Ok(end_of(&fence, ran.await.map(|(outcome, _)| outcome)))
    }

    fn compute(&self, stage: &FunctionStage, begun: &BegunStage) -> Result<StageEnd, StageEnd> {
        let function =
            Function::named(&stage.function).map_err(|why| failed(why, "not_configured"))?;
        let arguments = rendered(&stage.args, &self.plain_brief(begun))?;
        let data = function
            .call(&arguments, &self.guardrails)
            .map_err(|why| failed(format!("function `{}`: {why}", stage.function), "function"))?;
        let text = match data.get("text").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => format!("{data:#}"),
        };
        let output = json!({
            "result": text, "status": "completed", "agent": begun.agent, "data": data,
        });
        Ok(StageEnd::Completed { output })
    }

    /// Builds the brief of a stage without an agent: masked data, and the configured limits.
    fn plain_brief(&self, stage: &BegunStage) -> AgentBrief {
        AgentBrief {
            agent: stage.agent.clone(),
            strategy: IterationStrategy::default(),
            code: None,
            data: crate::agent_brief::masked(&self.alert_masker, &stage.data),
            custom_instructions: String::new(),
            server_instructions: Vec::new(),
            limits: self.config.limits,
            started_at: stage.started_at_us,
            changes: Vec::new(),
            follow_up: None,
            task: None,
            approvals: BTreeMap::new(),
            output: None,
        }
    }
}

fn rendered(
    args: &serde_json::Map<String, Value>,
    brief: &AgentBrief,
) -> Result<serde_json::Map<String, Value>, StageEnd> {
    Arguments::parse(args)
        .and_then(|arguments| arguments.render(&Facts::from_data(&brief.data)))
        .map_err(|(name, error)| {
            failed(
                format!("argument `{name}` can't be made: {error}"),
                "template",
            )
        })
}

/// The model of a stage that calls none.
struct NoModel;

#[async_trait]
impl Model for NoModel {
    fn profile(&self) -> ModelProfile {
        ModelProfile {
            provider: String::new(),
            model_name: String::new(),
            temperature: None,
            context_window: 0,
            max_output_tokens: 0,
            reply_format: ReplyFormat::Auto,
            enforces_schemas: false,
        }
    }

    async fn ask(&self, _: ChatRequest) -> ModelAnswer {
        ModelAnswer::default()
    }
}

/// The tools of a stage that calls none.
struct NoTools;

#[async_trait]
impl Tools for NoTools {
    fn servers(&self) -> Vec<String> {
        Vec::new()
    }

    async fn list(&self, _: &str) -> Result<ListedServer, NotListed> {
        Ok(ListedServer::default())
    }

    async fn call(&self, _: ToolCall) -> Result<McpResult, RunError> {
        Ok(McpResult {
            refused: true,
            ..McpResult::default()
        })
    }
}
