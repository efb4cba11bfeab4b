//! Language models behind one interface.
//!
//! A [`ChatModel`] answers a conversation or fails with a [`CallError`]. The error's class decides what happens next.
//! [`Providers`] builds the models from [`ProviderSettings`]. [`ModelWithFallbacks`] decides between a short retry, the
//! next fallback, a snooze and failure, and reports every attempt. A failed call is always an error; the crate never
//! makes up text for it.
//!
//! No other crate uses the `genai` library. The `scripted` provider plays a YAML script (`docs/SCRIPTED_MODEL.md`).

mod answer_stream;
mod attempt;
mod cost;
mod error;
mod fallback;
mod message;
mod model;
mod policy;
mod providers;
mod redact;
mod remote;
mod scripted;
mod settings;

pub use answer_stream::{AnswerObserver, AnswerStream};
pub use attempt::AttemptRecord;
pub use cost::{Price, estimate, total};
pub use error::{CallError, ErrorClass};
pub use fallback::{Answer, ModelWithFallbacks, NoAnswer};
pub use message::{
    CallLabels, CallSignature, ChatMessage, ChatReply, ChatRequest, FormChange, NativeToolCall,
    Role, StopReason, ToolSpec,
};
pub use model::ChatModel;
pub use policy::{CallState, Decision, RetryPolicy, Verdict, decide, verdict};
pub use providers::{Providers, UnknownProvider};
pub use scripted::{Script, ScriptError, ScriptedModel};
pub use settings::{InvalidSettings, ProviderSettings, ScriptSource, TlsSettings};
pub use tarsy_model::{
    AnswerPart, CloudCredentials, CloudPlace, ModelOptions, ProviderKind, ReasoningEffort,
    ReplyFormat, Secret,
};
