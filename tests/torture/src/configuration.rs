//! Versions of the fleet's configuration. Each version adds a chain with new agent names, and removes the chain of two
//! versions ago.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tarsy_testing::tools;

/// Number of versions whose chains a configuration contains.
const CHAINS: u32 = 2;

/// Rollouts of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Rollout {
    /// Newest version that was rolled out; 0: none.
    pub(crate) version: u32,
    /// Alerts of new chains that were accepted.
    pub(crate) accepted: usize,
    /// Of those, accepted while a stage worker did not know their agent.
    pub(crate) ahead: usize,
    /// Files with mistakes that a running process found.
    pub(crate) broken: usize,
    /// Of those, the files that were refused. The other processes ended meanwhile or were frozen.
    pub(crate) refused: usize,
}

impl Rollout {
    /// Returns the newest version of the file.
    pub(crate) fn text(&self) -> Result<String> {
        let oldest = self.version.saturating_sub(CHAINS - 1).max(1);
        of_versions(oldest, oldest, self.version)
    }

    /// Returns the newest version with the agents of all versions, because sessions may still wait for a removed agent.
    pub(crate) fn last_text(&self) -> Result<String> {
        let oldest = self.version.saturating_sub(CHAINS - 1).max(1);
        of_versions(1, oldest, self.version)
    }

    /// Returns the newest version with a mistake: invalid YAML, or an unknown name.
    pub(crate) fn broken_text(&self, of_syntax: bool) -> Result<String> {
        let text = self.text()?;
        Ok(match of_syntax {
            true => format!("{text}\n\t- [\n"),
            false => text.replacen("agent: Reporter,", "agent: Reprter,", 1),
        })
    }
}

/// Returns the alert type of a version's chain.
pub(crate) fn alert_type(version: u32) -> String {
    format!("Rollout{version}")
}

/// Returns the agent of a version's first stage.
pub(crate) fn agent(version: u32) -> String {
    format!("Actor{version}")
}

/// Returns the file that every process starts with.
pub(crate) fn first() -> Result<String> {
    let path = tools::workspace().join("tests/torture/fixtures/fleet.yaml");
    std::fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))
}

/// Returns the file with the agents of versions from `agents` on, and the chains of versions from `chains` on.
fn of_versions(agents: u32, chains: u32, newest: u32) -> Result<String> {
    let (mut new_agents, mut new_chains) = (String::new(), String::new());
    for version in agents..=newest {
        let actor = agent(version);
        write!(
            new_agents,
            "
  {actor}:
    mcp_servers: [ledger]
    iteration_strategy: react
    allow_destructive: true
    custom_instructions: You are the collector.
    limits: {{llm_call_timeout: 5s, tool_call_timeout: 5s}}
  Teller{version}:
    iteration_strategy: react-final-analysis
    custom_instructions: You are the reporter.
    limits: {{llm_call_timeout: 5s}}"
        )?;
    }
    for version in chains..=newest {
        let (actor, alert_type) = (agent(version), alert_type(version));
        write!(
            new_chains,
            "
  rollout-{version}:
    alert_types: [{alert_type}]
    stages:
      - {{name: collect, agent: {actor}}}
      - {{name: report, agent: Teller{version}, pool: reports}}"
        )?;
    }
    let text = first()?;
    let text = text.replacen("\nagents:", &format!("\nagents:{new_agents}"), 1);
    Ok(text.replacen(
        "\nagent_chains:",
        &format!("\nagent_chains:{new_chains}"),
        1,
    ))
}

/// Replaces a file atomically, so that a process that starts finds either the old or the new one.
pub(crate) fn put(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let new = path.with_extension("new");
    std::fs::write(&new, text)?;
    std::fs::rename(&new, path)?;
    Ok(())
}

/// Returns the hash by which a process identifies a file with this text.
pub(crate) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(version: u32) -> Rollout {
        Rollout {
            version,
            ..Rollout::default()
        }
    }

    #[test]
    fn a_version_brings_a_chain_and_drops_that_of_two_versions_ago() -> Result<()> {
        let text = at(3).text()?;
        for name in ["Actor3:", "Teller2:", "[Rollout2]", "[Rollout3]"] {
            assert!(text.contains(name), "{name}");
        }
        for name in ["Actor1", "Teller1", "Rollout1"] {
            assert!(!text.contains(name), "{name}");
        }
        let last = at(3).last_text()?;
        assert!(last.contains("Actor1:") && !last.contains("[Rollout1]"));
        assert_eq!(at(1).text()?, at(1).last_text()?);
        Ok(())
    }

    #[test]
    fn a_broken_version_is_another() -> Result<()> {
        let rollout = at(2);
        for of_syntax in [true, false] {
            assert_ne!(rollout.broken_text(of_syntax)?, rollout.text()?);
        }
        // Also before the first version.
        assert_ne!(at(0).broken_text(false)?, at(0).text()?);
        Ok(())
    }
}
