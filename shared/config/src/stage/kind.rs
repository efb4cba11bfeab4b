//! Kinds of stages, and the keys of each.

use std::time::Duration;

use tarsy_chain::{
    AgentStage, AskStage, BranchAgent, FunctionStage, StageKind, ToolStage, WaitStage,
};
use tarsy_model::{ModelOptions, Pool};

use super::fields::{ApprovalFields, StageFields};
use crate::agent::{self, sub_agents_of_stage};
use crate::fields::{Field, FieldValue, Fields, Text};
use crate::model_options;
use crate::references::NameKind;

/// Kind of a stage without `kind`.
const DEFAULT_KIND: &str = "agent";

/// The keys of stages.
const KEYS: StageFields = StageFields::FIELDS;

/// Keys that only some kinds have.
const KINDS_OF_KEYS: [(&str, &[&str]); 24] = [
    (KEYS.agents.name(), &["agent"]),
    (KEYS.replicas.name(), &["agent", "ask"]),
    (KEYS.each.name(), &["agent", "ask", "tool", "function"]),
    (KEYS.success.name(), &["agent", "ask", "tool", "function"]),
    (KEYS.agent.name(), &["agent", "verify"]),
    (KEYS.of.name(), &["verify"]),
    (KEYS.iteration_strategy.name(), &["agent"]),
    (KEYS.sub_agents.name(), &["agent"]),
    (KEYS.llm_provider.name(), &["agent", "verify", "ask"]),
    (KEYS.temperature.name(), &["agent", "verify", "ask"]),
    (KEYS.reasoning_effort.name(), &["agent", "verify", "ask"]),
    (KEYS.thinking.name(), &["agent", "verify", "ask"]),
    (KEYS.fallbacks.name(), &["agent", "verify", "ask"]),
    (KEYS.output_schema.name(), &["agent", "ask"]),
    (KEYS.prompt.name(), &["ask"]),
    (KEYS.call.name(), &["tool", "function"]),
    (KEYS.args.name(), &["tool", "function"]),
    (KEYS.allow_destructive.name(), &["tool"]),
    (KEYS.approval.name(), &["wait"]),
    (KEYS.timer.name(), &["wait"]),
    (KEYS.signal.name(), &["wait"]),
    (KEYS.expires.name(), &["wait"]),
    // A waiting stage needs no worker.
    (
        KEYS.pool.name(),
        &["agent", "verify", "ask", "tool", "function"],
    ),
    (
        KEYS.schedule_timeout.name(),
        &["agent", "verify", "ask", "tool", "function"],
    ),
];

/// Shortest and longest wait.
const WAITS: (Duration, Duration) = (
    Duration::from_secs(1),
    Duration::from_secs(90 * 24 * 60 * 60),
);

/// Reads `kind` and the keys that belong to it.
///
/// `agents` are the agents that run the stage, if it lists several.
pub(super) fn read(fields: &Fields<'_>, agents: &[BranchAgent]) -> Option<StageKind> {
    let kind = match fields.has(KEYS.kind) {
        true => fields.get(KEYS.kind)?,
        false => DEFAULT_KIND,
    };
    fields.refuse_keys_of_others("a stage", KEYS.kind, kind, &KINDS_OF_KEYS);
    match kind {
        "verify" => verify(fields).map(StageKind::Agent),
        "ask" => ask(fields).map(StageKind::Ask),
        "tool" => tool(fields).map(StageKind::Tool),
        "function" => function(fields).map(StageKind::Function),
        "wait" => wait(fields).map(StageKind::Wait),
        _ => agent(fields, agents).map(StageKind::Agent),
    }
}

fn agent(fields: &Fields<'_>, agents: &[BranchAgent]) -> Option<AgentStage> {
    if fields.has(KEYS.agents) && fields.has(KEYS.agent) {
        fields.problem(
            KEYS.agent,
            "a stage has `agent` or `agents`, not both".to_owned(),
            "list every agent under `agents`",
        );
    }
    let agents: Vec<String> = match fields.has(KEYS.agents) {
        true => agents.iter().map(|agent| agent.agent.clone()).collect(),
        false => agent_name(fields, KEYS.agent).into_iter().collect(),
    };
    let sub_agents = sub_agents_of_stage(&agents, fields, KEYS.sub_agents);
    let agent = agents.into_iter().next();
    let iteration_strategy = fields.get(KEYS.iteration_strategy);
    let llm_provider = fields.reference(KEYS.llm_provider, NameKind::Provider);
    let output_schema = fields.get(KEYS.output_schema);
    let has_sub_agents = sub_agents.as_ref().is_some_and(|names| !names.is_empty());
    if let Some(strategy) = iteration_strategy.filter(|strategy| !strategy.uses_tools())
        && has_sub_agents
    {
        fields.problem(
            KEYS.sub_agents,
            format!("a stage of strategy `{strategy}` calls no tools, so it dispatches nobody"),
            "remove `sub_agents`, or choose a strategy with tools, e.g. `react`",
        );
    }
    Some(AgentStage {
        agent: agent?,
        iteration_strategy,
        llm_provider,
        output_schema,
        sub_agents,
        labels: Vec::new(),
        verifies: None,
        model_options: model_options(fields),
    })
}

/// Reads a stage of kind `verify`. If `of` is missing it stays empty, and the chain fills it in.
fn verify(fields: &Fields<'_>) -> Option<AgentStage> {
    let agent = agent_name(fields, KEYS.agent);
    let llm_provider = fields.reference(KEYS.llm_provider, NameKind::Provider);
    let of = fields.string(KEYS.of);
    Some(AgentStage {
        agent: agent?,
        iteration_strategy: None,
        llm_provider,
        output_schema: None,
        sub_agents: None,
        labels: Vec::new(),
        verifies: Some(of.unwrap_or_default()),
        model_options: model_options(fields),
    })
}

/// Returns the bare name of the agent.
pub(super) fn agent_name<T>(fields: &Fields<'_>, field: Field<T>) -> Option<String>
where
    T: for<'a> FieldValue<Read<'a> = Text>,
{
    let agent = fields.require(field, "set it to a built-in or configured agent")?;
    Some(agent::mention(fields, &agent).0)
}

fn model_options(fields: &Fields<'_>) -> ModelOptions {
    ModelOptions {
        temperature: fields.get(KEYS.temperature),
        reasoning_effort: fields.get(KEYS.reasoning_effort),
        thinking: fields.get(KEYS.thinking),
        fallbacks: model_options::fallbacks(fields, KEYS.fallbacks),
    }
}

fn ask(fields: &Fields<'_>) -> Option<AskStage> {
    let llm_provider = fields.reference(KEYS.llm_provider, NameKind::Provider);
    let output_schema = fields.get(KEYS.output_schema);
    let prompt = fields.require(
        KEYS.prompt,
        "it is the question, e.g. `How severe is this? {{ alert.data }}`",
    );
    Some(AskStage {
        prompt: prompt?,
        llm_provider,
        output_schema,
        draft: None,
        model_options: model_options(fields),
    })
}

fn tool(fields: &Fields<'_>) -> Option<ToolStage> {
    let call = fields.require(KEYS.call, "it names server and tool, e.g. `ssh.run`");
    let args = fields.get(KEYS.args);
    let allow_destructive = fields.get(KEYS.allow_destructive).unwrap_or(false);
    let call = call?;
    let Some((server, tool)) = call
        .value()
        .split_once('.')
        .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    else {
        fields.problem(
            KEYS.call,
            format!("`{}` names no server and tool", call.shown()),
            "write `server.tool`, e.g. `ssh.run`",
        );
        return None;
    };
    fields.mention_name(NameKind::Server, server, call.at);
    Some(ToolStage {
        server: server.to_owned(),
        tool: tool.to_owned(),
        args: args.unwrap_or_default(),
        allow_destructive,
    })
}

fn function(fields: &Fields<'_>) -> Option<FunctionStage> {
    let function = fields.require(KEYS.call, "it names the function, e.g. `rank`");
    let args = fields.get(KEYS.args);
    Some(FunctionStage {
        function: function?.value().to_owned(),
        args: args.unwrap_or_default(),
    })
}

fn wait(fields: &Fields<'_>) -> Option<WaitStage> {
    let approval = fields.has(KEYS.approval).then(|| approval(fields));
    let timer = fields.has(KEYS.timer).then(|| {
        wait_length(fields, KEYS.timer, "10m").map(|after_ms| WaitStage::Timer { after_ms })
    });
    let signal = fields.has(KEYS.signal).then(|| signal(fields));
    if fields.has(KEYS.expires) && signal.is_none() {
        fields.problem(
            KEYS.expires,
            "`expires` stands beside `signal` alone".to_owned(),
            "an approval has its own: `approval: {role: operator, expires: 30m}`",
        );
    }
    let mut waits = [approval, timer, signal].into_iter().flatten();
    match (waits.next(), waits.next()) {
        (Some(wait), None) => wait,
        (None, _) => {
            fields.problem_here(
                "it waits for nothing".to_owned(),
                "set one of `approval: {role: operator, expires: 30m}`, `timer: 10m`, or `signal: deployed` with `expires: 1h`",
            );
            None
        }
        (Some(_), Some(_)) => {
            fields.problem_here(
                "it waits for more than one thing".to_owned(),
                "keep one of `approval`, `timer` and `signal`; use a stage for each",
            );
            None
        }
    }
}

fn approval(fields: &Fields<'_>) -> Option<WaitStage> {
    let keys = ApprovalFields::FIELDS;
    let section = fields.get(KEYS.approval)?;
    let role = section.require(
        keys.role,
        "it is the role that may decide: `operator` or `admin`",
    );
    let expires_ms = required_length(&section, keys.expires, "30m");
    Some(WaitStage::Approval {
        role: role?,
        expires_ms: expires_ms?,
    })
}

fn signal(fields: &Fields<'_>) -> Option<WaitStage> {
    let name = fields.get(KEYS.signal);
    let expires_ms = required_length(fields, KEYS.expires, "1h");
    let name = name?;
    // The name becomes part of a URL path, so it has the restrictions of pool names.
    if !Pool::is_name(name.value()) {
        fields.problem(
            KEYS.signal,
            format!("invalid name of a signal `{}`", name.shown()),
            "use a-z, 0-9, `-` and `_`, at most 63 characters, e.g. `deployed`",
        );
        return None;
    }
    Some(WaitStage::Signal {
        name: name.into_string(),
        expires_ms: expires_ms?,
    })
}

fn required_length<T>(fields: &Fields<'_>, field: Field<T>, example: &str) -> Option<u64>
where
    T: for<'a> FieldValue<Read<'a> = Duration>,
{
    let why = format!("it is how long the stage waits at most, e.g. `{example}`");
    fields.require(field, &why)?;
    wait_length(fields, field, example)
}

/// Reads the duration of a wait.
pub(crate) fn wait_length<T>(fields: &Fields<'_>, field: Field<T>, example: &str) -> Option<u64>
where
    T: for<'a> FieldValue<Read<'a> = Duration>,
{
    let length = fields.get(field)?;
    let (shortest, longest) = WAITS;
    if length < shortest || length > longest {
        fields.problem(
            field,
            format!("`{field}` ({length:?}) is not between 1 s and 90 days"),
            &format!("it is how long the stage waits, e.g. `{example}`"),
        );
        return None;
    }
    u64::try_from(length.as_millis()).ok()
}
