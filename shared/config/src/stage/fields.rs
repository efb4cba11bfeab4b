//! Keys of stages.

use tarsy_chain::{Join, MAX_BRANCHES, Success};
use tarsy_model::{IterationStrategy, ReasoningEffort};

use crate::approvals::Approver;
use crate::fields::{
    Anything, ByName, Flag, Length, List, Required, Text, Verbatim, Whole, Word, choice, section,
};
use crate::model_options::Temperature;

/// Number of replicas of a stage, at most that of branches.
pub(crate) type Replicas = Whole<1, { MAX_BRANCHES as i64 }, u32>;

choice!(struct Kind = ["agent", "verify", "ask", "tool", "function", "wait"]);
choice!(Join: Self = [("all", Join::All), ("any", Join::Any)]);
choice!(Success: Self = [("all", Success::All), ("any", Success::Any)]);

section! {
    /// A stage of a chain.
    struct StageFields("Stage", "stage") {
        /// Name of the stage, unique within its chain.
        name: Required<Text>,
        /// What the stage does. `agent`: an agent investigates; `verify`: an agent tries to refute the claims of another
        /// stage; `ask`: asks a model one question; `tool`: calls one tool; `function`: runs a built-in function; `wait`:
        /// waits. Default: agent.
        kind: Word<Kind>,
        /// Agent, as `<name>` or `ConfigurableAgent:<name>`; for `kind: agent` and `verify`.
        agent: Text,
        /// Stage whose claims are verified; for `kind: verify`. Default: the stage in `needs`, if there is only one.
        of: Text,
        /// Question to the model, as a template; for `kind: ask`.
        prompt: Verbatim,
        /// JSON Schema of the stage's structured output; for `kind: ask` and `agent`. An agent is also asked for its
        /// claims, each with the tool calls that support it. `claims` asks it only for claims.
        output_schema: Anything,
        /// Tool as `server.tool`, for `kind: tool`; name of the function, for `kind: function`.
        call: Text,
        /// Arguments of `call`. Strings in them are templates.
        args: ByName<Anything>,
        /// Allow a tool with side effects; for `kind: tool`. Default: false.
        allow_destructive: Flag,
        /// Wait for a person's decision; for `kind: wait`.
        approval: ApprovalFields,
        /// Wait for this long; for `kind: wait`.
        timer: Length,
        /// Wait for the signal with this name; for `kind: wait`.
        signal: Text,
        /// Maximum wait for the signal. After that, the stage fails.
        expires: Length,
        /// Agents that run the stage in parallel, each as a branch; for `kind: agent`, instead of `agent`.
        agents: List<BranchAgentFields>,
        /// Number of identical branches that run in parallel; for `kind: agent` and `ask`.
        replicas: Replicas,
        /// Expression for a list of at most 32 items, e.g. `stages.triage.data.hosts`. The stage runs one branch for each
        /// item. The list is read once, when the stage is due.
        each: Text,
        /// When a stage with branches ends: when all branches have ended, or when the first one completes. Default: all.
        success: Word<Success>,
        /// Earlier stages that must end first; empty: none. Default: the previous stage.
        needs: Vec<Text>,
        /// Whether the stage waits for all stages in `needs`, or for the first one that has run. Default: all.
        join: Word<Join>,
        /// Condition under which the stage runs, e.g. `'node' in stages.triage.text`. Default: always.
        when: Text,
        /// Iteration strategy of the stage; for `kind: agent`.
        iteration_strategy: Word<IterationStrategy>,
        /// Agents that the stage may dispatch as sub-agents, instead of the agent's own list; for `kind: agent`. Empty:
        /// none.
        sub_agents: Vec<Text>,
        /// LLM provider of the stage; for `kind: agent`, `verify` and `ask`.
        llm_provider: Text,
        /// Sampling temperature. Default: the agent's.
        temperature: Temperature,
        /// Reasoning effort of the model. Default: the agent's.
        reasoning_effort: Word<ReasoningEffort>,
        /// Whether to ask the model for its thoughts. Default: the agent's.
        thinking: Flag,
        /// Providers or `fallback_lists` to try in this order when the first provider fails. Default: the agent's.
        fallbacks: Vec<Text>,
        /// Pool of stage workers that may run the stage (`TARSY_STAGE_POOLS`), or a template that reads the alert, e.g. `{{
        /// alert.data.cluster }}`. Default: `default`.
        pool: Text,
        /// How long the stage may wait while no live worker can run it. After that, it fails. Default:
        /// `TARSY_SCHEDULE_TIMEOUT`, or 15m.
        schedule_timeout: Length,
    }
}

section! {
    /// An agent of a stage with several agents.
    struct BranchAgentFields("BranchAgent", "agent") {
        /// Agent, as `<name>` or `ConfigurableAgent:<name>`.
        agent: Required<Text>,
        /// LLM provider of the agent's branches.
        llm_provider: Text,
        /// Iteration strategy of the agent's branches.
        iteration_strategy: Word<IterationStrategy>,
        /// Number of branches that the agent runs. Default: 1.
        replicas: Replicas,
    }
}

section! {
    /// An approval that a stage waits for.
    struct ApprovalFields("Approval") {
        /// Minimum role that may decide.
        role: Required<Word<Approver>>,
        /// Maximum wait for the decision.
        expires: Required<Length>,
    }
}
