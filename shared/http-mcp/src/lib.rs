//! MCP server that offers an allow-list of HTTP requests as tools.
//!
//! A caller chooses a tool and typed values. It can't choose the host, path, headers or method.

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
