//! Words of Kubernetes and of applications, in data files.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::cause::Cause;

/// Lists of words that rules look for.
pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| serde_json::from_str(include_str!("words.json")).unwrap_or_default());

/// Lists of words that rules look for. Words of messages and of logs are in lower case.
#[derive(Default, Deserialize)]
pub(super) struct Words {
    /// Ends of the names of settings that hold addresses.
    pub(super) addresses: Vec<String>,
    /// Statuses of pods whose containers end, where nothing more is known of them.
    pub(super) looping: Vec<String>,
    /// Reasons of containers that don't start.
    pub(super) cannot_start: Vec<String>,
    /// Conditions of a namespace that name what holds its deletion.
    pub(super) undeleted: Vec<String>,
    /// Reasons of containers whose image can't be pulled.
    pub(super) pull_reasons: Vec<String>,
    /// Messages about pulls.
    pub(super) pulls: Vec<String>,
    /// Lines that report success, or of a web server's log.
    pub(super) success: Vec<String>,
    /// Lines that say that something is missing.
    pub(super) unset: Vec<String>,
    /// Words in upper case that are no settings.
    pub(super) no_settings: Vec<String>,
    /// What stands before the host that a line could not reach.
    pub(super) before_hosts: Vec<String>,
    /// Lines that report a slow network.
    pub(super) delays: Vec<String>,
    /// Events of probes.
    pub(super) probes: Vec<String>,
    /// What messages of probes point to, each with its words.
    pub(super) probe_hints: Vec<(String, Vec<String>)>,
    /// Messages of admission rules.
    pub(super) limits: Vec<String>,
    /// Kinds, with what stands before the name of a missing object.
    pub(super) missing_kinds: Vec<(String, String)>,
    /// Reasons of events that may name a missing object.
    pub(super) missing_reasons: Vec<String>,
    /// Kinds of objects that volumes, settings and sources of settings name, and where.
    pub(super) references: Vec<(String, String)>,
    /// Events of autoscalers without metrics.
    pub(super) no_metrics: Vec<String>,
    /// Events of nodes that lack something.
    pub(super) node_pressure: Vec<String>,
}

/// What applications write.
pub(super) static LOGS: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("log_words.txt")));
/// Why an image can't be pulled.
pub(super) static IMAGES: LazyLock<Vec<Row>> =
    LazyLock::new(|| rows(include_str!("image_words.txt")));
/// Why the scheduler leaves nodes out.
pub(super) static SCHEDULER: LazyLock<Vec<Row>> =
    LazyLock::new(|| rows(include_str!("scheduler_words.txt")));

/// A meaning of a message: its cause, what its table says of it, and words of which a message has any, in lower case.
pub(super) struct Row {
    pub(super) cause: Cause,
    pub(super) text: &'static str,
    words: Vec<&'static str>,
}

fn rows(table: &'static str) -> Vec<Row> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim);
        Some(Row {
            cause: Cause::parse(cells.next()?)?,
            text: cells.next()?,
            words: cells.collect(),
        })
    })
    .collect()
}

/// The first row that fits a message.
pub(super) fn find(rows: &'static [Row], message: &str) -> Option<&'static Row> {
    let lower = message.to_ascii_lowercase();
    let fits = |row: &&Row| row.words.iter().any(|word| lower.contains(word));
    rows.iter().find(fits)
}

/// Whether a list has a word.
pub(super) fn is_in(list: &[String], word: &str) -> bool {
    list.iter().any(|listed| listed == word)
}
