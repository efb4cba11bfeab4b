//! Tests of the MCP client against real servers.

mod answers;
mod authorization;
mod child;
mod endless;
mod endpoint;
mod everything;
mod floods;
mod forgetful;
mod memory;
mod odd_servers;
mod support;
mod tasks;
mod unreachable;
