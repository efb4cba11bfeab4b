//! Requirements of a stage on its worker's configuration.

use crate::Actor;

/// Names the agent `name` among what a worker offers.
#[must_use]
pub fn agent_requirement(name: &str) -> String {
    format!("agent:{name}")
}

/// Names the LLM provider `name` among what a worker offers.
#[must_use]
pub fn provider_requirement(name: &str) -> String {
    format!("provider:{name}")
}

/// Names the MCP server `id` among what a worker offers.
#[must_use]
pub fn server_requirement(id: &str) -> String {
    format!("server:{id}")
}

/// The MCP server that something offered names, if it names one.
#[must_use]
pub fn offered_server(offer: &str) -> Option<&str> {
    offer.strip_prefix("server:")
}

/// Names the built-in function `name` among what a worker offers.
#[must_use]
pub fn function_requirement(name: &str) -> String {
    format!("function:{name}")
}

/// Names the agent `name`, as each form of stage runs it, among what a worker offers.
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

/// Offered by workers whose agents can dispatch others. Required of who resumes a stage that has.
pub const DISPATCH_REQUIREMENT: &str = "kind:dispatch";

/// Offered by workers that can run stages of kind `ask`: older ones can't.
pub const ASK_REQUIREMENT: &str = "kind:ask";

/// What a stage's job requires. `actor` is the column `agent` of its row ([`Actor`]); Postgres' function
/// `stage_requires` says the same.
///
/// An agent requires itself (its MCP servers and limits come with it), a question and an agent the provider that is named for
/// them, a tool its server, a function itself. Strategies are part of the program. Nothing offers to wait: that takes no job.
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

/// Message why no worker of a pool can run a stage. `missing`: what of the requirements none of
/// them offers; empty if each is offered by some, but not all by one.
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
