//! Reads the data files. They contain `[section]` lines, `#` comments, and items separated by blanks. An item that
//! contains a blank is between backticks.

/// One line of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Name of the section that contains the line.
    pub(crate) section: &'static str,
    /// Line number, starting at one.
    pub(crate) line: usize,
    pub(crate) items: Vec<&'static str>,
}

/// A line that can't be read. It is left out. A test finds it before a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) line: usize,
    pub(crate) message: &'static str,
}

/// Returns the rows of a data file and its mistakes.
pub(crate) fn read(text: &'static str) -> (Vec<Row>, Vec<Mistake>) {
    let (mut rows, mut mistakes) = (Vec::new(), Vec::new());
    let mut section = "";
    for (index, content) in text.lines().enumerate() {
        let line = index + 1;
        let content = content.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if let Some(name) = content.strip_prefix('[').and_then(|c| c.strip_suffix(']')) {
            section = name;
            continue;
        }
        match items(content) {
            Some(_) if section.is_empty() => mistakes.push(Mistake {
                line,
                message: "stands before the first section",
            }),
            Some(items) => rows.push(Row {
                section,
                line,
                items,
            }),
            None => mistakes.push(Mistake {
                line,
                message: "has a backtick that is not closed",
            }),
        }
    }
    (rows, mistakes)
}

/// Returns the items of a line; `None` if a backtick is not closed.
fn items(line: &'static str) -> Option<Vec<&'static str>> {
    let mut found = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (item, after) = match rest.strip_prefix('`') {
            Some(inner) => inner.split_once('`')?,
            None => rest.split_once([' ', '\t']).unwrap_or((rest, "")),
        };
        found.push(item);
        rest = after.trim_start();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sections_comments_and_quoted_items() {
        let (rows, mistakes) = read("# about\n[a]\none `two words` |\n\n[b]\n`[x`\n");
        let found: Vec<_> = rows
            .iter()
            .map(|r| (r.section, r.line, &*r.items))
            .collect();
        assert_eq!(
            found,
            [
                ("a", 3, &["one", "two words", "|"][..]),
                ("b", 6, &["[x"][..])
            ]
        );
        assert_eq!(mistakes, []);
    }

    #[test]
    fn leaves_out_what_it_cannot_read() {
        let (rows, mistakes) = read("early\n[a]\n`open\nfine\n");
        assert_eq!(rows.len(), 1);
        assert_eq!(mistakes.iter().map(|m| m.line).collect::<Vec<_>>(), [1, 3]);
    }
}
