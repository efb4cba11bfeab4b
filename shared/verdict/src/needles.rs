//! What is looked for in results, for one name or quotation.

use crate::text::{is_all, is_word, normalized};
use crate::words::Words;

/// Kinds that stand before a name.
static KINDS: Words = Words::new(include_str!("words/kinds.txt"));

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
    let host = name.split(':').next().unwrap_or_default();
    let services = [".svc.cluster.local", ".svc"];
    let services = services
        .iter()
        .filter_map(|domain| host.strip_suffix(domain));
    all.extend(services.map(|service| parts(service, &['.'])));
    if name.contains(['=', ':', ' ']) {
        all.push(parts(name, &['=', ':', ' ', '{', '}', '"', '\'']));
    }
    let dates = date(name).into_iter().flatten();
    all.extend(dates.map(|form| vec![form]));
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
fn date(name: &str) -> Option<[String; 5]> {
    const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";
    let mut fields = name.split('-');
    let (year, month, day) = (fields.next()?, fields.next()?, fields.next()?);
    let month_name = MONTHS
        .split(' ')
        .nth(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let number: u32 = day
        .parse()
        .ok()
        .filter(|_| year.len() == 4 && fields.next().is_none())?;
    Some([
        format!("{day} {month_name}"),
        format!("{month_name} {day}"),
        format!("{month_name} {number}"),
        format!("{day}/{month_name}/{year}"),
        format!("{year}/{month}/{day}"),
    ])
}

/// How a quotation may stand in a result: in pieces where something is left out.
pub(crate) fn of_quote(quote: &str) -> Alternatives {
    let is_around = |char: char| char.is_whitespace() || ".,;:!".contains(char);
    let quote = normalized(quote).replace('\u{2026}', "...");
    let pieces = quote
        .split("...")
        .map(|piece| piece.trim_matches(is_around));
    let pieces = pieces.filter(|piece| !piece.is_empty());
    vec![pieces.map(str::to_owned).collect()]
}

/// Whether what was found at this place is the name, not a part of a longer one.
pub(crate) fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let needle = text.get(start..end).unwrap_or_default();
    let (first, last) = (needle.chars().next(), needle.chars().last());
    let mut before = text.get(..start).unwrap_or_default().chars().rev();
    let rest = text.get(end..).unwrap_or_default();
    let mut after = rest.chars();
    let (previous, next) = (before.next(), after.next());
    let second = before.next();
    let is_digit = |char: Option<char>| char.is_some_and(|char| char.is_ascii_digit());
    let goes_on_before = match previous {
        // A flag begins with two.
        Some('-') if first.is_some_and(is_word) => second.is_some_and(is_word),
        Some(char) if is_word(char) && first.is_some_and(is_word) => true,
        // A part of an address or of a version.
        Some('.') => is_digit(first) && is_digit(second),
        _ => false,
    };
    if goes_on_before {
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
        let is_random = |byte: &u8| b"bcdfghjklmnpqrstvwxz2456789".contains(byte);
        is_all(part, u8::is_ascii_digit)
            || part.len() == 5 && is_all(part, is_random)
            || has_digit && (4..=10).contains(&part.len())
    };
    parts.len() <= 3 && parts.iter().all(is_hash)
}
