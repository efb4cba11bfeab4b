//! The agent, model, tool or function that runs a stage. A row has it in two columns, `agent` and `requires`.

use std::fmt;

/// Prefix for an agent whose stage lists the sub-agents that it may dispatch.
const DISPATCHING: &str = "dispatching-agent:";

/// The agent, model, tool or function that runs a stage, as one word: the bare name of an agent, or `<kind>:<name>`. The
/// two can't be confused, because names of agents contain no colon.
///
/// What workers must know to run a configured agent is a prefix of the word. A row has it in the column `requires` and
/// the bare name in `agent`. The Postgres functions `actor_requires` and `actor_name` take a word apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor<'a> {
    /// A configured agent, by name: `KubernetesAgent`.
    Agent(&'a str),
    /// A configured agent that another agent dispatched, by name: `sub-agent:LogAgent`. Versions that don't know
    /// sub-agents offer no such agent, so they leave its stages alone.
    SubAgent(&'a str),
    /// A configured agent whose conclusion becomes structured output, by name: `structured-agent:LogAgent`. Versions
    /// that would omit the output offer no such agent. People see the bare name ([`shown_actor`]).
    StructuredAgent(&'a str),
    /// A configured agent whose stage lists the sub-agents that it may dispatch: `dispatching-agent:LogAgent`, or
    /// `structured-agent:dispatching-agent:LogAgent` if its conclusion becomes structured output too. Versions that
    /// would use the agent's own list offer no such agent. Versions that know only structured output write these words
    /// back unchanged.
    DispatchingAgent {
        /// The agent.
        agent: &'a str,
        /// Whether its conclusion becomes structured output.
        structured: bool,
    },
    /// A configured agent that gives its session one of the chain's labels, whatever else its stage has:
    /// `labelling-agent:LogAgent`. Versions that would mistake the question for the label for the conclusion offer no
    /// such agent.
    LabellingAgent(&'a str),
    /// A configured agent that tries to refute the claims of another stage: `verifying-agent:LogAgent`. Versions that
    /// would let it investigate instead offer no such agent.
    VerifyingAgent(&'a str),
    /// A model that is asked once: `ask:model`.
    Ask,
    /// A tool of an MCP server: `tool:ssh.run`.
    Tool {
        /// The server, whose id has no dot.
        server: &'a str,
        /// Its tool.
        tool: &'a str,
    },
    /// A built-in function: `function:rank`.
    Function(&'a str),
    /// Nothing runs: the stage waits. The name is the kind of wait: `wait:approval`.
    Wait(&'a str),
}

impl<'a> Actor<'a> {
    /// Parses an actor's word. A word of no known form is an agent's name.
    #[must_use]
    pub fn parse(word: &'a str) -> Self {
        match word.split_once(':') {
            Some(("ask", _)) => Self::Ask,
            Some(("tool", call)) => {
                call.split_once('.')
                    .map_or(Self::Agent(word), |(server, tool)| Self::Tool {
                        server,
                        tool,
                    })
            }
            Some(("sub-agent", name)) => Self::SubAgent(name),
            Some(("structured-agent", name)) => match name.strip_prefix(DISPATCHING) {
                Some(agent) => Self::DispatchingAgent {
                    agent,
                    structured: true,
                },
                None => Self::StructuredAgent(name),
            },
            Some(("dispatching-agent", agent)) => Self::DispatchingAgent {
                agent,
                structured: false,
            },
            Some(("labelling-agent", name)) => Self::LabellingAgent(name),
            Some(("verifying-agent", name)) => Self::VerifyingAgent(name),
            Some(("function", name)) => Self::Function(name),
            Some(("wait", name)) => Self::Wait(name),
            _ => Self::Agent(word),
        }
    }

    /// Name of the configured agent, if one runs it.
    #[must_use]
    pub const fn agent(self) -> Option<&'a str> {
        match self {
            Self::Agent(name)
            | Self::SubAgent(name)
            | Self::StructuredAgent(name)
            | Self::LabellingAgent(name)
            | Self::VerifyingAgent(name)
            | Self::DispatchingAgent { agent: name, .. } => Some(name),
            Self::Ask | Self::Tool { .. } | Self::Function(_) | Self::Wait(_) => None,
        }
    }

    /// The same actor with the agent `name` in place of its agent.
    #[must_use]
    pub const fn by_agent(self, name: &'a str) -> Self {
        match self {
            Self::SubAgent(_) => Self::SubAgent(name),
            Self::StructuredAgent(_) => Self::StructuredAgent(name),
            Self::DispatchingAgent { structured, .. } => Self::DispatchingAgent {
                agent: name,
                structured,
            },
            Self::LabellingAgent(_) => Self::LabellingAgent(name),
            Self::VerifyingAgent(_) => Self::VerifyingAgent(name),
            _ => Self::Agent(name),
        }
    }

    /// The kind of its stages, as the configuration writes it.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Agent(_)
            | Self::SubAgent(_)
            | Self::StructuredAgent(_)
            | Self::LabellingAgent(_)
            | Self::DispatchingAgent { .. } => "agent",
            Self::VerifyingAgent(_) => "verify",
            Self::Ask => "ask",
            Self::Tool { .. } => "tool",
            Self::Function(_) => "function",
            Self::Wait(_) => "wait",
        }
    }
}

/// Returns the part of an actor's word that people see. They don't see that an agent's output is structured, that it gives
/// a label or verifies, or that its stage lists sub-agents. Only other versions need to know these.
#[must_use]
pub fn shown_actor(word: &str) -> &str {
    match Actor::parse(word) {
        Actor::StructuredAgent(name)
        | Actor::LabellingAgent(name)
        | Actor::VerifyingAgent(name)
        | Actor::DispatchingAgent { agent: name, .. } => name,
        _ => word,
    }
}

impl fmt::Display for Actor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(name) => f.write_str(name),
            Self::SubAgent(name) => write!(f, "sub-agent:{name}"),
            Self::StructuredAgent(name) => write!(f, "structured-agent:{name}"),
            Self::LabellingAgent(name) => write!(f, "labelling-agent:{name}"),
            Self::VerifyingAgent(name) => write!(f, "verifying-agent:{name}"),
            Self::DispatchingAgent { agent, structured } => {
                f.write_str(if *structured { "structured-agent:" } else { "" })?;
                write!(f, "{DISPATCHING}{agent}")
            }
            Self::Ask => f.write_str("ask:model"),
            Self::Tool { server, tool } => write!(f, "tool:{server}.{tool}"),
            Self::Function(name) => write!(f, "function:{name}"),
            Self::Wait(name) => write!(f, "wait:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Actor, shown_actor};

    #[test]
    fn a_row_names_what_ran_its_stage() {
        for (word, actor, kind) in [
            ("KubernetesAgent", Actor::Agent("KubernetesAgent"), "agent"),
            ("ask", Actor::Agent("ask"), "agent"),
            ("sub-agent:Logs", Actor::SubAgent("Logs"), "agent"),
            (
                "structured-agent:Logs",
                Actor::StructuredAgent("Logs"),
                "agent",
            ),
            (
                "dispatching-agent:Lead",
                Actor::DispatchingAgent {
                    agent: "Lead",
                    structured: false,
                },
                "agent",
            ),
            (
                "structured-agent:dispatching-agent:Lead",
                Actor::DispatchingAgent {
                    agent: "Lead",
                    structured: true,
                },
                "agent",
            ),
            (
                "labelling-agent:Logs",
                Actor::LabellingAgent("Logs"),
                "agent",
            ),
            (
                "verifying-agent:Logs",
                Actor::VerifyingAgent("Logs"),
                "verify",
            ),
            ("ask:model", Actor::Ask, "ask"),
            (
                "tool:ssh.run.now",
                Actor::Tool {
                    server: "ssh",
                    tool: "run.now",
                },
                "tool",
            ),
            ("function:rank", Actor::Function("rank"), "function"),
            ("wait:timer", Actor::Wait("timer"), "wait"),
        ] {
            assert_eq!(Actor::parse(word), actor);
            assert_eq!((actor.to_string().as_str(), actor.kind()), (word, kind));
        }
    }

    #[test]
    fn people_are_shown_the_name_of_an_agent() {
        let shown = [
            "structured-agent:Logs",
            "dispatching-agent:Logs",
            "structured-agent:dispatching-agent:Logs",
            "labelling-agent:Logs",
            "verifying-agent:Logs",
            "sub-agent:Logs",
            "ask:model",
        ]
        .map(shown_actor);
        assert_eq!(
            shown,
            [
                "Logs",
                "Logs",
                "Logs",
                "Logs",
                "Logs",
                "sub-agent:Logs",
                "ask:model"
            ]
        );
    }

    #[test]
    fn another_agent_does_the_same_work() {
        for word in [
            "Logs",
            "sub-agent:Logs",
            "structured-agent:Logs",
            "dispatching-agent:Logs",
            "structured-agent:dispatching-agent:Logs",
            "labelling-agent:Logs",
            "verifying-agent:Logs",
        ] {
            let other = Actor::parse(word).by_agent("Deep").to_string();
            assert_eq!(other, word.replace("Logs", "Deep"));
        }
    }
}
