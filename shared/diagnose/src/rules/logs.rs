//! What applications write when they fail.

use super::messages::{between, has, short};
use super::words::{self, LOGS};
use crate::cause::Cause;
use crate::cluster::Log;
use crate::facts::{Facts, Pod};
use crate::finding::{Draft, ObjectRef};

/// Words of lines that report success, or of a web server's log.
const SUCCESS: [&str; 6] = [
    "\" 200 ",
    " 200 ok",
    "no errors",
    "retried successfully",
    "recovered",
    "succeeded after",
];
/// Words that say that something is missing.
const UNSET: [&str; 11] = [
    "is undefined",
    "not set",
    "is not defined",
    "is missing",
    "is required",
    "must be set",
    "missing required",
    "missing env",
    "undefined variable",
    "keyerror",
    "not provided",
];
/// Words in upper case that are no settings.
const NO_SETTINGS: [&str; 10] = [
    "ERROR", "FATAL", "WARN", "INFO", "DEBUG", "CRITICAL", "ENV", "UTC", "PANIC", "GMT",
];
/// Before the host that a line could not reach.
const HOST_AFTER: [&str; 11] = [
    "lookup ",
    "://",
    "host: ",
    "host=",
    "host ",
    "resolve ",
    "ENOTFOUND ",
    "connect to ",
    "connecting to ",
    "server on '",
    "connection to ",
];

pub(super) fn find(facts: &Facts<'_>, drafts: &mut Vec<Draft>) {
    for log in &facts.cluster.logs {
        let Some((line, cause, what, count)) = worst(log) else {
            continue;
        };
        let pods = writers(facts, log);
        let fails = |pod: &&Pod<'_>| !pod.is_healthy() || pod.restarts() >= 3;
        // Of a pod that nothing else shows, its log decides; but a namespace whose pods are known has no others.
        let is_failing = pods.iter().any(fails) || facts.pods.is_empty() && !log.pod.is_empty();
        // A healthy pod may report an error that passed.
        let last = log.lines.iter().rev().take(40);
        let is_lasting = count >= 3
            && last
                .filter_map(|line| read(line))
                .any(|(found, _)| found == cause);
        if is_failing || is_lasting && !pods.is_empty() {
            let pod = pods.iter().find(|pod| fails(pod)).or_else(|| pods.first());
            drafts.push(draft(facts, log, pod.copied(), line, cause, &what, count));
        }
    }
}

/// The pods that wrote a log: the one of its name, or those of a workload of that name.
fn writers<'f, 'c>(facts: &'f Facts<'c>, log: &Log) -> Vec<&'f Pod<'c>> {
    match facts.pod(&log.namespace, &log.pod) {
        Some(pod) => vec![pod],
        None if log.pod.is_empty() => Vec::new(),
        None => {
            let pods = facts.pods.iter();
            pods.filter(|pod| facts.owner(pod).name == log.pod)
                .collect()
        }
    }
}

/// What a line means.
fn read(line: &str) -> Option<(Cause, String)> {
    let lower = line.to_ascii_lowercase();
    if let Some(name) = unset(line, &lower) {
        return Some((
            Cause::MissingEnvironment,
            format!("setting `{name}` is missing (environment variable undefined)"),
        ));
    }
    if has(&lower, &SUCCESS) {
        return None;
    }
    words::find(&LOGS, &lower).map(|row| (row.cause, row.text.to_owned()))
}

/// The cause that a line points to.
pub(super) fn meaning(line: &str) -> Option<Cause> {
    read(line).map(|(cause, _)| cause)
}

/// The setting that a line says is missing.
fn unset(line: &str, lower: &str) -> Option<String> {
    let of_environment = has(lower, &["env", "variable", "setting", "config", "keyerror"]);
    if !has(lower, &UNSET) || !of_environment {
        return None;
    }
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_name = |word: &&str| {
        word.len() >= 3
            && word.chars().any(|c| c.is_ascii_uppercase())
            && word
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && !word.chars().all(|c| c.is_ascii_digit())
            && !NO_SETTINGS.contains(word)
    };
    words
        .filter(is_name)
        .max_by_key(|word| (word.contains('_'), word.len()))
        .map(str::to_owned)
}

/// The line that explains most, by the tier of its cause and its place, and how often its cause occurs.
fn worst(log: &Log) -> Option<(&str, Cause, String, usize)> {
    let all: Vec<(&str, Cause, String)> = log
        .lines
        .iter()
        .filter_map(|line| read(line).map(|(cause, what)| (line.as_str(), cause, what)))
        .collect();
    let count = |cause: Cause| all.iter().filter(|(_, found, _)| *found == cause).count();
    let best = all
        .iter()
        .max_by_key(|(_, cause, _)| (cause.tier(), count(*cause)))?;
    let (line, cause, what) = best.clone();
    Some((line, cause, what, count(cause)))
}

fn draft(
    facts: &Facts<'_>,
    log: &Log,
    pod: Option<&Pod<'_>>,
    line: &str,
    cause: Cause,
    what: &str,
    count: usize,
) -> Draft {
    let object = match (pod, log.pod.as_str()) {
        (Some(pod), _) => facts.owner(pod),
        (None, "") => ObjectRef::new("Namespace", "", &log.namespace),
        (None, name) => facts.owner_of(&ObjectRef::new("Pod", &log.namespace, name)),
    };
    let host = host(line);
    let to = host
        .as_ref()
        .map_or(String::new(), |host| format!(" ({host})"));
    let times = match count {
        1 => String::new(),
        count => format!(" {count} lines of its log show this."),
    };
    let told = short(line);
    let sentence = format!("{object} fails because {what}{to}: its log has `{told}`.{times}");
    let draft = Draft::new(cause, object, sentence)
        .shown_by(log.source, line)
        .waiting_for(host);
    // A restart explains itself better than a call that failed.
    let Some(pod) = pod else {
        return draft.weighing(3);
    };
    let weight = if pod.is_healthy() { -20 } else { 3 };
    let draft = draft.affecting(pod.object.id.clone());
    draft.on_node(pod.node()).weighing(weight)
}

/// The host that a line could not reach.
fn host(line: &str) -> Option<String> {
    let found = HOST_AFTER.iter().find_map(|mark| {
        let (_, rest) = line.split_once(mark)?;
        let word: String = rest
            .trim_start_matches(['"', '\'', '`', '@'])
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "-._:".contains(*c))
            .collect();
        let is_host = word.contains(['.', '-', ':']) || word.len() > 3;
        (is_host && !word.starts_with(|c: char| c.is_ascii_digit())).then_some(word)
    });
    let found = found.or_else(|| between(line, "http://", "/").map(str::to_owned));
    found.map(|host| host.trim_end_matches([':', '.']).to_owned())
}
