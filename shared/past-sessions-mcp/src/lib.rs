//! MCP server over ended sessions: `search` finds those about the same thing, `get` reads what one concluded and why.
//!
//! It reads alone, in transactions that can't write, and shows what a viewer of the history is shown.

mod get;
mod search;
mod server;
mod words;

pub use server::PastSessionsServer;
