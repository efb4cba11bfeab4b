//! Words and phrases of Kubernetes and of applications, read from data files.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::cause::Cause;
use crate::data::rows;

/// The lists of `words.json`.
pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| serde_json::from_str(include_str!("words.json")).unwrap_or_default());

/// Lists of words that rules search for. Words of messages and of logs are in lower case.
#[derive(Default, Deserialize)]
pub(super) struct Words {
    /// Suffixes of names of settings that contain addresses.
    pub(super) addresses: Vec<String>,
    /// Statuses of pods whose containers keep ending, for pods of which only the status is known.
    pub(super) looping: Vec<String>,
    /// Reasons of containers that can't start.
    pub(super) cannot_start: Vec<String>,
    /// Conditions of a namespace that name what blocks its deletion.
    pub(super) undeleted: Vec<String>,
    /// Reasons of containers whose image can't be pulled.
    pub(super) pull_reasons: Vec<String>,
    /// Phrases of messages about image pulls.
    pub(super) pulls: Vec<String>,
    /// Phrases of lines that report success, or of access logs of web servers.
    pub(super) success: Vec<String>,
    /// Phrases of lines that report something as missing.
    pub(super) unset: Vec<String>,
    /// Words in upper case that are not names of settings.
    pub(super) no_settings: Vec<String>,
    /// Texts that precede the host that a line could not reach.
    pub(super) before_hosts: Vec<String>,
    /// Phrases of lines that report a slow network.
    pub(super) delays: Vec<String>,
    /// Phrases of events about probes.
    pub(super) probes: Vec<String>,
    /// Likely mistakes that make probes fail, each with the words of a message that point to it.
    pub(super) probe_hints: Vec<(String, Vec<String>)>,
    /// Kinds, each with the text that precedes the name of a missing object.
    pub(super) missing_kinds: Vec<(String, String)>,
    /// Reasons of events that may name a missing object.
    pub(super) missing_reasons: Vec<String>,
    /// Kinds of objects that volumes, settings and sources of settings refer to, each with the JSON pointer to the
    /// name.
    pub(super) references: Vec<(String, String)>,
}

/// Meanings of log lines of applications.
pub(super) static LOGS: Table = LazyLock::new(|| meanings(include_str!("log_words.txt")));
/// Reasons why an image can't be pulled.
pub(super) static IMAGES: Table = LazyLock::new(|| meanings(include_str!("image_words.txt")));
/// Reasons why the scheduler excludes nodes; `text` is the position of the check.
pub(super) static SCHEDULER: Table =
    LazyLock::new(|| meanings(include_str!("scheduler_words.txt")));

type Table = LazyLock<Vec<Row>>;

/// A meaning of a message. A message has it if it contains any of `words`, which are in lower case.
///
/// `text` is the second cell of the row: a description, or a number in the table of the scheduler.
pub(super) struct Row {
    pub(super) cause: Cause,
    pub(super) text: &'static str,
    words: Vec<&'static str>,
}

fn meanings(table: &'static str) -> Vec<Row> {
    let rows = rows(table).filter_map(|row| {
        let cause = Cause::parse(row[0])?;
        let (text, words) = (row[1], row[2..].to_vec());
        Some(Row { cause, text, words })
    });
    rows.collect()
}

/// Returns the first row that fits a message, whatever the message's case.
pub(super) fn find(rows: &'static [Row], message: &str) -> Option<&'static Row> {
    let lower = message.to_ascii_lowercase();
    let fits = |row: &&Row| row.words.iter().any(|word| lower.contains(word));
    rows.iter().find(fits)
}

/// Whether a list contains a word.
pub(super) fn is_in(list: &[String], word: &str) -> bool {
    list.iter().any(|listed| listed == word)
}
