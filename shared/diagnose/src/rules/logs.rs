//! Recognises failures in the logs of applications.

use super::messages::{between, has, short};
use super::words::{self, LOGS, WORDS, is_in};
use crate::cause::Cause;
use crate::cluster::{Cluster, Log, Object};
use crate::finding::{Draft, ObjectRef};

pub(super) fn find(cluster: &Cluster, drafts: &mut Vec<Draft>) {
    for log in &cluster.logs {
        let Some((line, cause, what, count)) = worst(log) else {
            continue;
        };
        let pods = writers(cluster, log);
        let fails = |pod: &&Object| !pod.is_healthy() || pod.restarts() >= 3;
        // If no pods are known at all, the log alone decides. Otherwise a log needs a known pod.
        let is_alone = !log.pod.name.is_empty() && cluster.pods().next().is_none();
        let is_failing = is_alone || pods.iter().any(fails);
        // A healthy pod may have logged an error that is over by now.
        let mut last = log.lines.iter().rev().take(40);
        let is_lasting = count >= 3 && last.any(|line| meaning(line) == Some(cause));
        if is_failing || is_lasting && !pods.is_empty() {
            let pod = pods.iter().find(|pod| fails(pod)).or_else(|| pods.first());
            drafts.push(draft(cluster, log, pod.copied(), line, cause, &what, count));
        }
    }
}

/// Returns the pods that wrote a log: the pod of that name, or the pods of a workload of that name.
fn writers<'c>(cluster: &'c Cluster, log: &Log) -> Vec<&'c Object> {
    let name = &log.pod.name;
    let pods = || {
        cluster
            .pods()
            .filter(|pod| !name.is_empty() && cluster.owner(pod).name == *name)
    };
    let pod = cluster.pod(&log.pod);
    pod.map_or_else(|| pods().collect(), |pod| vec![pod])
}

/// Returns the cause that a line points to, and a description of it.
fn read(line: &str) -> Option<(Cause, String)> {
    let lower = line.to_ascii_lowercase();
    if let Some(name) = unset(line, &lower) {
        let what = format!("setting `{name}` is missing (environment variable undefined)");
        return Some((Cause::MissingEnvironment, what));
    }
    let row = words::find(&LOGS, &lower).filter(|_| !has(&lower, &WORDS.success))?;
    Some((row.cause, row.text.to_owned()))
}

/// Returns only the cause that a line points to.
pub(super) fn meaning(line: &str) -> Option<Cause> {
    read(line).map(|(cause, _)| cause)
}

/// Returns the setting that a line reports as missing.
fn unset<'l>(line: &'l str, lower: &str) -> Option<&'l str> {
    let of_environment = ["env", "variable", "setting", "config", "keyerror"];
    if !has(lower, &WORDS.unset) || !has(lower, &of_environment) {
        return None;
    }
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_name = |word: &&str| {
        word.len() >= 3
            && word.contains(|c: char| c.is_ascii_uppercase())
            && !word.contains(|c: char| c.is_ascii_lowercase())
            && !is_in(&WORDS.no_settings, word)
    };
    words
        .filter(is_name)
        .max_by_key(|word| (word.contains('_'), word.len()))
}

/// Returns the line that explains most, with its cause, its description and the number of lines with this cause.
///
/// The tier of the cause decides, then the number of lines, then the later position.
fn worst(log: &Log) -> Option<(&str, Cause, String, usize)> {
    let lines = log.lines.iter();
    let all: Vec<(&str, Cause, String)> = lines
        .filter_map(|line| read(line).map(|(cause, what)| (line.as_str(), cause, what)))
        .collect();
    let count = |cause: Cause| all.iter().filter(|(_, found, _)| *found == cause).count();
    let best = all
        .iter()
        .max_by_key(|(_, cause, _)| (cause.tier(), count(*cause)));
    let (line, cause, what) = best?.clone();
    Some((line, cause, what, count(cause)))
}

fn draft(
    cluster: &Cluster,
    log: &Log,
    pod: Option<&Object>,
    line: &str,
    cause: Cause,
    what: &str,
    count: usize,
) -> Draft {
    let object = match pod {
        Some(pod) => cluster.owner(pod),
        None if log.pod.name.is_empty() => ObjectRef::new("Namespace", "", &log.pod.namespace),
        None => cluster.owner_of(&log.pod),
    };
    let host = host(line);
    let to = host.as_ref();
    let to = to.map_or(String::new(), |host| format!(" ({host})"));
    let times = match count {
        1 => String::new(),
        count => format!(" {count} lines of its log show this."),
    };
    let told = short(line);
    let sentence = format!("{object} fails because {what}{to}: its log has `{told}`.{times}");
    let draft = Draft::new(cause, object, sentence)
        .shown_by(log.source, line)
        .waiting_for(host);
    // The log of a pod that is not healthy, or not known, counts more than that of a healthy one.
    let Some(pod) = pod else {
        return draft.weighing(3);
    };
    let weight = if pod.is_healthy() { -20 } else { 3 };
    let draft = draft.affecting(pod.id.clone());
    draft.on_node(pod.node()).weighing(weight)
}

/// Returns the host that a line reports as unreachable.
fn host(line: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
    let found = WORDS.before_hosts.iter().find_map(|mark| {
        let (_, rest) = line.split_once(mark)?;
        let rest = rest.trim_start_matches(['"', '\'', '`', '@']);
        let word = rest.split(|c| !is_part(c)).next()?;
        let is_host = word.contains(['.', '-', ':']) || word.len() > 3;
        (is_host && !word.starts_with(|c: char| c.is_ascii_digit())).then_some(word)
    });
    let host = found.or_else(|| between(line, "http://", "/"))?;
    Some(host.trim_end_matches([':', '.']).to_owned())
}
