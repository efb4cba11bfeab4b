//! Agents: a pure core that decides and a driver that acts.
//!
//! A [`Transcript`] holds everything that has happened in one stage execution. [`next_action`] reads it and returns
//! the next action: ask the model, call tools, or finish. The driver, [`Agent`], performs the action through three
//! ports ([`Model`], [`Tools`], [`Recorder`]), records it and appends it to the transcript. To resume after a crash,
//! a worker only loads the transcript. A recorded answer is never asked for again. A tool call whose outcome is
//! unknown is repeated only if that is harmless.
//!
//! This crate does not depend on a database, a queue or a provider. See `docs/AGENTS.md`.

mod action;
mod adapt;
mod approval;
mod approval_rule;
mod ask;
mod brief;
mod budget;
mod call;
mod checked_answer;
mod checked_question;
mod claims;
mod code;
mod conclude;
mod conversation;
mod decision_context;
mod driver;
mod embedded_json;
mod evidence;
mod fence;
mod json_form;
mod limit;
mod next;
mod observe;
mod open_calls;
mod outage;
mod outcome;
mod output_task;
mod own_tools;
mod paging;
mod parsed_reply;
mod pattern;
mod plan;
mod ports;
mod prompt;
mod question;
mod react;
mod repetition;
mod reply_form;
mod reply_forms;
mod report_titles;
mod resolve;
mod result_summary;
mod search_result;
mod series;
mod strict_schema;
mod structured;
mod sub_agents;
mod summary_question;
mod tool_catalog;
mod transcript;
mod verification;

pub use action::{Action, Listing, Question};
pub use approval_rule::{ApprovalRule, CallDecision, CallToApprove};
pub use ask::AskTask;
pub use brief::{AgentBrief, ServerInstructions};
pub use call::CallTask;
pub use checked_answer::{AnswerEvidence, add_verdict};
pub use claims::{CitableCall, NO_EVIDENCE};
pub use decision_context::DecisionContext;
pub use driver::{Agent, Task, USUAL_RECORD_TIME};
pub use outcome::{BoxError, FailureClass, RunError, StageOutcome};
pub use output_task::OutputTask;
pub use plan::PlannedCall;
pub use ports::{Model, ModelAnswer, ModelProfile, NotListed, Recorder, ToolCall, Tools};
pub use react::{BadInput, Problem, Reply, correction, parse_input, parse_reply};
pub use reply_form::ReplyForm;
pub use structured::next_action;
pub use sub_agents::{
    CANCEL_AGENT, DISPATCH_AGENT, LIST_AGENTS, SUB_AGENTS_SERVER, sub_agent_tools,
};
pub use tarsy_verdict::Evidence;
pub use transcript::Transcript;
pub use verification::{Verification, VerifiedClaim};
