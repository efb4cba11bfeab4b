//! Turns drafts into findings: merges drafts of the same failure and ranks origins before symptoms.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cause::Cause;
use crate::cluster::Cluster;
use crate::finding::{Draft, Evidence, Finding, ObjectRef};

/// Maximum number of findings.
const MOST: usize = 8;
/// Maximum number of evidence lines of a finding.
const MOST_LINES: usize = 4;
/// Maximum number of affected objects of a finding.
const MOST_AFFECTED: usize = 6;
/// Highest tier of causes that are only symptoms.
const SYMPTOM: i32 = Cause::CrashLoop.tier();
/// Namespace of the cluster's own components.
const SYSTEM: &str = "kube-system";
/// Maximum length of an evidence line, in bytes.
const LINE: usize = 300;

/// The subject of an alert: its text and its namespace.
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

    /// Whether the alert contains this name, by itself or followed by `-` or `.` as the start of a longer name.
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

    /// Whether the alert names the object, or the object's name without a generated last part of five characters.
    pub(crate) fn names_like(&self, name: &str) -> bool {
        let stem = name.rsplit_once('-').filter(|(_, last)| last.len() == 5);
        self.names(name) || stem.is_some_and(|(stem, _)| self.names(stem))
    }
}

/// Finds the namespace in an alert's data: in a field whose name ends with `namespace`, or in a text.
fn namespace(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::String(text) => namespace_in(text),
        Value::Object(map) => {
            let named = map.iter().find_map(|(key, value)| {
                let is_named = key.to_ascii_lowercase().ends_with("namespace");
                let text = value.as_str().filter(|text| is_named && !text.is_empty())?;
                Some(text.to_owned())
            });
            let mut others = map.values().filter(|_| depth < 5);
            named.or_else(|| others.find_map(|value| namespace(value, depth + 1)))
        }
        _ => None,
    }
}

/// Returns the name after or before the word `namespace`. Only a word with a digit or a hyphen counts as a name:
/// `namespace shop-2`, not `namespace of`.
fn namespace_in(text: &str) -> Option<String> {
    let (before, after) = text.split_once("namespace")?;
    let following = after.split_whitespace().next();
    let preceding = before.split_whitespace().next_back();
    let is_name = |word: &&str| {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        word.chars().all(is_plain) && word.contains(|c: char| !c.is_ascii_lowercase())
    };
    let words = [following, preceding].into_iter().flatten();
    words
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .find(is_name)
        .map(str::to_owned)
}

/// Merges and ranks drafts, and adds the lines that show them.
pub(crate) fn findings(cluster: &Cluster, focus: &Focus, drafts: Vec<Draft>) -> Vec<Finding> {
    let mut merged: BTreeMap<(Cause, ObjectRef), Draft> = BTreeMap::new();
    let drafts = drafts.into_iter();
    for draft in drafts.filter(|draft| is_meant(focus, &draft.object)) {
        let key = (draft.cause, draft.object.clone());
        let draft = match merged.remove(&key) {
            // The draft with more weight has the better sentence.
            Some(known) if draft.weight > known.weight => draft.with(known),
            Some(known) => known.with(draft),
            None => draft,
        };
        merged.insert(key, draft);
    }
    let drafts: Vec<Draft> = merged.into_values().collect();
    let mut ranked: Vec<&Draft> = drafts.iter().collect();
    ranked.sort_by_cached_key(|draft| -score(cluster, focus, draft, &drafts));
    // A symptom is dropped if a finding with a higher tier already covers its object.
    let explained = |draft: &Draft| {
        let tier = draft.cause.tier();
        let mut others = drafts.iter();
        tier <= SYMPTOM
            && others.any(|other| other.cause.tier() > tier && is_about(other, &draft.object))
    };
    let kept = ranked.into_iter().filter(|draft| !explained(draft));
    (1..)
        .zip(kept.take(MOST))
        .map(|(rank, draft)| Finding {
            rank,
            object: draft.object.clone(),
            cause: draft.cause,
            sentence: draft.sentence.clone(),
            affected: draft.affected.iter().take(MOST_AFFECTED).cloned().collect(),
            evidence: draft
                .proofs
                .iter()
                .filter_map(|(source, needle)| evidence(cluster, *source, needle))
                .take(MOST_LINES)
                .collect(),
        })
        .collect()
}

/// Whether an object is relevant to the alert: it is in the alert's namespace, belongs to no namespace, is in
/// `kube-system`, is named by the alert, or its name contains `dns`. Without a namespace in the alert every object is
/// relevant.
fn is_meant(focus: &Focus, object: &ObjectRef) -> bool {
    focus.namespace.as_ref().is_none_or(|namespace| {
        [namespace, "", SYSTEM].contains(&object.namespace.as_str())
            || focus.names_like(&object.name)
            || object.name.contains("dns")
    })
}

fn is_about(draft: &Draft, object: &ObjectRef) -> bool {
    draft.object == *object || draft.affected.contains(object)
}

/// Scores a draft: tier and weight of its cause, plus points for affected objects, objects that the alert names, and
/// dependencies between drafts.
fn score(cluster: &Cluster, focus: &Focus, draft: &Draft, all: &[Draft]) -> i32 {
    let points = |is: bool, points: i32| if is { points } else { 0 };
    let names = |object: &ObjectRef| focus.names_like(&object.name);
    let is_named = |draft: &Draft| names(&draft.object) || draft.affected.iter().any(names);
    let others = || all.iter().filter(|other| !std::ptr::eq(*other, draft));
    let is_served_by = |host: &str, object: &ObjectRef| {
        cluster.of_kind("Service").any(|service| {
            let mut pods = cluster.selected(service);
            service.id.name == host && pods.any(|pod| cluster.owner(pod) == *object)
        })
    };
    let is_awaited = |by: &Draft, object: &ObjectRef| {
        by.host().is_some_and(|host| {
            by.object != *object && (object.name == host || is_served_by(host, object))
        })
    };
    let waits = others()
        .any(|other| other.cause.tier() >= draft.cause.tier() && is_awaited(draft, &other.object));
    let is_named_itself = names(&draft.object);
    let is_awaited = others().any(|other| is_awaited(other, &draft.object));
    let is_other = !is_awaited && !is_named(draft);
    let named = all.iter().filter(|other| is_named(other));
    let named = named.map(|other| other.cause.tier()).max();
    let is_of_system = draft.object.namespace == SYSTEM;
    let is_of_node = |other: &Draft| {
        other.object.kind == "Node" && draft.node.as_ref() == Some(&other.object.name)
    };
    draft.cause.tier()
        + draft.weight
        + i32::try_from(draft.affected.len().min(5)).unwrap_or(0)
        + points(is_named_itself, 12)
        + points(!is_named_itself && is_named(draft), 8)
        + points(is_awaited, 15)
        // It waits for an object that has a failure of its own.
        - points(waits, 40)
        // It is unrelated to the objects that the alert names, and those have findings of their own.
        - points(is_other && named.is_some(), 30)
        - points(is_other && named.is_some_and(|tier| tier > SYMPTOM), 30)
        // A failure of the cluster's own components rarely affects another namespace.
        - points(is_of_system && focus.namespace.as_deref() != Some(SYSTEM), 30)
        // A finding about its node explains it.
        - points(others().any(is_of_node), 15)
}

/// Finds the line of a result that contains a needle, or at least the beginning of the needle.
fn evidence(cluster: &Cluster, source: usize, needle: &str) -> Option<Evidence> {
    let source = cluster.sources.get(source)?;
    // JSON escapes quotes and line breaks, and YAML wraps long lines, so the beginning of the needle is enough.
    let plain = needle.split(['"', '\n', '\\']).next().unwrap_or_default();
    let prefix = |length| &plain[..plain.floor_char_boundary(length)];
    let tries = [needle, plain, prefix(48), prefix(24)];
    let mut tries = tries.iter().filter(|text| text.len() >= 3);
    let (number, line, text) = tries.find_map(|text| {
        let mut lines = source.text.lines().enumerate();
        let (number, line) = lines.find(|(_, line)| line.contains(text))?;
        Some((number, line, text))
    })?;
    Some(Evidence {
        call: source.call(),
        line: number + 1,
        text: around(line, text),
    })
}

/// Cuts a long line to the part around a text.
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
