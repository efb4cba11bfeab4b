//! Phases: names, order and dependencies.

use clap::ValueEnum;

/// A part of `cargo xtask test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Phase {
    /// All code is formatted (rustfmt)
    Format,
    /// All programs and tests compile
    Build,
    /// The committed query metadata equal those that the macros write for a migrated database
    Queries,
    /// No lint warnings (clippy)
    Clippy,
    /// The documentation builds without warnings
    Docs,
    /// All examples in the documentation
    Doctests,
    /// All tests
    Tests,
    /// The web apps in a browser, with a real fleet
    Screens,
    /// Response times of the web apps; runs while no other phase does
    Speed,
    /// Find or install the programs that tests start
    Tools,
    /// Licences, bans and sources of all dependencies (cargo-deny)
    Dependencies,
    /// The web apps: lint, unit tests, build and size
    Web,
    /// Chart, compose file, Containerfile and units: schemas, policies, consistency
    Deploy,
    /// The API conforms to its OpenAPI document (Schemathesis)
    Contract,
    /// One minute of fault injection (`cargo xtask torture`)
    Torture,
}

/// Phases of a lane run one after another, in parallel to the other lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Phases of cargo, then those that need the whole machine. Prints to the terminal.
    Main,
    /// Phases that wait for the network or use one core. Prints to a log.
    Side,
}

impl Phase {
    /// All phases in table order; within a lane, in running order.
    pub(super) const ALL: [Self; 15] = [
        Self::Format,
        Self::Build,
        Self::Queries,
        Self::Clippy,
        Self::Docs,
        Self::Doctests,
        Self::Tests,
        Self::Screens,
        Self::Speed,
        Self::Tools,
        Self::Dependencies,
        Self::Web,
        Self::Deploy,
        Self::Contract,
        Self::Torture,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Format => "Format",
            Self::Queries => "Queries, against a migrated database",
            Self::Clippy => "Clippy",
            Self::Docs => "Documentation",
            Self::Build => "Build",
            Self::Doctests => "Examples in the documentation",
            Self::Tests => "Tests",
            Self::Screens => "Web apps in a browser, over a real fleet",
            Self::Speed => "Web apps: how long a person waits",
            Self::Torture => "Torture: faults, then invariants",
            Self::Tools => "Tools",
            Self::Dependencies => {
                "Dependencies: licences, bans, sources (advisories need the network: not checked)"
            }
            Self::Web => "Web apps: lint, unit tests, build and size",
            Self::Deploy => "Deployment: chart, compose file, Containerfile, units",
            Self::Contract => "Contract: the API against its OpenAPI document",
        }
    }

    pub(super) fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    pub(super) fn lane(self) -> Lane {
        match self {
            Self::Tools
            | Self::Dependencies
            | Self::Web
            | Self::Deploy
            | Self::Contract
            | Self::Torture => Lane::Side,
            _ => Lane::Main,
        }
    }

    /// Whether the phase can't run if the build failed.
    pub(super) fn needs_build(self) -> bool {
        matches!(
            self,
            Self::Tests
                | Self::Doctests
                | Self::Screens
                | Self::Speed
                | Self::Contract
                | Self::Torture
        )
    }

    /// Returns the phases of the other lane that must have finished, with any outcome.
    pub(super) fn waits_for(self) -> &'static [Self] {
        match self {
            Self::Tests => &[Self::Tools],
            // Tests, torture and screens each use both cores. In parallel they would only slow each other down until
            // they time out.
            Self::Screens => &[
                Self::Dependencies,
                Self::Web,
                Self::Deploy,
                Self::Contract,
                Self::Torture,
            ],
            Self::Contract => &[Self::Build],
            Self::Torture => &[Self::Tests],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lanes_never_wait_for_each_other() {
        let mut lanes = [Lane::Main, Lane::Side].map(|lane| {
            let mut phases = Phase::ALL.to_vec();
            phases.retain(|phase| phase.lane() == lane);
            phases.reverse();
            phases
        });
        let mut ended: Vec<Phase> = Vec::new();
        while ended.len() < Phase::ALL.len() {
            let ready = lanes.iter_mut().find_map(|lane| {
                lane.pop_if(|phase| phase.waits_for().iter().all(|other| ended.contains(other)))
            });
            ended.push(ready.unwrap_or_else(|| panic!("stuck after {ended:?}")));
        }
    }
}
