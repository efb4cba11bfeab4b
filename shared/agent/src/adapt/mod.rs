//! Adapters that implement the agent's ports for models with fallbacks and for MCP servers.

mod model;
mod tools;
