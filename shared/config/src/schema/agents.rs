//! Agents, their limits, and chains.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use tarsy_model::IterationStrategy;

use super::providers::Effort;
use super::scalars::{
    Anything, Flag, Length, List, Number, Text, Texts, Whole, Word, Words, words,
};

/// Iteration strategies.
pub(super) struct Strategy;

impl Words for Strategy {
    const WORDS: &'static [&'static str] = &{
        let mut words = [""; IterationStrategy::ALL.len()];
        let mut index = 0;
        while index < words.len() {
            words[index] = IterationStrategy::ALL[index].as_str();
            index += 1;
        }
        words
    };
    const LOOSE: bool = true;
}

words!(OnRunbookError, ["continue", "fail"]);
words!(Join, ["all", "any"]);
words!(Success, ["all", "any"]);

/// An agent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Agent {
    /// Free text for people.
    description: Option<Text>,
    /// The only MCP servers that the agent can reach.
    mcp_servers: Option<Texts>,
    /// Instructions of the agent, added to the built-in ones.
    custom_instructions: Option<Text>,
    /// Iteration strategy for stages that name none.
    iteration_strategy: Option<Word<Strategy>>,
    /// LLM provider for stages that name none.
    llm_provider: Option<Text>,
    /// Sampling temperature. Default: the provider's.
    temperature: Option<Number<0, 2>>,
    /// How much the model thinks. Default: the provider's.
    reasoning_effort: Option<Word<Effort>>,
    /// Whether the model is asked for its thoughts. Default: the provider's.
    thinking: Option<Flag>,
    /// Providers or `fallback_lists` to ask, in order, when the first one fails. Default: the provider's.
    fallbacks: Option<Vec<Text>>,
    /// Limits of the agent's stages; the rest comes from the top-level `limits`.
    limits: Option<Limits>,
    /// By server, the only tools that the agent sees. A server that is not named offers all.
    tools: Option<BTreeMap<String, Texts>>,
    /// By server, tools that the agent may call although they can change something.
    allow_writes: Option<BTreeMap<String, Texts>>,
    /// Allow every tool, also those that change something. Default: false.
    allow_destructive: Option<Flag>,
    /// Agents that the agent may dispatch as sub-agents, each in a session of its own.
    sub_agents: Option<Texts>,
    /// Agent in code that decides its steps, by name. Default: the model decides.
    code: Option<Text>,
    /// Alert types that the agent answers in a chain of one stage.
    alert_types: Option<Texts>,
}

/// Limits of one stage execution.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Limits {
    /// Model answers before the agent must conclude. Default: 10.
    max_iterations: Option<Whole<1, 1_000>>,
    /// Tool calls, including refused ones. Default: 20.
    max_tool_calls: Option<Whole<0, 10_000>>,
    /// Successful tool results that are enough. Default: 20.
    max_data_points: Option<Whole<1, 10_000>>,
    /// Iterations before `max_data_points` applies. Default: 3.
    min_iterations_for_data_points: Option<Whole<0, 1_000>>,
    /// Longest run of a stage, restarts included. Default: 600s.
    stage_timeout: Option<Length>,
    /// Longest model call. Default: 210s.
    llm_call_timeout: Option<Length>,
    /// Longest tool call. Default: 70s.
    tool_call_timeout: Option<Length>,
    /// Part of `stage_timeout` that is reserved for the forced conclusion. Default: 60s.
    conclusion_reserve: Option<Length>,
    /// Longest total wait for rate limits; not part of `stage_timeout`. Default: 1h.
    rate_limit_wait: Option<Length>,
    /// Longest wait for a provider that fails or can't be reached, pauses in a row together. Default: 60s.
    outage_wait: Option<Length>,
    /// Characters of a tool result that the model sees at once. Default: 16000.
    page_chars: Option<Whole<500, 1_000_000>>,
    /// Tools that the model is shown with their parameters; of more it is shown the names. Default: 40.
    max_tool_schemas: Option<Whole<1, 10_000>>,
}

/// A chain of stages.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Chain {
    /// Alert types that the chain answers. An alert type belongs to one chain.
    alert_types: Texts,
    /// Stages. A stage is listed after those that it needs.
    stages: List<Stage>,
    /// Free text for people.
    description: Option<Text>,
    /// LLM provider for stages and agents that name none.
    llm_provider: Option<Text>,
    /// Whether the chain goes on without its runbook. Default: continue.
    on_runbook_error: Option<Word<OnRunbookError>>,
    /// Agent that answers questions about ended sessions. Default: that of the last stage that uses tools.
    chat: Option<Text>,
    /// Labels, `[a-z][a-z0-9_-]{0,39}`, 20 at most. The agent that concludes gives the session one of them.
    labels: Option<Texts>,
    /// What the chain may spend. Default: unlimited.
    spending: Option<Spending>,
    /// Which alerts are investigated only once a person has approved it. Default: none.
    hold: Option<Hold>,
    /// Which repeated alerts are counted on the session that was there before instead of being investigated again.
    suppress: Option<Suppress>,
}

/// Which alerts wait for a person before anything is investigated.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Hold {
    /// Those that are less severe than this. Default: all.
    below: Option<Text>,
    /// Role that may decide. Default: operator.
    role: Option<Word<Approver>>,
    /// How long they are held; then their sessions end as cancelled. Default: 24h.
    expires: Option<Length>,
}

/// Which repeated alerts are suppressed. After a session that failed or was cancelled none is.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Suppress {
    /// For how long after the end of a session. At most 7 days.
    cooldown: Option<Length>,
    /// For longer, while the alert comes and goes.
    flapping: Option<Flapping>,
}

/// When an alert is taken for flapping.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Flapping {
    /// So many occurrences, suppressed ones included (2 to 100) ..
    times: Number<2, 100>,
    /// .. within this time. At most 7 days.
    within: Length,
}

/// What may be spent on models.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Spending {
    /// US dollars in a day (UTC).
    cost_per_day: Option<Number<0, 10_000_000>>,
    /// What becomes of a stage that would begin after they are spent: it fails with class `budget`, or waits for a
    /// person, who lets its session go on or not. Default: fail.
    beyond: Option<Word<BeyondLimit>>,
    /// With `wait`, role that may decide. Default: operator.
    role: Option<Word<Approver>>,
    /// With `wait`, after how long without a decision the stage fails. Default: 1h.
    expires: Option<Length>,
}

words!(Kind, ["agent", "verify", "ask", "tool", "function", "wait"]);
words!(Approver, ["operator", "admin"]);
words!(BeyondLimit, ["fail", "wait"]);

/// A stage of a chain.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Stage {
    /// Name of the stage, unique within its chain.
    name: Text,
    /// What the stage does: an agent investigates, or tries to refute the claims of another stage, a model is asked once, a tool is called once, a built-in function
    /// computes something, or the chain waits. Default: agent.
    kind: Option<Word<Kind>>,
    /// Agent, as `<name>` or `ConfigurableAgent:<name>`; `kind: agent` and `verify`.
    agent: Option<Text>,
    /// Stage whose claims are verified; `kind: verify`. Default: the only stage that it needs.
    of: Option<Text>,
    /// Question to the model, a template; `kind: ask`.
    prompt: Option<Text>,
    /// JSON Schema of the stage's structured output; `kind: ask` and `kind: agent`. An agent is asked for claims too, each with the
    /// tool calls that show it; `claims` asks it for them alone.
    output_schema: Option<Anything>,
    /// Tool as `server.tool` (`kind: tool`), or name of the function (`kind: function`).
    call: Option<Text>,
    /// Arguments of `call`. Texts in them are templates.
    args: Option<BTreeMap<String, Anything>>,
    /// Allow a tool that changes something; `kind: tool`. Default: false.
    allow_destructive: Option<Flag>,
    /// Wait for a person's decision; `kind: wait`.
    approval: Option<Approval>,
    /// Wait for some time; `kind: wait`.
    timer: Option<Length>,
    /// Wait for the signal of this name; `kind: wait`.
    signal: Option<Text>,
    /// Longest wait for the signal.
    expires: Option<Length>,
    /// Agents that run the stage side by side, each as a branch; `kind: agent`, instead of `agent`.
    agents: Option<List<BranchAgent>>,
    /// How many branches run side by side, all alike; `kind: agent` and `ask`.
    replicas: Option<Whole<1, 32>>,
    /// A list of at most 32 items, one branch for each, e.g. `stages.triage.data.hosts`. It is read once, when the stage
    /// becomes due.
    each: Option<Text>,
    /// When a stage with branches is done: with all of them, or with the first that completes. Default: all.
    success: Option<Word<Success>>,
    /// Earlier stages that must end first; empty: none. Default: the stage before it.
    needs: Option<Vec<Text>>,
    /// How many of its needs must end: all, or the first one that ran. Default: all.
    join: Option<Word<Join>>,
    /// Condition under which it runs, e.g. `'node' in stages.triage.text`. Default: always.
    when: Option<Text>,
    /// Iteration strategy of the stage; `kind: agent`.
    iteration_strategy: Option<Word<Strategy>>,
    /// Agents that the stage may dispatch as sub-agents, in place of the agent's own list; `kind: agent`. Empty: none.
    sub_agents: Option<Vec<Text>>,
    /// LLM provider of the stage; `kind: agent`, `verify` and `ask`.
    llm_provider: Option<Text>,
    /// Sampling temperature. Default: the agent's.
    temperature: Option<Number<0, 2>>,
    /// How much the model thinks. Default: the agent's.
    reasoning_effort: Option<Word<Effort>>,
    /// Whether the model is asked for its thoughts. Default: the agent's.
    thinking: Option<Flag>,
    /// Providers or `fallback_lists` to ask, in order, when the first one fails. Default: the agent's.
    fallbacks: Option<Vec<Text>>,
    /// Pool of stage workers that may run the stage (`TARSY_STAGE_POOLS`), or a template of the alert, e.g.
    /// `{{ alert.data.cluster }}`. Default: default.
    pool: Option<Text>,
    /// Longest wait while no worker can run the stage. Default: `TARSY_SCHEDULE_TIMEOUT`, 15m.
    schedule_timeout: Option<Length>,
}

/// An agent of a stage with several.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct BranchAgent {
    /// Agent, as `<name>` or `ConfigurableAgent:<name>`.
    agent: Text,
    /// LLM provider of its branches.
    llm_provider: Option<Text>,
    /// Iteration strategy of its branches.
    iteration_strategy: Option<Word<Strategy>>,
    /// How many branches it runs. Default: 1.
    replicas: Option<Whole<1, 32>>,
}

/// An approval that a stage waits for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Approval {
    /// Role that may decide.
    role: Word<Approver>,
    /// Longest wait.
    expires: Length,
}
