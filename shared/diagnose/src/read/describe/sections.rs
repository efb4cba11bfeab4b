//! Lines of a description as a tree, by their indentation.

/// A line and what is indented below it.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// Text before the first colon; empty if it has none.
    pub(super) key: String,
    pub(super) value: String,
    /// The whole line, trimmed.
    pub(super) raw: String,
    pub(super) children: Vec<Section>,
}

/// Deeper lines stay at this level.
const DEEPEST: usize = 24;

pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut open: Vec<(usize, Section)> = Vec::new();
    let mut top = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let raw = line.trim();
        let indent = line.len() - line.trim_start().len();
        while open.last().is_some_and(|(outer, _)| *outer >= indent) || open.len() > DEEPEST {
            close(&mut open, &mut top);
        }
        let (key, value) = match raw.split_once(':') {
            Some((key, value)) if value.is_empty() || value.starts_with([' ', '\t']) => {
                (key, value)
            }
            _ => ("", raw),
        };
        let section = Section {
            key: key.to_owned(),
            value: value.trim().to_owned(),
            raw: raw.to_owned(),
            children: Vec::new(),
        };
        open.push((indent, section));
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

fn close(open: &mut Vec<(usize, Section)>, top: &mut Vec<Section>) {
    let Some((_, closed)) = open.pop() else {
        return;
    };
    match open.last_mut() {
        Some((_, outer)) => outer.children.push(closed),
        None => top.push(closed),
    }
}
