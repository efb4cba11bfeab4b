//! Recognizes section headers such as `Thought:` and `Action:`.

/// The parts of a ReAct reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderKind {
    /// Text before any header.
    Preamble,
    Thought,
    Action,
    Input,
    Observation,
    Final,
}

/// A header found at the start of a line.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) kind: HeaderKind,
    /// Rest of the line, without decoration.
    pub(super) rest: &'a str,
    /// Written as in the prompt: unindented, capitalised, without decoration, with a colon.
    pub(super) plain: bool,
    /// Capitalised (or all capitals) rather than lower case.
    pub(super) capital: bool,
    /// Followed by a colon.
    pub(super) colon: bool,
}

/// Longest first, so that `Action Input` is not read as `Action`.
const WORDS: [(&str, HeaderKind); 8] = [
    ("final answer", HeaderKind::Final),
    ("final_answer", HeaderKind::Final),
    ("action input", HeaderKind::Input),
    ("action_input", HeaderKind::Input),
    ("actioninput", HeaderKind::Input),
    ("action", HeaderKind::Action),
    ("thought", HeaderKind::Thought),
    ("observation", HeaderKind::Observation),
];

const DECORATION: [char; 6] = ['*', '_', '#', '>', '`', '-'];

/// Returns the header that a line starts with, if any.
pub(super) fn at_start(line: &str) -> Option<Header<'_>> {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || DECORATION.contains(&c));
    let prefix = &line[..line.len() - bare.len()];
    let (word, kind) = WORDS.iter().find(|(word, _)| {
        bare.get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
    })?;
    let (written, after) = bare.split_at(word.len());
    let capital = written.starts_with(|c: char| c.is_ascii_uppercase());

    let unclosed = after.trim_start_matches(['*', '_', '`']);
    let closed_before_colon = unclosed.len() < after.len();
    let spaced = unclosed.trim_start_matches(' ');
    if let Some(rest) = spaced
        .strip_prefix(':')
        .or_else(|| spaced.strip_prefix('：'))
    {
        let undecorated = rest.trim_start_matches(['*', '_', '`']);
        // `:** text` closes the bold; `: **text**` opens a new one and stays.
        let rest = if prefix.contains('*') && !closed_before_colon {
            undecorated
        } else {
            rest
        };
        let mut rest = rest.trim();
        if prefix.contains("**") && !closed_before_colon && rest.matches("**").count() == 1 {
            rest = rest.strip_suffix("**").unwrap_or(rest).trim_end();
        }
        let plain = prefix.is_empty() && capital && !closed_before_colon;
        return Some(Header {
            kind: *kind,
            rest,
            plain,
            capital,
            colon: true,
        });
    }
    // A header without a colon stands alone on its line.
    (spaced.trim().is_empty() && capital && written.contains(char::is_lowercase)).then_some(
        Header {
            kind: *kind,
            rest: "",
            plain: false,
            capital,
            colon: false,
        },
    )
}

/// Finds a header in the middle of a line, right after the end of a sentence: `I know enough.Final Answer: ..`.
/// Returns the text before it and the text from it on.
pub(super) fn in_line<'a>(line: &'a str, words: &[&str]) -> Option<(&'a str, &'a str)> {
    let mut best: Option<usize> = None;
    for word in words {
        for (at, _) in line.match_indices(word) {
            let before = line[..at].trim_end().trim_end_matches(['*', '`']);
            let ends_sentence = before.ends_with(['.', '!', '?', ')', '…']);
            let decorated = line[..at].ends_with(['*', '`']) && !before.is_empty();
            if (ends_sentence || decorated) && best.is_none_or(|b| at < b) {
                best = Some(at);
            }
        }
    }
    best.map(|at| line.split_at(at))
}

/// Strips the marks that models put around a tool name; `None` if the text can't be a tool name.
pub(super) fn clean_tool_name(text: &str) -> Option<&str> {
    let marks: &[char] = &[
        '`', '*', '"', '\'', '[', ']', '<', '>', ',', ';', '(', ')', ' ', '\t',
    ];
    let name = text
        .trim()
        .trim_matches(marks)
        .trim_end_matches(['.', ':'])
        .trim_matches(marks);
    let possible = !name.is_empty()
        && name.len() <= 160
        && !name.contains(char::is_whitespace)
        && !name.contains(['{', '}', '"', '`'])
        && name.contains(|c: char| c.is_alphanumeric())
        && !matches!(
            name.to_ascii_lowercase().as_str(),
            "none" | "n/a" | "null" | "final"
        );
    possible.then_some(name)
}
