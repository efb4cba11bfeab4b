//! Rules that recognise failures, one file for each family.
//!
//! A rule examines the cluster and adds drafts. It is independent of the other rules.

mod addresses;
mod crashes;
mod drafts;
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
mod webhooks;
mod words;
mod workloads;

use crate::cluster::Cluster;
use crate::finding::Draft;

/// Finds the failures of one family.
type Rule = fn(&Cluster, &mut Vec<Draft>);

/// Every rule. Their order does not matter: drafts are ranked.
const RULES: [Rule; 15] = [
    addresses::find,
    crashes::find,
    finalizers::find,
    images::find,
    logs::find,
    network::find,
    nodes::find,
    probes::find,
    quotas::find,
    references::find,
    scheduling::find,
    services::find,
    volumes::find,
    webhooks::find,
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
