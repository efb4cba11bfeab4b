//! Agents: a pure core that decides and a shell that performs.
//!
//! A [`Transcript`] holds what has happened in one stage execution. [`next_action`] looks at
//! it and says what is next: ask the model, call tools, or finish. The shell, [`Agent`], does
//! it through three ports ([`Model`], [`Tools`], [`Recorder`]), records it and appends it. So
//! resuming after a crash is loading the transcript: a recorded answer is never asked again
//! and a tool call whose outcome is unknown is repeated only if that is harmless.
//!
//! This crate knows no database, no queue and no provider. See `docs/AGENTS.md`.

mod brief;
mod limits;
mod message;
mod outcome;
mod ports;
mod shell;
mod transcript;

pub use brief::{AgentBrief, ServerInstructions};
pub use limits::Limits;
pub use message::{Message, NativeCall};
pub use outcome::{FailureClass, RunError, StageOutcome};
pub use ports::{
    Model, ModelAnswer, ModelProfile, ModelRequest, RecordError, Recorder, ToolCall, ToolOffer,
    Tools,
};
pub use shell::Agent;
pub use transcript::Transcript;
