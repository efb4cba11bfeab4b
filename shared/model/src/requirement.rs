//! Requirements that a stage's job has for the configuration of its worker.

use crate::Actor;

/// Returns the requirement for the agent `name`.
#[must_use]
pub fn agent_requirement(name: &str) -> String {
    format!("agent:{name}")
}

/// Returns the requirement for the LLM provider `name`.
#[must_use]
pub fn provider_requirement(name: &str) -> String {
    format!("provider:{name}")
}

/// Returns the requirement for the MCP server `id`.
#[must_use]
pub fn server_requirement(id: &str) -> String {
    format!("server:{id}")
}

/// Returns the MCP server that an offer of a worker names, or `None` if it is no server.
#[must_use]
pub fn offered_server(offer: &str) -> Option<&str> {
    offer.strip_prefix("server:")
}

/// Returns the requirement for the built-in function `name`.
#[must_use]
pub fn function_requirement(name: &str) -> String {
    format!("function:{name}")
}

/// Returns what a worker that has the agent `name` offers: one word for each form in which a stage can run the agent.
pub fn agent_offers(name: &str) -> impl Iterator<Item = String> {
    let dispatching = |structured| Actor::DispatchingAgent {
        agent: name,
        structured,
    };
    let forms = [
        Actor::Agent(name),
        Actor::SubAgent(name),
        Actor::StructuredAgent(name),
        Actor::LabellingAgent(name),
        Actor::VerifyingAgent(name),
        dispatching(false),
        dispatching(true),
    ];
    forms
        .into_iter()
        .map(|form| agent_requirement(&form.to_string()))
}

/// Offered by workers whose agents can dispatch others. A stage that has dispatched agents requires it when it is
/// resumed.
pub const DISPATCH_REQUIREMENT: &str = "kind:dispatch";

/// Offered by workers that can run stages of kind `ask`. Older workers can't.
pub const ASK_REQUIREMENT: &str = "kind:ask";

/// Returns what a stage's job requires. `actor` is its [`Actor`] as a word. The Postgres function `stage_requires` returns
/// the same.
///
/// An agent requires itself, because its MCP servers and limits come with it. A tool requires its server, a function
/// itself. Questions and agents also require the provider that is named for them. Strategies are part of the program.
/// No worker offers `kind:wait`, because a wait takes no job.
#[must_use]
pub fn stage_requires(actor: &str, llm_provider: Option<&str>) -> Vec<String> {
    let runs = match Actor::parse(actor) {
        Actor::Agent(name) => agent_requirement(name),
        Actor::SubAgent(_)
        | Actor::StructuredAgent(_)
        | Actor::LabellingAgent(_)
        | Actor::VerifyingAgent(_)
        | Actor::DispatchingAgent { .. } => agent_requirement(actor),
        Actor::Ask => ASK_REQUIREMENT.to_owned(),
        Actor::Tool { server, .. } => server_requirement(server),
        Actor::Function(name) => function_requirement(name),
        Actor::Wait(_) => "kind:wait".to_owned(),
    };
    let provider = llm_provider.map(provider_requirement);
    std::iter::once(runs).chain(provider).collect()
}

/// Returns the message that explains why no worker of a pool can run a stage. `missing` lists the requirements that
/// none of them offers. It is empty if each requirement is offered by some worker, but no worker offers all.
#[must_use]
pub fn unschedulable_reason(
    pool: &str,
    has_worker: bool,
    missing: &[String],
    requires: &[String],
) -> String {
    if !has_worker {
        return format!("no worker serves pool `{pool}`");
    }
    let (names, together) = match missing.is_empty() {
        true => (requires, " together"),
        false => (missing, ""),
    };
    let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
    format!(
        "no live worker of pool `{pool}` knows {}{together}",
        names.join(" and ")
    )
}

fn shown(requirement: &str) -> String {
    match requirement.split_once(':') {
        Some(("server", name)) => format!("MCP server `{name}`"),
        Some(("kind", "dispatch")) => "sub-agents".to_owned(),
        Some(("kind", name)) => format!("stages of kind `{name}`"),
        Some(("provider", name)) => format!("LLM provider `{name}`"),
        Some((kind, name)) => match Actor::parse(name) {
            Actor::SubAgent(agent) => format!("{kind} `{agent}` as a sub-agent"),
            Actor::StructuredAgent(agent) => format!("{kind} `{agent}` with structured output"),
            Actor::LabellingAgent(agent) => format!("{kind} `{agent}` with labels"),
            Actor::VerifyingAgent(agent) => format!("{kind} `{agent}` in stages of kind `verify`"),
            Actor::DispatchingAgent { agent, .. } => {
                format!("{kind} `{agent}` with the sub-agents of its stage")
            }
            _ => format!("{kind} `{name}`"),
        },
        None => format!("`{requirement}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_what_is_missing_where() {
        let requires = stage_requires("Q", Some("big"));
        let reason = |has_worker, missing: &[String]| {
            unschedulable_reason("gpu", has_worker, missing, &requires)
        };
        assert_eq!(reason(false, &requires), "no worker serves pool `gpu`");
        assert_eq!(
            reason(true, &requires[..1]),
            "no live worker of pool `gpu` knows agent `Q`"
        );
        assert_eq!(
            reason(true, &[]),
            "no live worker of pool `gpu` knows agent `Q` and LLM provider `big` together"
        );
        let dispatched = [
            stage_requires("sub-agent:Q", None),
            vec![DISPATCH_REQUIREMENT.to_owned()],
        ]
        .concat();
        assert_eq!(
            unschedulable_reason("gpu", true, &dispatched, &dispatched),
            "no live worker of pool `gpu` knows agent `Q` as a sub-agent and sub-agents"
        );
        let structured = stage_requires("structured-agent:Q", None);
        assert_eq!(
            unschedulable_reason("gpu", true, &structured, &structured),
            "no live worker of pool `gpu` knows agent `Q` with structured output"
        );
        let dispatching = stage_requires("dispatching-agent:Q", None);
        assert_eq!(
            unschedulable_reason("gpu", true, &dispatching, &dispatching),
            "no live worker of pool `gpu` knows agent `Q` with the sub-agents of its stage"
        );
    }

    #[test]
    fn a_worker_offers_its_agents_in_every_form_that_stages_run_them_in() {
        let offers: Vec<String> = agent_offers("Q").collect();
        for word in [
            "Q",
            "sub-agent:Q",
            "structured-agent:Q",
            "dispatching-agent:Q",
            "structured-agent:dispatching-agent:Q",
            "labelling-agent:Q",
            "verifying-agent:Q",
        ] {
            assert!(offers.contains(&stage_requires(word, None)[0]), "{word}");
        }
    }
}
