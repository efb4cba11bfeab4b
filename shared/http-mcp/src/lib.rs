//! MCP server that makes an allow-list of HTTP requests a set of tools.
//!
//! A caller names a tool and typed values. It names no host, no path, no header and no method.

mod endpoint;
mod error;
mod file;
mod policy;
mod request;
mod server;
mod target;

pub use error::Error;
pub use policy::Policy;
pub use server::HttpServer;
