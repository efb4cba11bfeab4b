//! Files of assignments: env files, INI, properties, TOML.

mod line;

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::bytes::{self, NAME};
use crate::data;
use crate::structure::assignments::line::{KEY_BYTES, LINE_BYTES, Name, is_toml};
use crate::structure::flow::{self, single_end, triple_end};
use crate::structure::json::string_end;
use crate::structure::leaf::{Leaf, NONE, Role, Structure, Style};

/// Usual minimum of text per name or value, in bytes.
const LEAF_BYTES: usize = 16;

/// Most values that may open a collection without closing it.
const UNCLOSED: usize = 16;

/// Words with which a line of a program starts.
static STATEMENTS: LazyLock<HashSet<&'static [u8]>> = LazyLock::new(|| {
    data::values("statement")
        .iter()
        .map(|w| w.as_bytes())
        .collect()
});

/// Returns the leaves of `text`; `None` if a line is not an assignment, a section or a comment.
pub(super) fn read(text: &[u8]) -> Option<Structure> {
    read_by(text, line::name)
}

/// Same as [`read`], with `simple` as the fast path for names.
fn read_by(text: &[u8], simple: impl Fn(&[u8], usize) -> Option<Name>) -> Option<Structure> {
    let mut found = Structure::with_room_for(text.len() / LEAF_BYTES);
    let (mut at, mut group) = (0, 0);
    let (mut toml, mut plain, mut spaced) = (false, false, false);
    while at < text.len() {
        let name = simple(text, at);
        if let Some((name, value)) = name.and_then(|name| Some((name, name.value(text)?))) {
            let owner = found.push((at, name.end), Role::Key, Style::Line, NONE, group);
            found.push(value.span, Role::Value, value.style, owner, group);
            if let Some(leaf) = found.leaves.last_mut() {
                leaf.is_literal = true;
            }
            spaced |= name.is_spaced();
            toml |= value.is_toml;
            plain |= !value.is_toml;
            at = value.next;
            continue;
        }
        let line_end = bytes::line_end(text, at, LINE_BYTES);
        let line = text.get(at..line_end)?;
        let body = line.trim_ascii_start();
        let start = at + line.len() - body.len();
        let body = body.trim_ascii_end();
        let end = start + body.len();
        match body.first() {
            None => at = line_end + 1,
            Some(b'#' | b';') => {
                found.push((start, end), Role::Text, Style::Line, NONE, 0);
                at = line_end + 1;
            }
            Some(b'[') => {
                let closed = body.iter().position(|b| *b == b']')?;
                let rest = body.get(closed + 1..)?.trim_ascii();
                if !matches!(rest.first(), None | Some(b']' | b'#' | b';')) {
                    return None;
                }
                group = found.group();
                found.is_configuration = true;
                found.is_sectioned = true;
                at = line_end + 1;
            }
            Some(_) => {
                let (key, from) = match name {
                    Some(name) => ((at, name.end), name.equals + 1),
                    None => key(text, start, end)?,
                };
                let lead = text.get(from..end)?;
                spaced |= lead.starts_with(b" ");
                let from = end - lead.trim_ascii_start().len();
                let owner = found.push(key, Role::Key, Style::Line, NONE, group);
                let (after, quoted) = value(text, from, end, owner, group, &mut found)?;
                toml |= quoted;
                plain |= !quoted;
                at = bytes::line_end(text, after, LINE_BYTES) + 1;
            }
        }
    }
    let code = |l: &Leaf| {
        let value = text.get(l.start..l.end).unwrap_or_default();
        l.style == Style::Quoted
            || value.iter().any(|b| matches!(b, b'(' | b'['))
            || value.ends_with(b";")
    };
    found.is_configuration |= !spaced
        || found.leaves.len() > 2
            && !found
                .leaves
                .iter()
                .filter(|l| l.role == Role::Value)
                .any(code);
    // In TOML, there is no unquoted text, so a replacement needs quotes.
    if toml && !plain {
        for leaf in &mut found.leaves {
            if leaf.role == Role::Value && leaf.style == Style::Line {
                leaf.style = Style::Bare;
            }
        }
    }
    Some(found)
}

/// Returns the name of the assignment at `start..end`, and the start of its value.
fn key(text: &[u8], start: usize, end: usize) -> Option<((usize, usize), usize)> {
    let mut from = start;
    for word in [&b"export "[..], b"set ", b"env ", b"setenv "] {
        if matches!(bytes::at(text, from), b'e' | b'E' | b's' | b'S')
            && bytes::has_at(text, from, word)
        {
            from += word.len();
        }
    }
    let line = text.get(from..end)?;
    // Most names are a single word.
    let word = bytes::run(line, 0, NAME, KEY_BYTES - 1);
    let one =
        word > 0 && bytes::at(line, word) == b'=' && bytes::any(line.get(..word)?, bytes::ALPHA);
    if one && !matches!(bytes::at(line, word + 1), b'=' | b'>' | b'~') {
        return Some(((from, from + word), from + word + 1));
    }
    let equals = line.iter().take(KEY_BYTES).position(|b| *b == b'=')?;
    let name = line.get(..equals)?.trim_ascii();
    let lead = line.get(..equals)?.len() - line.get(..equals)?.trim_ascii_start().len();
    let worded = bytes::all(name, NAME) && bytes::any(name, bytes::ALPHA);
    if worded && !matches!(bytes::at(line, equals + 1), b'=' | b'>' | b'~') {
        return Some(((from + lead, from + lead + name.len()), from + equals + 1));
    }
    let allowed = |b: &u8| {
        bytes::is(*b, NAME | bytes::SLASH | bytes::COLON | bytes::AT)
            || matches!(b, b'"' | b'\'' | b' ' | b'[' | b']' | b'*')
    };
    let words = name.split(|b| *b == b' ').count();
    let has_letters = name.iter().any(|b| bytes::is(*b, bytes::ALPHA));
    // `let name = …`, `command --name=…`: a line of a program.
    let first = name.split(|b| *b == b' ').next().unwrap_or_default();
    let program = words > 1 && (STATEMENTS.contains(first) || name.windows(2).any(|w| w == b" -"));
    let quotes = name.iter().filter(|b| matches!(b, b'"' | b'\'')).count();
    let quoted = quotes % 2 == 0 && (quotes == 0 || words == 1);
    // `name: dGV4dA==` is a line of YAML.
    let member = name.windows(2).any(|w| w == b": ");
    if member
        || name.is_empty()
        || !has_letters
        || program
        || words > 4
        || !quoted
        || !name.iter().all(allowed)
    {
        return None;
    }
    // `==`, `=>` and the like are operators of programs.
    if matches!(bytes::at(line, equals + 1), b'=' | b'>' | b'~') {
        return None;
    }
    let key = from + lead;
    Some(((key, key + name.len()), from + equals + 1))
}

/// Reads the value at `from..end`. Returns its end, and whether only TOML writes it in this way.
fn value(
    text: &[u8],
    from: usize,
    end: usize,
    owner: u32,
    group: u32,
    found: &mut Structure,
) -> Option<(usize, bool)> {
    let first = bytes::at(text, from);
    if from >= end {
        return Some((from, true));
    }
    let quote = matches!(first, b'"' | b'\'').then_some(first);
    if let Some(quote) = quote {
        let triple = bytes::at(text, from + 1) == quote && bytes::at(text, from + 2) == quote;
        let (open, close, after) = if triple {
            let close = triple_end(text, from + 3, quote)?;
            (from + 3, close, close + 3)
        } else {
            let close = if quote == b'"' {
                string_end(text, from + 1)
            } else {
                single_end(text, from + 1)?
            };
            (from + 1, close, close + 1)
        };
        if close >= text.len() || !triple && text.get(open..close)?.contains(&b'\n') {
            return None;
        }
        let line_end = bytes::line_end(text, after, LINE_BYTES);
        let rest = text.get(after..line_end)?.trim_ascii();
        if matches!(rest.first(), None | Some(b'#' | b';' | b'\\')) {
            found.push((open, close), Role::Value, Style::Quoted, owner, group);
            return Some((after, true));
        }
    }
    if matches!(first, b'[' | b'{') {
        let before = found.leaves.len();
        if let Some(after) = flow::read(text, from, owner, b'=', found) {
            let rest = text.get(after..bytes::line_end(text, after, LINE_BYTES))?;
            if matches!(rest.trim_ascii().first(), None | Some(b'#')) {
                return Some((after, true));
            }
        } else {
            // Each of these scans far ahead. A text with many of them is not of this kind.
            found.unclosed += 1;
            if found.unclosed > UNCLOSED {
                return None;
            }
        }
        found.leaves.truncate(before);
    }
    let line = text.get(from..end)?;
    let comment = memchr::memchr2_iter(b'#', b';', line)
        .find(|mark| matches!(bytes::before(line, *mark), b' ' | b'\t'))
        .map(|mark| mark - 1);
    let value = line.get(..comment.unwrap_or(line.len()))?.trim_ascii_end();
    let several = memchr::memchr_iter(b' ', value).any(|blank| {
        let name = bytes::run(value, blank + 1, NAME, 64);
        name > blank + 1 && bytes::at(value, name) == b'='
    });
    if several {
        // A line with several assignments, or a command with options. It is scanned as plain text.
        if let Some(key) = found.leaves.last_mut() {
            key.role = Role::Text;
            key.end = end;
        }
        return Some((end, false));
    }
    let toml = is_toml(value);
    found.push(
        (from, from + value.len()),
        Role::Value,
        Style::Line,
        owner,
        group,
    );
    if comment.is_some() {
        found.push(
            (from + value.len() + 1, end),
            Role::Text,
            Style::Line,
            NONE,
            0,
        );
    }
    Some((end, toml))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::structure::leaf::shown;

    /// Returns simple lines, and lines that differ from simple ones in one thing.
    fn line() -> impl Strategy<Value = String> {
        let simple = r#"[a-zA-Z_.]{1,3} ?= ?(a|/b|-1|true|"c d"|\[1, "e"\])"#;
        let odd = r##"( |)(set |export|f g|"h"|#|\[)( |)(=|==| => |: |)(i j|k #l|"m\\""|"n|'o'|"""p"""|)( |\r|;|\t#q|)"##;
        prop_oneof![4 => simple, 1 => odd].prop_map(|line| format!("{line}\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_simple_line_says_what_it_says_the_long_way(lines in prop::collection::vec(line(), 1..5)) {
            let text = lines.concat();
            let long = read_by(text.as_bytes(), |_, _| None);
            prop_assert_eq!(shown(read(text.as_bytes())), shown(long));
        }
    }
}
