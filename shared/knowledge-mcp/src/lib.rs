//! MCP server for the knowledge store: `search`, `lookup`, `get`, `describe` and, if a login for it is configured,
//! `sql`.
//!
//! All tools only read.

mod answers;
mod server;
mod tools;

pub use server::KnowledgeServer;
