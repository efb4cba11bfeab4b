//! Stage workers claim stage jobs of their pools, run the agents, record interactions as they happen, and hand on to
//! the next stage. See `docs/ARCHITECTURE.md`.

mod agent_brief;
mod agents;
mod answers;
mod assemble;
mod begin;
mod budget;
mod configuration;
mod eager_decision;
mod eager_next_stage;
mod error;
mod finish;
mod hand_over;
mod handler;
mod kinds;
mod next;
mod output;
mod program;
mod prompt_changes;
mod providers;
mod recorder;
mod records;
mod runner;
mod secrets;
mod servers;
mod service;
mod setup;
mod sub_agents;
mod unstorable;
mod verdict;

pub use agent_brief::agent_brief;
pub use assemble::{AssembleError, service};
pub use configuration::StageConfiguration;
pub use error::Error;
pub use finish::CHAIN_JOB;
pub use program::run_process;
pub use providers::providers;
pub use runner::{BoxError, StageEnd, StageRunner};
pub use servers::{access, servers};
pub use service::StageService;
pub use setup::StageSetup;
