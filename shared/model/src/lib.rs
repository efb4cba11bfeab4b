//! Domain types: ids, statuses, interactions and input of agents.
//!
//! Plain data without I/O. Every other crate uses these types; `docs/ARCHITECTURE.md` lists which crate may use which.

mod actor;
mod agent_limits;
mod alert;
mod answer_fault;
mod answer_piece;
mod capability;
mod change;
mod claim;
mod cloud;
mod comparison;
mod conversation;
mod document;
mod id;
mod interaction;
mod job_kind;
mod local_fault;
mod model_options;
mod odd_json;
mod operator_action;
mod pool;
mod processing;
mod provider_kind;
mod reasoning_effort;
mod reply_format;
mod requirement;
mod role;
mod secret;
mod session_field;
mod severity;
mod shown_call;
mod status;
mod storable;
mod strategy;
mod suppression;
mod time;
mod usage;
mod wait;

pub use actor::{Actor, shown_actor};
pub use agent_limits::AgentLimits;
pub use alert::{Alert, AlertDefaults};
pub use answer_fault::ANSWER_FAULTS;
pub use answer_piece::{
    ANSWERS_CHANNEL, AnswerPart, AnswerPiece, WATCHING_CHANNEL, WATCHING_SECONDS,
    WATCHING_SESSIONS, Watching,
};
pub use capability::{
    ANSWER_REQUIREMENT, chain_worker_offers, job_requirement, status_requirement, wait_requirement,
    work_requirement,
};
pub use change::{AlertPlace, Change};
pub use claim::ClaimRef;
pub use cloud::{CloudCredentials, CloudPlace};
pub use comparison::{Comparison, compared};
pub use conversation::{
    EarlierTurn, Evidence, FOLLOW_UP_CHAIN, FollowUp, KNOWLEDGE_CHAIN, SUB_AGENT_CHAIN,
};
pub use document::{
    DEEPEST_DOCUMENT, Unreadable, is_readable_number, presentable_document, read_document,
};
pub use id::{ExecutionId, InteractionId, ParseIdError, SessionId, WaitId};
pub use interaction::{
    CommunicationType, EffectClass, LlmIntent, LlmPurpose, LlmResult, McpIntent, McpResult,
    RecordedInteraction, RecordedLlm, RecordedMcp,
};
pub use job_kind::{CHAIN_JOB, STAGE_JOB, START_NOTICE_JOB};
pub use local_fault::{LocalFault, Shortage};
pub use model_options::ModelOptions;
pub use odd_json::parse_odd_json;
pub use operator_action::OperatorAction;
pub use pool::{Pool, chain_queue};
pub use processing::{AlertProcessingData, BranchInput, PreviousStage};
pub use provider_kind::ProviderKind;
pub use reasoning_effort::ReasoningEffort;
pub use reply_format::ReplyFormat;
pub use requirement::{
    ASK_REQUIREMENT, DISPATCH_REQUIREMENT, agent_offers, agent_requirement, function_requirement,
    offered_server, provider_requirement, server_requirement, stage_requires, unschedulable_reason,
};
pub use role::{Role, UnknownRole};
pub use secret::Secret;
pub use session_field::{FieldKind, SessionField};
pub use severity::{
    UNKNOWN_SEVERITY_RANK, priority_of, severities_compared, severity_rank, severity_words,
};
pub use shown_call::{is_hidden, shown_call, visible};
pub use status::{AnswerRating, SessionOutcome, SessionStatus, SessionVerdict, StageStatus};
pub use storable::{storable, storable_json};
pub use strategy::{IterationStrategy, UnknownStrategy};
pub use suppression::{Flapping, Suppressed, Suppression};
pub use time::UnixMicros;
pub use usage::{Cost, CostCompleteness, TokenUsage};
pub use wait::{
    CHILDREN_JOB, CHILDREN_PRIORITY, WAIT_JOB, WAIT_NOTICE_JOB, WaitDecision, WaitSort,
};
