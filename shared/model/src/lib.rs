//! The words of the domain: ids, statuses, chains, interactions and what an agent is handed.
//!
//! Plain data without I/O. Every other crate speaks in these types; see
//! `docs/ARCHITECTURE.md` for who may use whom.

mod alert;
mod chain;
mod claim;
mod id;
mod interaction;
mod pool;
mod processing;
mod role;
mod session_field;
mod severity;
mod status;
mod storable;
mod strategy;
mod time;
mod usage;

pub use alert::{Alert, AlertDefaults};
pub use chain::{ChainDefinition, OnRunbookError, StageDefinition};
pub use claim::ClaimRef;
pub use id::{ExecutionId, InteractionId, ParseIdError, SessionId};
pub use interaction::{
    CommunicationType, EffectClass, LlmIntent, LlmPurpose, LlmResult, McpIntent, McpResult,
    RecordedInteraction, RecordedLlm, RecordedMcp,
};
pub use pool::{Pool, chain_queue};
pub use processing::{AlertProcessingData, PreviousStage};
pub use role::{Role, UnknownRole};
pub use session_field::{FieldKind, SessionField};
pub use severity::priority_of;
pub use status::{AnswerRating, SessionOutcome, SessionStatus, StageStatus};
pub use storable::{storable, storable_json};
pub use strategy::{IterationStrategy, UnknownStrategy};
pub use time::UnixMicros;
pub use usage::{Cost, CostCompleteness, TokenUsage};
