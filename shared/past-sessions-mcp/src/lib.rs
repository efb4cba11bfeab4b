//! MCP server for ended sessions. `search` finds sessions about the same subject; `get` reads the conclusion of one and
//! its evidence.
//!
//! The server only reads, in transactions that can't write. It shows the same data as the history shows to a viewer.

mod get;
mod search;
mod server;
mod words;

pub use server::PastSessionsServer;
