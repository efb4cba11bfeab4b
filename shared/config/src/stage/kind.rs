//! Kinds of stages, and the keys of each.

use std::time::Duration;

use tarsy_chain::{
    AgentStage, AskStage, BranchAgent, FunctionStage, StageKind, ToolStage, WaitStage,
};
use tarsy_model::Pool;

use crate::agent::{bare_name, sub_agents_of_stage};
use crate::approvals::APPROVERS;
use crate::context::NamePosition;
use crate::fields::Fields;
use crate::model_options;
use crate::references::NameKind;

/// Words of the kinds, the default first.
pub(crate) const KINDS: [&str; 6] = ["agent", "verify", "ask", "tool", "function", "wait"];

/// Keys that only some kinds have.
const KEYS: [(&str, &[&str]); 24] = [
    ("agents", &["agent"]),
    ("replicas", &["agent", "ask"]),
    ("each", &["agent", "ask", "tool", "function"]),
    ("success", &["agent", "ask", "tool", "function"]),
    ("agent", &["agent", "verify"]),
    ("of", &["verify"]),
    ("iteration_strategy", &["agent"]),
    ("sub_agents", &["agent"]),
    ("llm_provider", &["agent", "verify", "ask"]),
    ("temperature", &["agent", "verify", "ask"]),
    ("reasoning_effort", &["agent", "verify", "ask"]),
    ("thinking", &["agent", "verify", "ask"]),
    ("fallbacks", &["agent", "verify", "ask"]),
    ("output_schema", &["agent", "ask"]),
    ("prompt", &["ask"]),
    ("call", &["tool", "function"]),
    ("args", &["tool", "function"]),
    ("allow_destructive", &["tool"]),
    ("approval", &["wait"]),
    ("timer", &["wait"]),
    ("signal", &["wait"]),
    ("expires", &["wait"]),
    // A waiting stage needs no worker.
    ("pool", &["agent", "verify", "ask", "tool", "function"]),
    (
        "schedule_timeout",
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
    fields.know("kind");
    let kind = match fields.has("kind") {
        true => fields.choice("kind", &KINDS),
        false => Some(KINDS[0]),
    };
    for (key, _) in KEYS {
        fields.know(key);
    }
    refuse_keys_of_others(fields, kind?);
    match kind? {
        "verify" => verify(fields).map(StageKind::Agent),
        "ask" => ask(fields).map(StageKind::Ask),
        "tool" => tool(fields).map(StageKind::Tool),
        "function" => function(fields).map(StageKind::Function),
        "wait" => wait(fields).map(StageKind::Wait),
        _ => agent(fields, agents).map(StageKind::Agent),
    }
}

fn refuse_keys_of_others(fields: &Fields<'_>, kind: &str) {
    for (key, kinds) in KEYS {
        if !kinds.contains(&kind) && fields.has(key) {
            let hint = match kind {
                "agent" => format!(
                    "`{key}` is for `kind: {}`; a stage without `kind` is run by an agent",
                    kinds.join("`, `kind: ")
                ),
                _ => format!("`{key}` is for `kind: {}`", kinds.join("`, `kind: ")),
            };
            fields.problem(
                key,
                format!("a stage of kind `{kind}` has no `{key}`"),
                &hint,
            );
        }
    }
}

fn agent(fields: &Fields<'_>, agents: &[BranchAgent]) -> Option<AgentStage> {
    if fields.has("agents") && fields.has("agent") {
        fields.problem(
            "agent",
            "a stage has `agent` or `agents`, not both".to_owned(),
            "list every agent under `agents`",
        );
    }
    let agents: Vec<String> = match fields.has("agents") {
        true => agents.iter().map(|agent| agent.agent.clone()).collect(),
        false => agent_name(fields).into_iter().collect(),
    };
    let sub_agents = sub_agents_of_stage(&agents, fields);
    let agent = agents.into_iter().next();
    let iteration_strategy = fields.strategy("iteration_strategy");
    let llm_provider = fields.reference("llm_provider", NameKind::Provider);
    let output_schema = fields.json("output_schema");
    let has_sub_agents = sub_agents.as_ref().is_some_and(|names| !names.is_empty());
    if let Some(strategy) = iteration_strategy.filter(|strategy| !strategy.uses_tools())
        && has_sub_agents
    {
        fields.problem(
            "sub_agents",
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
        model_options: model_options::read(fields),
    })
}

/// Reads a stage of kind `verify`. If `of` is missing it stays empty, and the chain fills it in.
fn verify(fields: &Fields<'_>) -> Option<AgentStage> {
    let agent = agent_name(fields);
    let llm_provider = fields.reference("llm_provider", NameKind::Provider);
    let of = fields.text("of").map(|name| name.value().to_owned());
    Some(AgentStage {
        agent: agent?,
        iteration_strategy: None,
        llm_provider,
        output_schema: None,
        sub_agents: None,
        labels: Vec::new(),
        verifies: Some(of.unwrap_or_default()),
        model_options: model_options::read(fields),
    })
}

/// Returns the bare name of the agent under the key `agent`.
pub(super) fn agent_name(fields: &Fields<'_>) -> Option<String> {
    let agent = fields.required_text("agent", "set it to a built-in or configured agent")?;
    let place = NamePosition {
        written: Some(bare_name(agent.shown()).to_owned()),
        ..fields.place(agent.at)
    };
    fields
        .context()
        .references
        .mention(NameKind::Agent, bare_name(agent.value()), place);
    Some(bare_name(agent.value()).to_owned())
}

fn ask(fields: &Fields<'_>) -> Option<AskStage> {
    let llm_provider = fields.reference("llm_provider", NameKind::Provider);
    let output_schema = fields.json("output_schema");
    let prompt = fields.required_verbatim(
        "prompt",
        "it is the question, e.g. `How severe is this? {{ alert.data }}`",
    );
    Some(AskStage {
        prompt: prompt?,
        llm_provider,
        output_schema,
        draft: None,
        model_options: model_options::read(fields),
    })
}

fn tool(fields: &Fields<'_>) -> Option<ToolStage> {
    let call = fields.required_text("call", "it names server and tool, e.g. `ssh.run`");
    let args = fields.json_object("args");
    let allow_destructive = fields.bool("allow_destructive").unwrap_or(false);
    let call = call?;
    let Some((server, tool)) = call
        .value()
        .split_once('.')
        .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    else {
        fields.problem(
            "call",
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
    let function = fields.required_text("call", "it names the function, e.g. `rank`");
    let args = fields.json_object("args");
    Some(FunctionStage {
        function: function?.value().to_owned(),
        args: args.unwrap_or_default(),
    })
}

fn wait(fields: &Fields<'_>) -> Option<WaitStage> {
    let approval = fields.has("approval").then(|| approval(fields));
    let timer = fields
        .has("timer")
        .then(|| wait_length(fields, "timer", "10m").map(|after_ms| WaitStage::Timer { after_ms }));
    let signal = fields.has("signal").then(|| signal(fields));
    if fields.has("expires") && signal.is_none() {
        fields.problem(
            "expires",
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
    let section = fields.section("approval")?;
    let role = section.meaning("role", &APPROVERS);
    if !section.has("role") {
        section.problem_here(
            "`role` is missing".to_owned(),
            "it is the role that may decide: `operator` or `admin`",
        );
    }
    let expires_ms = required_length(&section, "expires", "30m");
    section.finish();
    Some(WaitStage::Approval {
        role: role?,
        expires_ms: expires_ms?,
    })
}

fn signal(fields: &Fields<'_>) -> Option<WaitStage> {
    let name = fields.text("signal");
    let expires_ms = required_length(fields, "expires", "1h");
    let name = name?;
    // The name becomes part of a URL path, so it has the restrictions of pool names.
    if !Pool::is_name(name.value()) {
        fields.problem(
            "signal",
            format!("invalid name of a signal `{}`", name.shown()),
            "use a-z, 0-9, `-` and `_`, at most 63 characters, e.g. `deployed`",
        );
        return None;
    }
    Some(WaitStage::Signal {
        name: name.value().to_owned(),
        expires_ms: expires_ms?,
    })
}

fn required_length(fields: &Fields<'_>, key: &'static str, example: &str) -> Option<u64> {
    if !fields.has(key) {
        fields.know(key);
        fields.problem_here(
            format!("`{key}` is missing"),
            &format!("it is how long the stage waits at most, e.g. `{example}`"),
        );
        return None;
    }
    wait_length(fields, key, example)
}

/// Reads the duration of a wait.
pub(crate) fn wait_length(fields: &Fields<'_>, key: &'static str, example: &str) -> Option<u64> {
    let length = fields.duration(key)?;
    let (shortest, longest) = WAITS;
    if length < shortest || length > longest {
        fields.problem(
            key,
            format!("`{key}` ({length:?}) is not between 1 s and 90 days"),
            &format!("it is how long the stage waits, e.g. `{example}`"),
        );
        return None;
    }
    u64::try_from(length.as_millis()).ok()
}
