//! What is looked for in results, for one name or quotation.

use crate::text::{is_word, normalized};
use crate::words::Words;

/// Kinds that stand before a name.
const KINDS: Words = Words::new(include_str!("words/kinds.txt"));

/// Alternatives, each of needles that must all be there.
pub(crate) type Alternatives = Vec<Vec<String>>;

/// How a name may stand in a result.
pub(crate) fn of_name(name: &str) -> Alternatives {
    let name = normalized(name);
    let name = name.trim().trim_start_matches("--").trim_end_matches("()");
    let mut all = vec![vec![name.to_owned()]];
    if let Some((_, rest)) = name.split_once('/').filter(|(kind, _)| KINDS.has(kind)) {
        all.push(vec![rest.to_owned()]);
    }
    if let Some((_, rest)) = name.split_once("://") {
        all.push(vec![rest.trim_end_matches('/').to_owned()]);
    } else if name.contains('/') && !name.starts_with('/') {
        all.push(parts(name, &['/']));
    }
    for domain in [".svc.cluster.local", ".svc"] {
        if let Some(service) = name
            .split(':')
            .next()
            .and_then(|host| host.strip_suffix(domain))
        {
            all.push(parts(service, &['.']));
        }
    }
    if name.contains(['=', ':', ' ']) {
        all.push(parts(name, &['=', ':', ' ', '{', '}', '"', '\'']));
    }
    if let Some(date) = date(name) {
        all.extend(date.into_iter().map(|form| vec![form]));
    }
    all.retain(|needles| !needles.is_empty() && needles.iter().all(|needle| !needle.is_empty()));
    all
}

fn parts(name: &str, at: &[char]) -> Vec<String> {
    name.split(at)
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Other forms of `2026-11-28`.
fn date(name: &str) -> Option<Vec<String>> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let mut fields = name.split('-');
    let (year, month, day) = (fields.next()?, fields.next()?, fields.next()?);
    let month_name = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let number: u32 = day
        .parse()
        .ok()
        .filter(|_| year.len() == 4 && fields.next().is_none())?;
    Some(vec![
        format!("{day} {month_name}"),
        format!("{month_name} {day}"),
        format!("{month_name} {number}"),
        format!("{day}/{month_name}/{year}"),
        format!("{year}/{month}/{day}"),
    ])
}

/// How a quotation may stand in a result: in pieces where something is left out.
pub(crate) fn of_quote(quote: &str) -> Alternatives {
    let quote = normalized(quote);
    let cut = |text: &str| {
        text.trim_matches(|char: char| {
            char.is_whitespace() || matches!(char, '.' | ',' | ';' | ':' | '!')
        })
        .to_owned()
    };
    let split = quote.replace('\u{2026}', "...");
    let pieces: Vec<String> = split
        .split("...")
        .map(cut)
        .filter(|piece| !piece.is_empty())
        .collect();
    vec![pieces]
}

/// Whether what was found at this place is the name, not a part of a longer one.
pub(crate) fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let needle = text.get(start..end).unwrap_or_default();
    let (first, last) = (needle.chars().next(), needle.chars().last());
    let mut before = text.get(..start).unwrap_or_default().chars().rev();
    let rest = text.get(end..).unwrap_or_default();
    let mut after = rest.chars();
    let (previous, next) = (before.next(), after.next());
    if first.is_some_and(is_word) && previous.is_some_and(|char| is_word(char) || char == '-') {
        // An escape of JSON, as in `\\tname`, was undone before; a flag begins with two.
        let is_flag = previous == Some('-') && before.next().is_none_or(|char| !is_word(char));
        if !is_flag {
            return false;
        }
    }
    let is_digit = |char: Option<char>| char.is_some_and(|char| char.is_ascii_digit());
    // A part of an address or of a version.
    if previous == Some('.')
        && is_digit(first)
        && is_digit(text.get(..start).and_then(|text| text.chars().rev().nth(1)))
    {
        return false;
    }
    match next {
        Some(char) if is_word(char) && last.is_some_and(is_word) => false,
        Some('-') if last.is_some_and(is_word) => is_generated(rest),
        Some('.') if is_digit(last) && is_digit(after.next()) => false,
        _ => true,
    }
}

/// Whether a name goes on as Kubernetes makes names of its own: with a hash, a number or a time.
fn is_generated(rest: &str) -> bool {
    let length = rest
        .find(|char: char| !is_word(char) && char != '-')
        .unwrap_or(rest.len());
    let suffix = rest.get(..length).unwrap_or_default();
    let parts: Vec<&str> = suffix.split('-').filter(|part| !part.is_empty()).collect();
    let is_hash = |part: &&str| {
        let has_digit = part.bytes().any(|byte| byte.is_ascii_digit());
        let is_random = part.len() == 5
            && part
                .bytes()
                .all(|byte| b"bcdfghjklmnpqrstvwxz2456789".contains(&byte));
        part.bytes().all(|byte| byte.is_ascii_digit())
            || is_random
            || (has_digit && (4..=10).contains(&part.len()))
    };
    parts.len() <= 3 && parts.iter().all(is_hash)
}
