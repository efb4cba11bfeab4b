//! Chains: their definition as a graph of stages, and the rule that decides the next step.
//!
//! Pure: no I/O, no clock, no randomness. Services read rows, call [`decide`], and write its decision.
//!
//! | module | contents |
//! |---|---|
//! | [`definition`](ChainDefinition) | the configured chain, stored with each session |
//! | [`kind`](StageKind) | what a stage runs: agent, verify, ask, tool, function, wait |
//! | `stored` | the stored form of a stage |
//! | [`branches`](Branches) | stages that run several times in parallel, and their merged results |
//! | [`graph`](Graph) | the definition with its edges resolved, or every mistake in it |
//! | [`condition`](Condition) | `when` expressions: parsing, checks, evaluation |
//! | [`function`](Function) | built-in functions |
//! | [`output`](OutputSchema) | structured output of models |
//! | [`check`](kind_mistakes()) | mistakes in templates, schemas and calls of functions |
//! | [`template`](Template) | prompts and arguments: parsing, checks, rendering |
//! | `outcome` | outcome of a settled stage, over all its branches |
//! | [`state`](SessionState) | a session's rows as the rule's input |
//! | [`decide`](decide()) | the next transition of a session |
//! | `conclude` | the end of a session whose stages have all settled |
//! | [`follow_up`](follow_up()) | the chain that answers a question about an ended session |
//! | [`sub_agent`](sub_agent()) | the chain of a child session |
//! | [`hold`](Hold) | chains that wait for a person before they investigate |
//! | `later_provider` | the provider of the stages after a replayed one |
//! | `labels` | the agents that are asked for a label of the chain |
//! | [`pools`](PoolError) | pools that are derived from the alert |
//! | [`outdated`](outdated_ancestor()) | stages that can't be replayed before another one |
//! | [`mermaid`](mermaid()) | the graph as a flowchart |
//! | `successor` | a shortcut for a stage whose end makes exactly one other stage due |

mod analysis_schema;
mod branches;
mod check;
mod conclude;
mod condition;
mod decide;
mod definition;
mod follow_up;
mod function;
mod graph;
mod hold;
mod kind;
mod labels;
mod later_provider;
mod mermaid;
mod outcome;
mod outdated;
mod output;
mod pools;
mod stage_branches;
mod state;
mod stored;
mod sub_agent;
mod successor;
mod template;

pub use analysis_schema::{AnalysisSchema, CLAIMS};
pub use branches::{
    Branch, BranchAgent, BranchResult, BranchSource, Branches, MAX_BRANCHES, RowPlace, Success,
    merged_error, merged_output, retain_current, settled_status,
};
pub use check::kind_mistakes;
pub use condition::{Condition, ConditionError, Facts, MAX_CONDITION_BYTES};
pub use decide::{Decision, DueStage, SettledStage, decide, give_up};
pub use definition::{ChainDefinition, Join, OnRunbookError, StageDefinition, has_late_results};
pub use follow_up::{FOLLOW_UP_STAGE, conclusion_of, follow_up};
pub use function::{Function, Guarded, Policies, RedactionFlag};
pub use graph::{Graph, Mistake, MistakeKind, ancestors};
pub use hold::{HOLD_STAGE, Hold};
pub use kind::{AgentStage, AskStage, FunctionStage, StageKind, ToolStage, WaitStage};
pub use mermaid::mermaid;
pub use outdated::outdated_ancestor;
pub use output::OutputSchema;
pub use pools::PoolError;
pub use state::{RunbookState, SessionEnd, SessionState, StageAttempt, StageFacts};
pub use sub_agent::{MAX_SUB_AGENT_DEPTH, SUB_AGENT_STAGE, sub_agent};
pub use successor::{may_start, sole_successor};
pub use template::{Arguments, MAX_TEMPLATE_BYTES, Template, TemplateError};
