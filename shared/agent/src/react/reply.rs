//! Parses a ReAct reply.

use std::fmt;

use super::blob;
use super::header::{HeaderKind, clean_tool_name};
use super::scan::{Section, sections};

/// A parsed reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Call a tool.
    Act {
        /// The model's reason, if it gives one.
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
        /// The model's reason, if it gives one.
        thought: Option<String>,
        /// The conclusion, indentation kept.
        answer: String,
    },
    /// The reply can't be acted on.
    Malformed(Problem),
}

/// Reason why a reply can't be acted on.
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
    /// The sections are mixed so that the reply reads differently once they are written in order.
    Ambiguous,
}

/// Parses a reply. It never fails: a reply that can't be read is [`Reply::Malformed`].
///
/// A parsed reply is stable: written out in the requested form, it parses to the same reply. This is necessary
/// because the model sees that form as its own words.
#[must_use]
pub fn parse_reply(text: &str) -> Reply {
    let mut reply = read(text);
    if reads_back(&reply) {
        return reply;
    }
    if let Reply::Act { thought, .. } | Reply::Final { thought, .. } = &mut reply {
        *thought = None;
    }
    match reads_back(&reply) {
        true => reply,
        false => Reply::Malformed(Problem::Ambiguous),
    }
}

fn reads_back(reply: &Reply) -> bool {
    let mut again = read(&reply.to_string());
    // Further actions are not written out.
    if let (Reply::Act { more, .. }, Reply::Act { more: again, .. }) = (reply, &mut again) {
        *again = *more;
    }
    matches!(reply, Reply::Malformed(_)) || *reply == again
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

/// Returns the first action that has an input.
fn called(parts: &[Section]) -> Option<Reply> {
    first_action(parts, |at, part| {
        let first = part.first_line();
        let (name, written) = function_form(first).unwrap_or((first, None));
        let input = parts.get(at + 1).filter(|p| p.kind == HeaderKind::Input);
        let in_prose = || input.and_then(|_| named_in_prose(part.body()));
        let action = clean_tool_name(name).or_else(in_prose)?;
        Some((action, Some(input.map(Section::body).or(written)?)))
    })
}

/// Returns the first action by its tool name alone, without an input.
fn named(parts: &[Section]) -> Option<Reply> {
    first_action(parts, |_, part| {
        Some((clean_tool_name(part.first_line())?, None))
    })
}

/// Returns the first action that `read` accepts. `read` returns the name of its tool, and its input.
fn first_action<'p>(
    parts: &'p [Section],
    read: impl Fn(usize, &'p Section) -> Option<(&'p str, Option<&'p str>)>,
) -> Option<Reply> {
    let actions = parts.iter().enumerate();
    let mut actions = actions.filter(|(_, part)| part.kind == HeaderKind::Action);
    let more = actions.clone().count() > 1;
    actions.find_map(|(at, part)| {
        let (action, input) = read(at, part)?;
        Some(Reply::Act {
            thought: thought_before(parts, at),
            action: action.to_owned(),
            input: input.map(str::to_owned),
            more,
        })
    })
}

/// Returns the one tool that a sentence names instead of a bare name, as small models write under a heading: ``I will
/// use the `k8s.pods_list` tool.`` A sentence with a negation names no tool.
fn named_in_prose(body: &str) -> Option<&str> {
    let mut denials = ["not ", "n't ", "never", "avoid", "instead of"].iter();
    let denies = denials.any(|word| body.contains(word));
    let spans = body.split('`').skip(1).step_by(2);
    let names = spans.filter_map(clean_tool_name);
    let mut names = names.filter(|name| name.contains('.'));
    let first = names.next().filter(|_| !denies)?;
    names.all(|other| other == first).then_some(first)
}

fn concluded(parts: &[Section]) -> Option<Reply> {
    let is_answer = |part: &Section| part.kind == HeaderKind::Final && !part.body().is_empty();
    let at = parts.iter().position(is_answer)?;
    Some(Reply::Final {
        thought: thought_before(parts, at),
        answer: parts[at].body().to_owned(),
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

/// Returns the last thought before a section, or the text before any header.
fn thought_before(parts: &[Section], at: usize) -> Option<String> {
    let is_thought = |p: &&Section| matches!(p.kind, HeaderKind::Thought | HeaderKind::Preamble);
    let thoughts = parts[..at].iter().rev().filter(is_thought);
    let mut texts = thoughts.map(|part| part.body().trim());
    texts.find(|text| !text.is_empty()).map(str::to_owned)
}

/// Splits `tool({"a": 1})` into the name and the text in the parentheses.
fn function_form(text: &str) -> Option<(&str, Option<&str>)> {
    let (name, rest) = text.split_once('(')?;
    let inside = rest.trim_end().trim_end_matches('`').strip_suffix(')')?;
    clean_tool_name(name)?;
    Some((name, Some(inside.trim())))
}

/// Splits off native reasoning, which some models put into the text.
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

/// Unwraps a reply that is in a code fence as a whole.
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
    /// Writes the reply in the form that the prompt asks for. Parsing it again gives the same reply.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (thought, others) = match self {
            Self::Act {
                thought,
                action,
                input,
                ..
            } => (
                thought,
                [("Action", Some(action)), ("Action Input", input.as_ref())],
            ),
            Self::Final { thought, answer } => {
                (thought, [("Final Answer", Some(answer)), ("", None)])
            }
            Self::Malformed(_) => return Ok(()),
        };
        for (name, text) in [("Thought", thought.as_ref())].into_iter().chain(others) {
            match text.map(String::as_str) {
                None => {}
                Some("") => writeln!(f, "{name}:")?,
                Some(text) if text.starts_with([' ', '\t']) => writeln!(f, "{name}:\n{text}")?,
                Some(text) => writeln!(f, "{name}: {text}")?,
            }
        }
        Ok(())
    }
}
