//! Rules that recognise failures, one file for each family. Failures that a single event shows are rows of
//! `events.json`.
//!
//! A rule examines the cluster and adds drafts. It is independent of the other rules.

mod addresses;
mod crashes;
mod drafts;
mod events;
mod finalizers;
mod images;
mod logs;
mod messages;
mod network;
mod nodes;
mod probes;
mod quotas;
mod references;
mod scheduling;
mod services;
mod volumes;
mod words;
mod workloads;

use crate::cluster::Cluster;
use crate::finding::Draft;

/// Finds the failures of one family.
type Rule = fn(&Cluster, &mut Vec<Draft>);

/// Every rule. If two rules draft the same failure with equal weight, the sentence of the first is kept.
const RULES: [Rule; 15] = [
    addresses::find,
    crashes::find,
    finalizers::find,
    images::find,
    logs::find,
    network::find,
    nodes::find,
    events::find,
    probes::find,
    quotas::find,
    references::find,
    scheduling::find,
    services::find,
    volumes::find,
    workloads::find,
];

/// Applies all rules and returns their drafts.
pub(crate) fn apply(cluster: &Cluster) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rule in RULES {
        rule(cluster, &mut drafts);
    }
    drafts
}
