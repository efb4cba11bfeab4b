//! Agents, their limits, and chains.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use tarsy_model::IterationStrategy;

use super::providers::Effort;
use super::scalars::{Anything, Flag, Length, List, Text, Texts, Word, Words, words, words_of};
use crate::approvals::APPROVERS;
use crate::chain::ON_RUNBOOK_ERROR;
use crate::limits::{DataPoints, Iterations, MinIterations, PageChars, ToolCalls, ToolSchemas};
use crate::model_options::Temperature;
use crate::spending::{self, BEYOND};
use crate::stage::{JOINS, KINDS, Replicas, SUCCESSES};
use crate::suppression::Times;

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

words!(OnRunbookError, words_of(&ON_RUNBOOK_ERROR));
words!(Join, words_of(&JOINS));
words!(Success, words_of(&SUCCESSES));

/// An agent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Agent {
    /// Description, for people only.
    description: Option<Text>,
    /// MCP servers that the agent can use. It can't use any others.
    mcp_servers: Option<Texts>,
    /// Instructions for the agent, added to the built-in ones.
    custom_instructions: Option<Text>,
    /// Iteration strategy for stages that set none.
    iteration_strategy: Option<Word<Strategy>>,
    /// LLM provider for stages that set none.
    llm_provider: Option<Text>,
    /// Sampling temperature. Default: the provider's.
    temperature: Option<Temperature>,
    /// Reasoning effort of the model. Default: the provider's.
    reasoning_effort: Option<Word<Effort>>,
    /// Whether to ask the model for its thoughts. Default: the provider's.
    thinking: Option<Flag>,
    /// Providers or `fallback_lists` to try in this order when the first provider fails. Default: the provider's.
    fallbacks: Option<Vec<Text>>,
    /// Limits of the agent's stages. Those that are not set come from the top-level `limits`.
    limits: Option<Limits>,
    /// Tools that the agent sees, by server. The agent sees all tools of a server that is not listed.
    tools: Option<BTreeMap<String, Texts>>,
    /// Tools with side effects that the agent may call, by server.
    allow_writes: Option<BTreeMap<String, Texts>>,
    /// Allow all tools, including those with side effects. Default: false.
    allow_destructive: Option<Flag>,
    /// Agents that the agent may dispatch as sub-agents, each in a separate session.
    sub_agents: Option<Texts>,
    /// Name of the agent in code that decides the steps. Default: the model decides.
    code: Option<Text>,
    /// Alert types that the agent handles in a chain with a single stage.
    alert_types: Option<Texts>,
}

/// Limits of one stage execution.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Limits {
    /// Maximum number of model answers before the agent must conclude. Default: 10.
    max_iterations: Option<Iterations>,
    /// Maximum number of tool calls before the agent must conclude, including refused ones. Default: 20.
    max_tool_calls: Option<ToolCalls>,
    /// Number of successful tool results after which the agent must conclude. Default: 20.
    max_data_points: Option<DataPoints>,
    /// Number of iterations before `max_data_points` applies. Default: 3.
    min_iterations_for_data_points: Option<MinIterations>,
    /// Maximum duration of a stage, including restarts. Default: 600s.
    stage_timeout: Option<Length>,
    /// Maximum duration of a model call, including retries and fallbacks. Default: 210s.
    llm_call_timeout: Option<Length>,
    /// Maximum duration of a tool call. Default: 70s.
    tool_call_timeout: Option<Length>,
    /// Part of `stage_timeout` that is reserved for the forced conclusion. Default: 60s.
    conclusion_reserve: Option<Length>,
    /// Maximum total wait for rate limits, which does not count towards `stage_timeout`. Default: 1h.
    rate_limit_wait: Option<Length>,
    /// Maximum total wait for a provider that fails or can't be reached, over consecutive pauses. Default: 60s.
    outage_wait: Option<Length>,
    /// Maximum number of characters of a tool result that the model sees at once. Default: 16000.
    page_chars: Option<PageChars>,
    /// Maximum number of tools that the model sees with their parameters. If there are more, it sees only their names.
    /// Default: 40.
    max_tool_schemas: Option<ToolSchemas>,
}

/// A chain of stages.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Chain {
    /// Alert types that the chain handles. An alert type belongs to exactly one chain.
    alert_types: Texts,
    /// Stages. List a stage after the stages that it needs.
    stages: List<Stage>,
    /// Description, for people only.
    description: Option<Text>,
    /// LLM provider for stages and agents that set none.
    llm_provider: Option<Text>,
    /// Whether the chain continues or fails if its runbook can't be fetched. Default: continue.
    on_runbook_error: Option<Word<OnRunbookError>>,
    /// Agent that answers questions about ended sessions. Default: the agent of the last stage that uses tools.
    chat: Option<Text>,
    /// Labels, at most 20, each matching `[a-z][a-z0-9_-]{0,39}`. The agent that concludes gives the session one of
    /// them.
    labels: Option<Texts>,
    /// Spending limit of the chain. Default: unlimited.
    spending: Option<Spending>,
    /// Alerts that are investigated only after a person approves. Default: none.
    hold: Option<Hold>,
    /// Repeated alerts that are counted on the earlier session instead of being investigated again. Default: none.
    suppress: Option<Suppress>,
}

/// Alerts that wait for a person's approval before they are investigated.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Hold {
    /// Hold only alerts that are less severe than this. Default: hold all alerts.
    below: Option<Text>,
    /// Minimum role that may decide. Default: operator.
    role: Option<Word<Approver>>,
    /// How long alerts are held. After that, their sessions end as cancelled. Default: 24h.
    expires: Option<Length>,
}

/// Repeated alerts that are suppressed. A session that failed or was cancelled suppresses none.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Suppress {
    /// How long alerts are suppressed after the end of a session. At most 7 days.
    cooldown: Option<Length>,
    /// Suppress an alert for longer while it is flapping.
    flapping: Option<Flapping>,
}

/// Condition under which an alert counts as flapping.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Flapping {
    /// Number of occurrences that count as flapping, including suppressed ones (2 to 100).
    times: Times,
    /// Time within which these occurrences happen. At most 7 days.
    within: Length,
}

/// Spending limit for models.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Spending {
    /// US dollars per day (UTC).
    cost_per_day: Option<spending::Dollars>,
    /// What happens to a stage that is due after the limit is reached: it fails with class `budget`, or it waits until
    /// a person approves or denies that its session continues. Default: fail.
    beyond: Option<Word<BeyondLimit>>,
    /// With `beyond: wait`, the minimum role that may decide. Default: operator.
    role: Option<Word<Approver>>,
    /// With `beyond: wait`, how long the stage waits for a decision before it fails. Default: 1h.
    expires: Option<Length>,
}

words!(Kind, KINDS);
words!(Approver, words_of(&APPROVERS));
words!(BeyondLimit, words_of(&BEYOND));

/// A stage of a chain.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Stage {
    /// Name of the stage, unique within its chain.
    name: Text,
    /// What the stage does. `agent`: an agent investigates; `verify`: an agent tries to refute the claims of another
    /// stage; `ask`: asks a model one question; `tool`: calls one tool; `function`: runs a built-in function; `wait`:
    /// waits. Default: agent.
    kind: Option<Word<Kind>>,
    /// Agent, as `<name>` or `ConfigurableAgent:<name>`; for `kind: agent` and `verify`.
    agent: Option<Text>,
    /// Stage whose claims are verified; for `kind: verify`. Default: the stage in `needs`, if there is only one.
    of: Option<Text>,
    /// Question to the model, as a template; for `kind: ask`.
    prompt: Option<Text>,
    /// JSON Schema of the stage's structured output; for `kind: ask` and `agent`. An agent is also asked for its
    /// claims, each with the tool calls that support it. `claims` asks it only for claims.
    output_schema: Option<Anything>,
    /// Tool as `server.tool`, for `kind: tool`; name of the function, for `kind: function`.
    call: Option<Text>,
    /// Arguments of `call`. Strings in them are templates.
    args: Option<BTreeMap<String, Anything>>,
    /// Allow a tool with side effects; for `kind: tool`. Default: false.
    allow_destructive: Option<Flag>,
    /// Wait for a person's decision; for `kind: wait`.
    approval: Option<Approval>,
    /// Wait for this long; for `kind: wait`.
    timer: Option<Length>,
    /// Wait for the signal with this name; for `kind: wait`.
    signal: Option<Text>,
    /// Maximum wait for the signal. After that, the stage fails.
    expires: Option<Length>,
    /// Agents that run the stage in parallel, each as a branch; for `kind: agent`, instead of `agent`.
    agents: Option<List<BranchAgent>>,
    /// Number of identical branches that run in parallel; for `kind: agent` and `ask`.
    replicas: Option<Replicas>,
    /// Expression for a list of at most 32 items, e.g. `stages.triage.data.hosts`. The stage runs one branch for each
    /// item. The list is read once, when the stage is due.
    each: Option<Text>,
    /// When a stage with branches ends: when all branches have ended, or when the first one completes. Default: all.
    success: Option<Word<Success>>,
    /// Earlier stages that must end first; empty: none. Default: the previous stage.
    needs: Option<Vec<Text>>,
    /// Whether the stage waits for all stages in `needs`, or for the first one that has run. Default: all.
    join: Option<Word<Join>>,
    /// Condition under which the stage runs, e.g. `'node' in stages.triage.text`. Default: always.
    when: Option<Text>,
    /// Iteration strategy of the stage; for `kind: agent`.
    iteration_strategy: Option<Word<Strategy>>,
    /// Agents that the stage may dispatch as sub-agents, instead of the agent's own list; for `kind: agent`. Empty:
    /// none.
    sub_agents: Option<Vec<Text>>,
    /// LLM provider of the stage; for `kind: agent`, `verify` and `ask`.
    llm_provider: Option<Text>,
    /// Sampling temperature. Default: the agent's.
    temperature: Option<Temperature>,
    /// Reasoning effort of the model. Default: the agent's.
    reasoning_effort: Option<Word<Effort>>,
    /// Whether to ask the model for its thoughts. Default: the agent's.
    thinking: Option<Flag>,
    /// Providers or `fallback_lists` to try in this order when the first provider fails. Default: the agent's.
    fallbacks: Option<Vec<Text>>,
    /// Pool of stage workers that may run the stage (`TARSY_STAGE_POOLS`), or a template that reads the alert, e.g. `{{
    /// alert.data.cluster }}`. Default: `default`.
    pool: Option<Text>,
    /// How long the stage may wait while no live worker can run it. After that, it fails. Default:
    /// `TARSY_SCHEDULE_TIMEOUT`, or 15m.
    schedule_timeout: Option<Length>,
}

/// An agent of a stage with several agents.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct BranchAgent {
    /// Agent, as `<name>` or `ConfigurableAgent:<name>`.
    agent: Text,
    /// LLM provider of the agent's branches.
    llm_provider: Option<Text>,
    /// Iteration strategy of the agent's branches.
    iteration_strategy: Option<Word<Strategy>>,
    /// Number of branches that the agent runs. Default: 1.
    replicas: Option<Replicas>,
}

/// An approval that a stage waits for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Approval {
    /// Minimum role that may decide.
    role: Word<Approver>,
    /// Maximum wait for the decision.
    expires: Length,
}
