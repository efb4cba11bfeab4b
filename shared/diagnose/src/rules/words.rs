//! What words in a message mean, by a table in a text file: a row for each meaning, and the first row that fits decides.

use std::sync::LazyLock;

use crate::cause::Cause;

/// What applications write.
pub(super) static LOGS: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("log_words.txt")));
/// Why an image can't be pulled.
pub(super) static IMAGES: LazyLock<Vec<Row>> =
    LazyLock::new(|| rows(include_str!("image_words.txt")));
/// Why the scheduler leaves nodes out.
pub(super) static SCHEDULER: LazyLock<Vec<Row>> =
    LazyLock::new(|| rows(include_str!("scheduler_words.txt")));

/// A row: its cause, what its table says of it, and words of which a message has any, in lower case.
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

/// The row that fits a message.
pub(super) fn find(rows: &'static [Row], message: &str) -> Option<&'static Row> {
    let lower = message.to_ascii_lowercase();
    let fits = |row: &&Row| row.words.iter().any(|word| lower.contains(word));
    rows.iter().find(fits)
}
