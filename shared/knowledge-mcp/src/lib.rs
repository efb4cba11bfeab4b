//! MCP server over the knowledge store: `search`, `lookup`, `get` and, with a login for it, `sql`.
//!
//! All tools only read.

mod answers;
mod server;
mod tools;

pub use server::KnowledgeServer;
