//! MCP client that isolates servers from each other, and limits and masks their output.
//!
//! [`McpPool`] keeps one connection per configured server. [`AgentTools`] is one agent's view of the pool. Everything
//! that a server sends is limited while it is read, and masked before it is shown or stored. `rmcp` implements the
//! protocol. No other crate uses its client half.

mod agent_tools;
mod argument_check;
mod auth;
mod call_lost;
mod catalog;
mod client;
mod compat;
mod connection;
mod error;
mod greeting;
mod live;
mod names;
mod outcome;
mod page;
mod pool;
mod record;
mod redact;
mod render;
mod settings;
mod suggest;
mod survey;
mod task;
mod tool;
mod transport;

pub use agent_tools::{AgentAccess, AgentTools, ServerGrant};
pub use error::{CallError, Error, Refusal};
pub use outcome::{
    CallOptions, ConnectionState, ListedServer, ServerStatus, ToolListing, ToolOutcome,
};
pub use page::{Page, page};
pub use pool::McpPool;
pub use record::{INSTRUCTIONS, recorded, recorded_list};
pub use settings::{
    ClientProof, EffectSettings, Elicitation, HttpSettings, OAuthSettings, ServerSettings,
    StdioSettings, TransportSettings,
};
pub use suggest::{EffectSuggestion, suggested_effects};
pub use survey::{Admission, ServerSurvey, SurveyedTool};
pub use tarsy_model::Secret;
pub use tool::{ToolInfo, ToolPin, fits};
pub use transport::{Flood, adopt_orphans};
