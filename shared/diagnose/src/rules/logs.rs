//! What applications write when they fail.

use std::sync::LazyLock;

use super::messages::{between, has, short};
use crate::cause::Cause;
use crate::cluster::Log;
use crate::facts::{Facts, Pod};
use crate::finding::{Draft, ObjectRef};

/// A row of `log_words.txt`: what the words mean.
struct Meaning {
    cause: Cause,
    text: &'static str,
    words: Vec<&'static str>,
}

static MEANINGS: LazyLock<Vec<Meaning>> = LazyLock::new(|| {
    let rows = include_str!("log_words.txt")
        .lines()
        .filter(|row| !row.starts_with('#'));
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let cause = Cause::parse(cells.next()?)?;
        Some(Meaning {
            cause,
            text: cells.next()?,
            words: cells.collect(),
        })
    })
    .collect()
});

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
            let of_name = facts
                .pods
                .iter()
                .filter(|pod| facts.owner(pod).name == log.pod);
            of_name.collect()
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
    // A line of a web server's log, or one that reports success.
    if has(
        &lower,
        &[
            "\" 200 ",
            " 200 ok",
            "no errors",
            "retried successfully",
            "recovered",
            "succeeded after",
        ],
    ) {
        return None;
    }
    let mut meanings = MEANINGS.iter();
    let found = meanings.find(|meaning| meaning.words.iter().any(|word| lower.contains(word)));
    found.map(|meaning| (meaning.cause, meaning.text.to_owned()))
}

/// The cause that a line points to.
pub(super) fn meaning(line: &str) -> Option<Cause> {
    read(line).map(|(cause, _)| cause)
}

/// The setting that a line says is missing.
fn unset(line: &str, lower: &str) -> Option<String> {
    let says = has(
        lower,
        &[
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
        ],
    );
    let of_environment = has(lower, &["env", "variable", "setting", "config", "keyerror"]);
    if !says || !of_environment {
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
            && ![
                "ERROR", "FATAL", "WARN", "INFO", "DEBUG", "CRITICAL", "ENV", "UTC", "PANIC", "GMT",
            ]
            .contains(word)
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
    let sentence = format!(
        "{object} fails because {what}{to}: its log has `{}`.{times}",
        short(line)
    );
    let draft = Draft::new(cause, object, sentence)
        .shown_by(log.source, line)
        .waiting_for(host);
    // A restart explains itself better than a call that failed.
    let weight = match pod.is_some_and(Pod::is_healthy) {
        true => -20,
        false => 3,
    };
    match pod {
        Some(pod) => draft.affecting(pod.object.id.clone()).on_node(pod.node()),
        None => draft,
    }
    .weighing(weight)
}

/// The host that a line could not reach.
fn host(line: &str) -> Option<String> {
    let after = [
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
    let found = after.iter().find_map(|mark| {
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
