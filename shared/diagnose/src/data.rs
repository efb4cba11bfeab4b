//! Reads tables of data that are part of the program.

/// Returns the cells of each row. Cells are separated by `|`; lines that begin with `#` are comments.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let rows = table
        .lines()
        .filter(|row| row.contains('|') && !row.starts_with('#'));
    rows.map(|row| row.split('|').map(str::trim).collect())
}
