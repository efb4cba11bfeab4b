//! Serves tools over MCP, on standard streams or streamable HTTP. Limits the time of calls, and answers even if a tool
//! panics.

mod argument;
mod effect;
mod error;
mod http;
mod schema;
mod server;

pub use argument::{Argument, ArgumentType};
pub use effect::Effect;
pub use error::Error;
pub use http::{HttpOptions, serve_http};
pub use schema::{described_tools, parsed, read_only_tool, tool};
pub use server::{ToolServer, serve_stdio};
