//! MCP server for recorded changes. The tool `list_changes` finds them by service, namespace, cluster and time.
//!
//! The server only reads, in transactions that can't write. Changes were masked before they were recorded.

mod list;
mod server;

pub use server::ChangesServer;
