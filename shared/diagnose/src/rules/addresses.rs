//! Settings that name a service or a port that does not exist.

use crate::cause::Cause;
use crate::facts::{Container, Facts};
use crate::finding::{Draft, ObjectRef};

/// Ends of the names of settings that hold addresses.
const NAMES: [&str; 8] = [
    "_ADDR",
    "_HOST",
    "_URL",
    "_ENDPOINT",
    "_SERVICE",
    "_SERVER",
    "_HOSTNAME",
    "_ADDRESS",
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for workload in &facts.workloads {
        let object = &workload.object.id;
        for container in workload.containers() {
            check(facts, object, &container, workload.object.source(), drafts);
        }
    }
    for pod in &facts.pods {
        let owner = facts.owner(pod);
        if facts
            .workload_of(&owner)
            .is_none_or(|workload| workload.containers().is_empty())
        {
            for container in pod.containers() {
                check(facts, &owner, &container, pod.object.source(), drafts);
            }
        }
    }
}

fn check(
    facts: &Facts<'_>,
    owner: &ObjectRef,
    container: &Container<'_>,
    source: usize,
    drafts: &mut Vec<Draft>,
) {
    if !facts.cluster.is_listed("Service", &owner.namespace) {
        return;
    }
    for (name, value) in container.environment() {
        let Some((host, port)) = address(name, value) else {
            continue;
        };
        let mut parts = host.split('.');
        let service = parts.next().unwrap_or_default();
        let namespace = parts.next().unwrap_or(&owner.namespace);
        // Hosts outside the cluster have dots, and other namespaces are not known.
        if namespace != owner.namespace || parts.next().is_some_and(|part| part != "svc") {
            continue;
        }
        let found = facts.services.iter().find(|known| {
            known.object.id.name == service && known.object.id.namespace == owner.namespace
        });
        let sentence = match found {
            None if facts.pods.iter().any(|pod| pod.object.id.name == service) => continue,
            None => format!(
                "Setting `{name}` of {owner} is `{value}`, but namespace {} has no service `{service}`.",
                owner.namespace
            ),
            Some(known) => {
                let open = known.ports().into_iter().map(|open| open.number);
                let open: Vec<i64> = open.collect();
                if open.is_empty() || port.is_none_or(|port| open.contains(&port)) {
                    continue;
                }
                let open: Vec<String> = open.iter().map(i64::to_string).collect();
                format!(
                    "Setting `{name}` of {owner} is `{value}`, but service `{service}` has port {}.",
                    open.join(", ")
                )
            }
        };
        let draft = Draft::new(Cause::WrongAddress, owner.clone(), sentence);
        drafts.push(
            draft
                .affecting(ObjectRef::new("Service", &owner.namespace, service))
                .shown_by(source, value)
                .weighing(-5),
        );
    }
}

/// Host and port of a setting that looks like an address of a service.
fn address<'v>(name: &str, value: &'v str) -> Option<(&'v str, Option<i64>)> {
    let upper = name.to_ascii_uppercase();
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let rest = rest.split(['/', '?', ',']).next()?;
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) => (host, Some(port.parse::<i64>().ok()?)),
        None => (rest, None),
    };
    let is_named = NAMES.iter().any(|end| upper.ends_with(end));
    let is_host = host.starts_with(|c: char| c.is_ascii_lowercase())
        && host
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
        && host != "localhost";
    let is_address = is_named
        && (port.is_some()
            || value.contains("://")
            || host.contains('-')
            || upper.ends_with("_HOST"));
    (is_host && is_address).then_some((host, port))
}
