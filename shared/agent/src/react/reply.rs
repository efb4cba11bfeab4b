//! Parses a ReAct reply.

use std::fmt;

use super::blob;
use super::header::{HeaderKind, clean_tool_name};
use super::scan::{Section, sections};

/// What a reply wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Call a tool.
    Act {
        /// Why, if it says so.
        thought: Option<String>,
        /// The tool as written, without decoration; not yet resolved.
        action: String,
        /// The input as written; `None` when there was no input section at all.
        input: Option<String>,
        /// Whether further actions in the same reply were left out.
        more: bool,
    },
    /// Conclude.
    Final {
        /// Why, if it says so.
        thought: Option<String>,
        /// The conclusion, indentation kept.
        answer: String,
    },
    /// Nothing that can be acted on.
    Malformed(Problem),
}

/// What is wrong with a reply that can't be acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// No text.
    Empty,
    /// Text without any section.
    NoSections,
    /// A thought and nothing after it.
    ThoughtOnly,
    /// An `Action` that names no tool.
    NoToolName,
    /// An `Action Input` without an `Action`.
    InputOnly,
    /// A `Final Answer` without text.
    EmptyFinalAnswer,
    /// Sections so tangled that they read differently once they are put in order.
    Ambiguous,
}

/// Read a reply. Never fails: what can't be read is [`Reply::Malformed`].
///
/// A reply that was read is stable: written out in the asked form it reads the same again,
/// which it must, because that form is what the model sees as its own words.
#[must_use]
pub fn parse_reply(text: &str) -> Reply {
    let reply = read(text);
    if reads_back(&reply) {
        return reply;
    }
    let bare = match reply {
        Reply::Act {
            action,
            input,
            more,
            ..
        } => Reply::Act {
            thought: None,
            action,
            input,
            more,
        },
        Reply::Final { answer, .. } => Reply::Final {
            thought: None,
            answer,
        },
        malformed @ Reply::Malformed(_) => return malformed,
    };
    if reads_back(&bare) {
        bare
    } else {
        Reply::Malformed(Problem::Ambiguous)
    }
}

fn reads_back(reply: &Reply) -> bool {
    match (reply, read(&reply.to_string())) {
        (Reply::Malformed(_), _) => true,
        (
            Reply::Act {
                thought,
                action,
                input,
                ..
            },
            Reply::Act {
                thought: thought_again,
                action: action_again,
                input: input_again,
                ..
            },
        ) => (thought, action, input) == (&thought_again, &action_again, &input_again),
        (reply, again) => *reply == again,
    }
}

fn read(text: &str) -> Reply {
    let text = text.replace("\r\n", "\n");
    let (thinking, rest) = split_thinking(&text);
    let rest = unwrap_fence(rest.trim());
    if rest.trim().is_empty() {
        return Reply::Malformed(Problem::Empty);
    }
    let parts = sections(rest);
    let reply = called(&parts)
        .or_else(|| concluded(&parts))
        .or_else(|| blob::find(rest, thought_before(&parts, parts.len())))
        .or_else(|| named(&parts))
        .unwrap_or_else(|| Reply::Malformed(problem(&parts)));
    with_thinking(reply, thinking)
}

/// The first action that has an input.
fn called(parts: &[Section]) -> Option<Reply> {
    let actions = parts
        .iter()
        .filter(|p| p.kind == HeaderKind::Action)
        .count();
    parts
        .iter()
        .enumerate()
        .filter(|(_, p)| p.kind == HeaderKind::Action)
        .find_map(|(at, part)| {
            let first = part.body().lines().next().unwrap_or_default();
            let (name, written) = function_form(first).unwrap_or((first, None));
            let input = parts.get(at + 1).filter(|p| p.kind == HeaderKind::Input);
            let in_prose = || input.and_then(|_| named_in_prose(part.body()));
            let action = clean_tool_name(name).or_else(in_prose)?;
            let input = match input {
                Some(input) => input.body().to_owned(),
                None => written?.to_owned(),
            };
            Some(Reply::Act {
                thought: thought_before(parts, at),
                action: action.to_owned(),
                input: Some(input),
                more: actions > 1,
            })
        })
}

/// The one tool that a sentence names in place of a bare name, as small models write under a heading:
/// ``I will use the `k8s.pods_list` tool.`` A sentence that denies names none.
fn named_in_prose(body: &str) -> Option<&str> {
    let denies = ["not ", "n't ", "never", "avoid", "instead of"]
        .iter()
        .any(|word| body.contains(word));
    let spans = body.split('`').skip(1).step_by(2);
    let mut names = spans
        .filter_map(clean_tool_name)
        .filter(|name| name.contains('.'));
    let first = names.next().filter(|_| !denies)?;
    names.all(|other| other == first).then_some(first)
}

fn concluded(parts: &[Section]) -> Option<Reply> {
    let at = parts
        .iter()
        .position(|p| p.kind == HeaderKind::Final && !p.body().is_empty())?;
    Some(Reply::Final {
        thought: thought_before(parts, at),
        answer: parts[at].body().to_owned(),
    })
}

/// An action without an input section.
fn named(parts: &[Section]) -> Option<Reply> {
    let actions = parts
        .iter()
        .filter(|p| p.kind == HeaderKind::Action)
        .count();
    parts
        .iter()
        .enumerate()
        .filter(|(_, p)| p.kind == HeaderKind::Action)
        .find_map(|(at, part)| {
            let action =
                clean_tool_name(part.body().lines().next().unwrap_or_default())?.to_owned();
            Some(Reply::Act {
                thought: thought_before(parts, at),
                action,
                input: None,
                more: actions > 1,
            })
        })
}

fn problem(parts: &[Section]) -> Problem {
    let has = |kind| parts.iter().any(|p| p.kind == kind);
    if has(HeaderKind::Final) {
        Problem::EmptyFinalAnswer
    } else if has(HeaderKind::Action) {
        Problem::NoToolName
    } else if has(HeaderKind::Input) {
        Problem::InputOnly
    } else if has(HeaderKind::Thought) {
        Problem::ThoughtOnly
    } else {
        Problem::NoSections
    }
}

/// The last thought before a section, or the text before any header.
fn thought_before(parts: &[Section], at: usize) -> Option<String> {
    parts[..at]
        .iter()
        .rev()
        .filter(|p| matches!(p.kind, HeaderKind::Thought | HeaderKind::Preamble))
        .map(|p| p.body().trim())
        .find(|text| !text.is_empty())
        .map(str::to_owned)
}

/// `tool({"a": 1})` -> the name and what stands in the parentheses.
fn function_form(text: &str) -> Option<(&str, Option<&str>)> {
    let (name, rest) = text.split_once('(')?;
    let inside = rest.trim_end().trim_end_matches('`').strip_suffix(')')?;
    clean_tool_name(name)?;
    Some((name, Some(inside.trim())))
}

/// Native reasoning that some models put into the text.
fn split_thinking(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.trim_start().strip_prefix("<think>") else {
        return (None, text);
    };
    match rest.split_once("</think>") {
        Some((inside, after)) => (Some(inside.trim()), after),
        None => (None, rest),
    }
}

fn with_thinking(mut reply: Reply, thinking: Option<&str>) -> Reply {
    if let Reply::Act { thought, .. } | Reply::Final { thought, .. } = &mut reply
        && thought.is_none()
        && let Some(thinking) =
            thinking.and_then(|t| t.lines().rev().find(|l| !l.trim().is_empty()))
        && super::header::at_start(thinking).is_none()
    {
        *thought = Some(thinking.trim().to_owned());
    }
    reply
}

/// A reply that is wrapped in a code fence as a whole.
fn unwrap_fence(text: &str) -> &str {
    let Some((first, rest)) = text.split_once('\n') else {
        return text;
    };
    let opens = first.starts_with("```") && !first.contains("json");
    match rest.trim_end().strip_suffix("```") {
        Some(inside) if opens && !inside.contains("```") => inside,
        _ => text,
    }
}

impl fmt::Display for Reply {
    /// The reply as the prompt asks for it. Reading it again gives the same reply.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let section = |f: &mut fmt::Formatter<'_>, name: &str, text: &str| {
            if text.is_empty() {
                writeln!(f, "{name}:")
            } else if text.starts_with([' ', '\t']) {
                writeln!(f, "{name}:\n{text}")
            } else {
                writeln!(f, "{name}: {text}")
            }
        };
        match self {
            Self::Act {
                thought,
                action,
                input,
                ..
            } => {
                if let Some(thought) = thought {
                    section(f, "Thought", thought)?;
                }
                section(f, "Action", action)?;
                input
                    .as_deref()
                    .map_or(Ok(()), |input| section(f, "Action Input", input))
            }
            Self::Final { thought, answer } => {
                if let Some(thought) = thought {
                    section(f, "Thought", thought)?;
                }
                section(f, "Final Answer", answer)
            }
            Self::Malformed(_) => Ok(()),
        }
    }
}
