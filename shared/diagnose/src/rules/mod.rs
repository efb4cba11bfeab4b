//! One file for each family of failures. A rule looks at the cluster and adds drafts; it knows nothing of other rules.

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

/// What all rules find.
pub(crate) fn apply(cluster: &Cluster) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rule in RULES {
        rule(cluster, &mut drafts);
    }
    drafts
}
