//! Built-in agents that are written in Rust. To add your own, list it in [`AGENTS`]; see `docs/CUSTOM-AGENTS.md`.

mod diagnose;
mod namespace_overview;

use tarsy_agent_api::CodeAgent;

pub use diagnose::Diagnose;
pub use namespace_overview::NamespaceOverview;

/// All agents that are written in Rust.
pub const AGENTS: [&dyn CodeAgent; 2] = [&NamespaceOverview, &Diagnose];

/// Returns the agent with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn CodeAgent> {
    AGENTS.into_iter().find(|agent| agent.name() == name)
}

/// Returns the names of all agents that are written in Rust.
#[must_use]
pub fn names() -> Vec<&'static str> {
    AGENTS.into_iter().map(CodeAgent::name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_agent() {
        for agent in AGENTS {
            let found = find(agent.name()).map(|found| std::ptr::from_ref(found).cast::<()>());
            assert_eq!(
                names().iter().filter(|name| **name == agent.name()).count(),
                1
            );
            assert_eq!(found, Some(std::ptr::from_ref(agent).cast()));
        }
        assert!(find("nobody").is_none());
    }
}
