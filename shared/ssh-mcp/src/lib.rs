//! MCP server that runs commands on hosts over SSH: templates by name with typed arguments, never a text of the caller's.
//!
//! What may run is decided three times: the template names the program and the form of its arguments, the host's group
//! lists the exact argument vectors that it accepts, and a denylist looks at what comes out. Hosts prove who they are by
//! keys from the configuration. Each command ends on the far side by itself.

mod allowlist;
mod cache;
mod connection;
mod denylist;
mod error;
mod file;
mod outcome;
mod paths;
mod policy;
mod quote;
mod runner;
mod server;
mod template;

pub use error::Error;
pub use outcome::Outcome;
pub use policy::Policy;
pub use runner::Runner;
pub use server::SshServer;
