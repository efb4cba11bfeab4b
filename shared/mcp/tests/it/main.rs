//! MCP clients against real servers.

mod answers;
mod authorization;
mod child;
mod endpoint;
mod everything;
mod floods;
mod memory;
mod support;
