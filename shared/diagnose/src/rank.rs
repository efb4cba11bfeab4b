//! From drafts to findings: the same failure once, origins before symptoms.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cause::Cause;
use crate::cluster::Cluster;
use crate::facts::Facts;
use crate::finding::{Draft, Evidence, Finding, ObjectRef, Proof};

/// Findings that are returned.
const MOST: usize = 8;
/// Lines that are shown of each.
const MOST_LINES: usize = 4;
/// Affected objects that are named.
const MOST_AFFECTED: usize = 6;
/// Tier of causes that explain nothing.
const SYMPTOM: i32 = Cause::CrashLoop.tier();
/// Namespace of what a cluster runs for itself.
const SYSTEM: &str = "kube-system";
/// Longest line, in bytes.
const LINE: usize = 300;

/// What the alert is about.
pub(crate) struct Focus {
    text: String,
    pub(crate) namespace: Option<String>,
}

impl Focus {
    pub(crate) fn new(alert: &Value) -> Self {
        Self {
            text: alert.to_string(),
            namespace: namespace(alert, 0),
        }
    }

    /// Whether the alert names an object, or one whose name begins so.
    pub(crate) fn names(&self, name: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        name.len() > 2
            && self.text.match_indices(name).any(|(at, _)| {
                let before = self.text[..at].chars().next_back();
                let after = self.text[at + name.len()..].chars().next();
                !before.is_some_and(is_part)
                    && !after.is_some_and(|c| is_part(c) && c != '-' && c != '.')
            })
    }
}

impl Focus {
    /// Whether the alert names an object, or the workload whose name that of a pod begins with.
    pub(crate) fn names_like(&self, name: &str) -> bool {
        let stem = name.rsplit_once('-').filter(|(_, last)| last.len() == 5);
        self.names(name) || stem.is_some_and(|(stem, _)| self.names(stem))
    }
}

/// The namespace in an alert's data: in a field whose name ends so.
fn namespace(value: &Value, depth: usize) -> Option<String> {
    let Value::Object(map) = value else {
        return match value {
            Value::String(text) => {
                let (before, after) = text.split_once("namespace")?;
                let is_name = |word: &str| {
                    !word.is_empty()
                        && word
                            .chars()
                            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
                };
                let bare = |word: &'_ str| {
                    word.trim_matches(|c: char| !c.is_ascii_alphanumeric())
                        .to_owned()
                };
                let following = after.split_whitespace().next().map(bare);
                let preceding = before.split_whitespace().next_back().map(bare);
                // `namespace shop-2`, not `namespace of`.
                let is_own = |word: &String| {
                    is_name(word)
                        && word.contains(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
                };
                following
                    .filter(is_own)
                    .or_else(|| preceding.filter(is_own))
            }
            _ => None,
        };
    };
    let named = map.iter().find_map(|(key, value)| {
        let text = value.as_str().filter(|text| !text.is_empty())?;
        key.to_ascii_lowercase()
            .ends_with("namespace")
            .then(|| text.to_owned())
    });
    named.or_else(|| match depth < 5 {
        true => map.values().find_map(|value| namespace(value, depth + 1)),
        false => None,
    })
}

/// Ranks drafts and shows their lines.
pub(crate) fn findings(facts: &Facts<'_>, focus: &Focus, drafts: Vec<Draft>) -> Vec<Finding> {
    let mut merged: BTreeMap<(Cause, ObjectRef), Draft> = BTreeMap::new();
    for draft in drafts
        .into_iter()
        .filter(|draft| is_meant(focus, &draft.object))
    {
        let key = (draft.cause, draft.object.clone());
        match merged.get_mut(&key) {
            Some(known) => {
                // The weightier one has the better sentence.
                let (mut first, second) = match draft.weight > known.weight {
                    true => (draft, known.clone()),
                    false => (known.clone(), draft),
                };
                for object in second.affected {
                    first = first.affecting(object);
                }
                for proof in second.proofs {
                    first = first.shown_by(proof.source, &proof.needle);
                }
                *known = first;
            }
            None => {
                merged.insert(key, draft);
            }
        }
    }
    let drafts: Vec<Draft> = merged.into_values().collect();
    let mut scored: Vec<(i32, &Draft)> = drafts
        .iter()
        .map(|draft| (score(facts, focus, draft, &drafts), draft))
        .collect();
    scored.sort_by_key(|(score, _)| -score);
    // A symptom that an origin explains is said there.
    let explained = |draft: &Draft| {
        draft.cause.tier() <= Cause::CrashLoop.tier()
            && drafts.iter().any(|other| {
                other.cause.tier() > draft.cause.tier() && is_about(other, &draft.object)
            })
    };
    let kept = scored
        .into_iter()
        .map(|(_, draft)| draft)
        .filter(|draft| !explained(draft))
        .take(MOST);
    (1..)
        .zip(kept)
        .map(|(rank, draft)| Finding {
            rank,
            object: draft.object.clone(),
            cause: draft.cause,
            sentence: draft.sentence.clone(),
            affected: draft.affected.iter().take(MOST_AFFECTED).cloned().collect(),
            evidence: draft
                .proofs
                .iter()
                .filter_map(|proof| evidence(facts.cluster, proof))
                .take(MOST_LINES)
                .collect(),
        })
        .collect()
}

/// Whether an object is where the alert looks: its namespace, the cluster, or the system's.
fn is_meant(focus: &Focus, object: &ObjectRef) -> bool {
    match &focus.namespace {
        Some(namespace) => {
            object.namespace == *namespace
                || object.namespace.is_empty()
                || object.namespace == SYSTEM
                || focus.names_like(&object.name)
                || object.name.contains("dns")
        }
        None => true,
    }
}

fn is_about(draft: &Draft, object: &ObjectRef) -> bool {
    draft.object == *object || draft.affected.contains(object)
}

/// Tier of the cause and its weight, then what the alert names, how many suffer, and what depends on what.
fn score(facts: &Facts<'_>, focus: &Focus, draft: &Draft, all: &[Draft]) -> i32 {
    let mut score = draft.cause.tier() + draft.weight;
    let is_named = |draft: &Draft| {
        let objects = || std::iter::once(&draft.object).chain(&draft.affected);
        objects().any(|object| focus.names_like(&object.name))
    };
    if focus.names_like(&draft.object.name) {
        score += 12;
    } else if is_named(draft) {
        score += 8;
    }
    score += i32::try_from(draft.affected.len().min(5)).unwrap_or(0);
    let others = || all.iter().filter(|other| !std::ptr::eq(*other, draft));
    // It waits for something that fails by itself.
    let waits = draft
        .waits_for
        .as_deref()
        .map(|host| host.split(['.', ':']).next().unwrap_or(host));
    let is_host = |host: &str, object: &ObjectRef| {
        object.name == host
            || facts.services.iter().any(|service| {
                service.object.id.name == host
                    && service.pods(facts).any(|pod| facts.owner(pod) == *object)
            })
    };
    if let Some(host) = waits
        && others().any(|other| {
            other.object != draft.object
                && is_host(host, &other.object)
                && other.cause.tier() >= draft.cause.tier()
        })
    {
        score -= 40;
    }
    let awaited = others().any(|other| {
        let host = other
            .waits_for
            .as_deref()
            .map(|host| host.split(['.', ':']).next().unwrap_or(host));
        host.is_some_and(|host| other.object != draft.object && is_host(host, &draft.object))
    });
    let named = all.iter().filter(|other| is_named(other));
    if awaited {
        score += 15;
    } else if !is_named(draft) {
        // Other failures of the namespace, if what the alert names has one of its own.
        let most = named.map(|other| other.cause.tier()).max();
        score -= most.map_or(0, |tier| if tier > SYMPTOM { 60 } else { 30 });
    }
    // The system's failures reach a namespace now and then.
    if draft.object.namespace == SYSTEM && focus.namespace.as_deref() != Some(SYSTEM) {
        score -= 30;
    }
    // Its node explains it.
    let is_of_node =
        |node: &str| others().any(|other| other.object.kind == "Node" && other.object.name == node);
    if draft.node.as_deref().is_some_and(is_of_node) {
        score -= 15;
    }
    score
}

/// The line of a result that shows a proof.
fn evidence(cluster: &Cluster, proof: &Proof) -> Option<Evidence> {
    let source = cluster.sources.get(proof.source)?;
    let needle = proof.needle.as_str();
    // JSON escapes quotes and lines, and YAML breaks long lines: their beginning is enough.
    let plain = needle.split(['"', '\n', '\\']).next().unwrap_or_default();
    let prefix = |length: usize| {
        plain
            .get(..plain.floor_char_boundary(length))
            .unwrap_or(plain)
    };
    let tries = [needle, plain, prefix(48), prefix(24)];
    let found = tries
        .iter()
        .filter(|text| text.len() >= 3)
        .find_map(|text| {
            let lines = source.text.lines().enumerate();
            lines
                .filter(|(_, line)| line.contains(text))
                .map(|(number, line)| (number, line, *text))
                .next()
        });
    let (number, line, text) = found?;
    Some(Evidence {
        call: source.call(),
        line: number + 1,
        text: around(line, text),
    })
}

/// A line, cut to what surrounds a text.
fn around(line: &str, text: &str) -> String {
    let line = line.trim();
    if line.len() <= LINE {
        return line.to_owned();
    }
    let at = line.find(text).unwrap_or(0);
    let from = line.floor_char_boundary(at.saturating_sub(60));
    let to = line.floor_char_boundary((from + LINE).min(line.len()));
    format!("..{}..", &line[from..to])
}
