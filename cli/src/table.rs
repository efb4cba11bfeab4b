//! Aligned tables.

use crate::output::{dim, harmless};

/// Table with columns as wide as their widest cell, except the last.
#[derive(Debug)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self {
            head: head.iter().map(|cell| (*cell).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. Control characters are removed.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        let flat = |cell: String| harmless(&cell.replace(['\n', '\t'], " "));
        self.rows.push(cells.into_iter().map(flat).collect());
    }

    /// Prints the rows, or the text `none` if there are no rows.
    pub(crate) fn print(&self, none: &str) {
        if self.rows.is_empty() {
            println!("{none}");
            return;
        }
        println!("{}", dim(&self.line(&self.head)));
        for row in &self.rows {
            println!("{}", self.line(row));
        }
    }

    fn line(&self, cells: &[String]) -> String {
        let width = |column: usize| {
            let rows = self.rows.iter().chain([&self.head]);
            rows.filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let padded = cells.iter().enumerate().map(|(column, cell)| {
            let missing = width(column).saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(missing))
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_line_up_and_drive_no_terminal() {
        let mut table = Table::new(&["name", "n"]);
        table.row(vec!["a".into(), "1".into()]);
        table.row(vec!["b\x1b[31m\nc".into(), "2".into()]);
        assert_eq!(table.line(&table.rows[0]), "a         1");
        assert_eq!(table.line(&table.rows[1]), "b\u{fffd}[31m c  2");
    }
}
