//! MCP server over recorded changes: `list_changes` finds them by service, namespace, cluster and time.
//!
//! It reads alone, in transactions that can't write. Changes were masked before they were recorded.

mod list;
mod server;

pub use server::ChangesServer;
