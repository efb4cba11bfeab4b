//! Word lists and tables, which are in text files in this directory.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `anchors.txt` | texts at or near which a secret may be |
//! | `formats.txt` | prefixes of tokens, and what follows them |
//! | `names.txt` | words of names, and what they say about the value |
//! | `services.txt` | names of services |
//! | `values.txt` | words, starts and parts of values |

mod reader;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) use reader::{Mistake, Row};

type Sections = HashMap<&'static str, Vec<&'static str>>;

static NAMES: LazyLock<Sections> = LazyLock::new(|| sections(include_str!("names.txt")));
static VALUES: LazyLock<Sections> = LazyLock::new(|| sections(include_str!("values.txt")));
static SERVICES: LazyLock<Sections> = LazyLock::new(|| sections(include_str!("services.txt")));

/// Returns a section of `names.txt`.
pub(crate) fn names(section: &str) -> &'static [&'static str] {
    list(&NAMES, section)
}

/// Returns a section of `values.txt`.
pub(crate) fn values(section: &str) -> &'static [&'static str] {
    list(&VALUES, section)
}

/// Returns a section of `services.txt`.
pub(crate) fn services(section: &str) -> &'static [&'static str] {
    list(&SERVICES, section)
}

/// Returns the rows of `anchors.txt`.
pub(crate) fn anchors() -> (Vec<Row>, Vec<Mistake>) {
    reader::read(include_str!("anchors.txt"))
}

/// Returns the rows of `formats.txt`.
pub(crate) fn formats() -> (Vec<Row>, Vec<Mistake>) {
    reader::read(include_str!("formats.txt"))
}

fn sections(text: &'static str) -> Sections {
    let mut found = Sections::new();
    for row in reader::read(text).0 {
        found.entry(row.section).or_default().extend(row.items);
    }
    found
}

fn list(sections: &'static Sections, section: &str) -> &'static [&'static str] {
    let found = sections.get(section);
    debug_assert!(found.is_some(), "no section `{section}`");
    found.map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read() {
        for text in [
            include_str!("anchors.txt"),
            include_str!("formats.txt"),
            include_str!("names.txt"),
            include_str!("services.txt"),
            include_str!("values.txt"),
        ] {
            let (rows, mistakes) = reader::read(text);
            assert_eq!(mistakes, []);
            assert!(rows.len() > 10);
        }
    }

    #[test]
    fn no_item_is_twice_in_a_section() {
        for sections in [&*NAMES, &*VALUES, &*SERVICES] {
            for (name, items) in sections {
                let mut sorted = items.clone();
                sorted.sort_unstable();
                let before = sorted.len();
                sorted.dedup();
                assert_eq!(sorted.len(), before, "{name}");
            }
        }
    }
}
