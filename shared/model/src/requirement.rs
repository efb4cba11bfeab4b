//! Requirements of a stage on its worker's configuration.

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

/// What a stage's job requires: its agent, and the provider that is named for it. Postgres' function
/// `stage_requires` says the same.
///
/// The agent's MCP servers and limits come with it. Strategies are part of the program.
#[must_use]
pub fn stage_requires(agent: &str, llm_provider: Option<&str>) -> Vec<String> {
    let provider = llm_provider.map(provider_requirement);
    std::iter::once(agent_requirement(agent))
        .chain(provider)
        .collect()
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
        Some(("provider", name)) => format!("LLM provider `{name}`"),
        Some((kind, name)) => format!("{kind} `{name}`"),
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
    }
}
