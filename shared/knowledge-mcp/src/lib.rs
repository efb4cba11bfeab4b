//! MCP server over the knowledge store: `search`, `lookup`, `get` and, with a login for it, `sql`.
//!
//! All tools only read. They speak over standard streams or streamable HTTP, to our workers or to any other client.

mod answers;
mod error;
mod http;
mod server;
mod tools;

pub use error::Error;
pub use http::{HttpOptions, serve_http};
pub use server::{KnowledgeServer, serve_stdio};
