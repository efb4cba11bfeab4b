//! Splits a reply into sections.

use super::header::{self, Header, HeaderKind, clean_tool_name};

/// One section with its text; indentation inside the text is kept.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) kind: HeaderKind,
    pub(super) text: String,
}

impl Section {
    fn push(&mut self, line: &str) {
        if !self.text.is_empty() || self.kind != HeaderKind::Preamble {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    /// Returns the text without blank lines around it. The first line keeps its indentation, unless it followed a
    /// header on the same line.
    pub(super) fn body(&self) -> &str {
        let mut text = self.text.as_str();
        while let Some((first, rest)) = text.split_once('\n') {
            if !first.trim().is_empty() {
                break;
            }
            text = rest;
        }
        text.trim_end()
    }

    pub(super) fn first_line(&self) -> &str {
        self.body().lines().next().unwrap_or_default()
    }
}

/// Returns all sections of a reply up to the first observation that the model made up.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let lines: Vec<&str> = text.lines().collect();
    let mut scan = Scan {
        sections: vec![Section {
            kind: HeaderKind::Preamble,
            text: String::new(),
        }],
        fenced: false,
        stopped: false,
    };
    for (at, line) in lines.iter().enumerate() {
        scan.line(line, &lines[at + 1..], true);
        if scan.stopped {
            break;
        }
    }
    scan.sections
}

struct Scan {
    sections: Vec<Section>,
    /// Inside a code fence of an action input.
    fenced: bool,
    stopped: bool,
}

impl Scan {
    fn current(&mut self) -> &mut Section {
        let last = self.sections.len() - 1;
        &mut self.sections[last]
    }

    fn line(&mut self, line: &str, rest: &[&str], whole: bool) {
        let kind = self.current().kind;
        if kind == HeaderKind::Input && self.in_fence(line, rest) {
            return self.add(line, whole);
        }
        if let Some(found) = header::at_start(line)
            && opens(&found, kind, line, rest)
        {
            return self.open(&found, rest);
        }
        match kind {
            HeaderKind::Preamble | HeaderKind::Thought | HeaderKind::Observation => {
                if let Some((before, from)) =
                    header::in_line(line, &["Final Answer:", "Action:", "Action"])
                    && let Some(found) = header::at_start(from)
                    && (found.kind == HeaderKind::Final || names_tool(&found, rest))
                {
                    self.add(before.trim_end().trim_end_matches(['*', '`']), whole);
                    return self.open(&found, rest);
                }
                self.add(line, whole);
            }
            HeaderKind::Action => {
                if let Some(at) = line.find("Action Input:") {
                    self.add(line[..at].trim_end(), whole);
                    if let Some(found) = header::at_start(&line[at..]) {
                        self.open(&found, rest);
                    }
                    return;
                }
                self.add(line, whole);
            }
            HeaderKind::Input if line.starts_with("[Based on") => self.stopped = true,
            HeaderKind::Input | HeaderKind::Final => self.add(line, whole),
        }
    }

    fn add(&mut self, line: &str, whole: bool) {
        if whole {
            self.current().push(line);
        } else {
            self.current().text.push_str(line);
        }
    }

    fn open(&mut self, found: &Header<'_>, rest: &[&str]) {
        if found.kind == HeaderKind::Observation
            && self.sections.iter().any(|s| s.kind == HeaderKind::Action)
        {
            self.stopped = true;
            return;
        }
        self.sections.push(Section {
            kind: found.kind,
            text: String::new(),
        });
        self.fenced = false;
        // The rest of the line is read as a line of the new section.
        if !found.rest.is_empty() {
            self.line(found.rest, rest, false);
        }
    }

    /// Returns whether `line` belongs to a closed code fence, where headers do not count.
    fn in_fence(&mut self, line: &str, rest: &[&str]) -> bool {
        let mark = line.trim_start().starts_with("```");
        let was_fenced = self.fenced;
        if mark {
            let closes = || rest.iter().any(|line| line.trim_start().starts_with("```"));
            self.fenced = !was_fenced && closes();
        }
        was_fenced || self.fenced
    }
}

/// Returns whether a header at the start of a line opens a new section within the current one.
fn opens(found: &Header<'_>, within: HeaderKind, line: &str, rest: &[&str]) -> bool {
    match within {
        HeaderKind::Preamble
        | HeaderKind::Thought
        | HeaderKind::Observation
        | HeaderKind::Action => match found.kind {
            HeaderKind::Action if !found.colon || !found.capital => {
                names_tool(found, rest) || found.capital && input_follows(found, rest)
            }
            HeaderKind::Observation => found.capital && found.colon,
            _ => true,
        },
        // An input may be YAML with a key `action`, so only the form of the prompt counts.
        HeaderKind::Input => match found.kind {
            HeaderKind::Action => found.capital && !indented(line) && names_tool(found, rest),
            _ => found.capital && found.colon && !indented(line),
        },
        // A report may contain `Action: restart the pod`. Only a complete new call counts.
        HeaderKind::Final => match found.kind {
            HeaderKind::Thought => found.plain,
            HeaderKind::Action => {
                found.plain && names_tool(found, rest) && input_follows(found, rest)
            }
            HeaderKind::Observation => found.plain && goes_on(rest),
            _ => false,
        },
    }
}

fn indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Returns the first text of a header's section: the rest of its line, or the next line that is not empty.
fn first_text<'a>(found: &Header<'a>, rest: &[&'a str]) -> &'a str {
    let others = rest.iter().map(|line| line.trim());
    let mut lines = [found.rest].into_iter().chain(others);
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// Returns whether an `Action` header is followed by text that can be a tool's name.
fn names_tool(found: &Header<'_>, rest: &[&str]) -> bool {
    let text = first_text(found, rest);
    let name = text.split("Action Input:").next().unwrap_or_default();
    found.kind == HeaderKind::Action
        && header::at_start(text).is_none()
        && clean_tool_name(name).is_some()
}

/// Returns whether the next header after an `Action` is its input.
fn input_follows(found: &Header<'_>, rest: &[&str]) -> bool {
    let next = rest.iter().find_map(|line| header::at_start(line));
    found.rest.contains("Action Input:") || next.is_some_and(|next| next.kind == HeaderKind::Input)
}

/// Returns whether a made-up conversation continues after a made-up observation.
fn goes_on(rest: &[&str]) -> bool {
    let goes_on = [HeaderKind::Thought, HeaderKind::Action, HeaderKind::Final];
    let mut headers = rest.iter().filter_map(|line| header::at_start(line));
    headers.any(|header| header.plain && goes_on.contains(&header.kind))
}
