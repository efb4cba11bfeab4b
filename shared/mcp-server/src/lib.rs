//! Serves tools over MCP: standard streams or streamable HTTP, a time limit, and an answer after a panic.

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
pub use schema::tool;
pub use server::{ToolServer, serve_stdio};
