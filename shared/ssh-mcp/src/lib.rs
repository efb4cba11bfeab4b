//! MCP server that runs commands on hosts over SSH. Callers choose templates by name and pass typed arguments; they can
//! never pass a command line.
//!
//! Three checks decide what may run. The template names the program and the form of its arguments. The host's group
//! lists the exact argument vectors that it accepts. A denylist checks the resulting command line. The configuration
//! contains the keys that hosts must present. Each command ends on the remote side at its own time limit.

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
