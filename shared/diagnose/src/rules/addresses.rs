//! Recognises settings that name a service or a port that does not exist.

use serde_json::Value;

use super::words::WORDS;
use crate::cause::Cause;
use crate::cluster::Cluster;
use crate::facts::Container;
use crate::fields::Fields;
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    let mut check = |owner: &ObjectRef, containers: Vec<Container<'_>>, source| {
        let settings = containers.iter().flat_map(|one| one.spec.list("/env"));
        drafts.extend(settings.filter_map(|setting| {
            let (sentence, service) = explain(cluster, owner, setting)?;
            let draft = Draft::new(Cause::WrongAddress, owner.clone(), sentence)
                .affecting(ObjectRef::new("Service", &owner.namespace, service))
                .shown_by(source, setting.text("/value"));
            Some(draft.weighing(-5))
        }));
    };
    for workload in cluster.workloads() {
        check(
            &workload.id,
            workload.template_containers(),
            workload.source,
        );
    }
    for pod in cluster.pods() {
        let owner = cluster.owner(pod);
        let template = cluster.workload_of(&owner);
        if template.is_none_or(|of| of.template_containers().is_empty()) {
            check(&owner, pod.containers(), pod.source);
        }
    }
}

/// Describes what is wrong with a setting, and returns the service that it names.
fn explain<'v>(
    cluster: &Cluster,
    owner: &ObjectRef,
    setting: &'v Value,
) -> Option<(String, &'v str)> {
    let (name, value) = (setting.text("/name"), setting.text("/value"));
    let (host, port) = address(name, value)?;
    let mut parts = host.split('.');
    let service = parts.next()?;
    let namespace = parts.next().unwrap_or(&owner.namespace);
    // Skips hosts outside the cluster, which have dots, and services of other namespaces, which are not known.
    if namespace != owner.namespace
        || parts.next().is_some_and(|part| part != "svc")
        || !cluster.is_listed("Service", namespace)
    {
        return None;
    }
    let Some(known) = cluster.get("Service", namespace, service) else {
        let is_pod = cluster.pods().any(|pod| pod.id.name == service);
        let sentence = format!(
            "Setting `{name}` of {owner} is `{value}`, but namespace {namespace} has no service `{service}`."
        );
        return (!is_pod).then_some((sentence, service));
    };
    let open = known.list("/spec/ports").iter();
    let open: Vec<i64> = open.filter_map(|open| open.number("/port")).collect();
    let shown: Vec<String> = open.iter().map(i64::to_string).collect();
    let sentence = format!(
        "Setting `{name}` of {owner} is `{value}`, but service `{service}` has port {}.",
        shown.join(", ")
    );
    let is_closed = !open.is_empty() && !open.contains(&port?);
    is_closed.then_some((sentence, service))
}

/// Returns host and port of a setting that looks like the address of a service.
fn address<'v>(name: &str, value: &'v str) -> Option<(&'v str, Option<i64>)> {
    let upper = name.to_ascii_uppercase();
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let rest = rest.split(['/', '?', ',']).next()?;
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) => (host, Some(port.parse::<i64>().ok()?)),
        None => (rest, None),
    };
    let is_named = WORDS.addresses.iter().any(|end| upper.ends_with(end));
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
    let is_host = host.starts_with(|c: char| c.is_ascii_lowercase())
        && host.chars().all(is_plain)
        && host != "localhost";
    let is_address =
        port.is_some() || value.contains("://") || host.contains('-') || upper.ends_with("_HOST");
    (is_named && is_host && is_address).then_some((host, port))
}
