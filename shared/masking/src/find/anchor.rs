//! Finds all anchors in one pass over the text. Every place that may hold a secret is at or near an anchor.

use std::sync::LazyLock;

use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind, StartKind};

use crate::data;
use crate::find::directive::SecretPosition;
use crate::find::format::{self, Format};

/// Kind of an anchor: the reason to scan a place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    /// The prefix of a token format.
    Format(Format),
    /// A part of a name that may hold a secret: `pass`, `key`, `token`.
    Word,
    /// `pw` with a character that may follow a name. It is too short without that character.
    ShortWord,
    Service,
    /// A replacement of an earlier round.
    Marker,
    /// `-----BEGIN`.
    Pem,
    /// The start of a PEM block in base64.
    EncodedPem,
    /// The start of a JSON object in base64, i.e. of a JWT header.
    Jwt,
    /// `://`.
    Url,
    /// `@tcp(`, `@unix(` of Go's `MySQL` driver, `jdbc:oracle:thin:`.
    Dsn,
    /// The `@` in `user:password@host:port` without a scheme.
    Login,
    /// `bearer ` or `basic `.
    Scheme,
    /// A command line that takes credentials as flags.
    Command,
    /// A directive, command or line that a secret follows.
    Directive(SecretPosition),
    /// A call whose last literal is a password: `HTTPBasicAuth("user", "`.
    Call,
    /// The header of a key file without PEM's dashes.
    KeyFile,
    /// `"kty"` of a JSON web key.
    WebKey,
    /// `Secret` in a place where a Kubernetes kind may be.
    Kubernetes,
    /// A percent-encoded `=`, `:` or quote.
    Percent,
    /// The middle of a token without a prefix: Azure client secrets, Telegram bots, Terraform.
    InnerMarker,
}

/// An anchor and its position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) anchor: Anchor,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Returns the kind of anchor of a section in `anchors.txt`; `None` if there is no such section.
fn meaning(section: &'static str) -> Option<Anchor> {
    Some(match section {
        "word" => Anchor::Word,
        "short_word" => Anchor::ShortWord,
        "marker" => Anchor::Marker,
        "pem" => Anchor::Pem,
        "encoded_pem" => Anchor::EncodedPem,
        "jwt" => Anchor::Jwt,
        "url" => Anchor::Url,
        "dsn" => Anchor::Dsn,
        "login" => Anchor::Login,
        "scheme" => Anchor::Scheme,
        "command" => Anchor::Command,
        "call" => Anchor::Call,
        "key_file" => Anchor::KeyFile,
        "web_key" => Anchor::WebKey,
        "kubernetes" => Anchor::Kubernetes,
        "percent" => Anchor::Percent,
        "inner_marker" => Anchor::InnerMarker,
        place => Anchor::Directive(SecretPosition::named(place)?),
    })
}

/// A number for each byte that occurs in an anchor, the same for both cases of a letter. All other bytes have the
/// number 0.
///
/// The rows of an automaton are as wide as the number of bytes that it distinguishes, rounded up to a power of two.
/// Each process builds them when it starts. With these numbers, they are 128 wide instead of 256.
struct Alphabet([u8; 256]);

impl Alphabet {
    fn from_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut numbers = [0; 256];
        let mut last = 0;
        for byte in texts.flat_map(str::bytes) {
            let number = &mut numbers[usize::from(byte.to_ascii_lowercase())];
            if *number == 0 {
                last += 1;
                *number = last;
            }
        }
        for byte in b'A'..=b'Z' {
            numbers[usize::from(byte)] = numbers[usize::from(byte.to_ascii_lowercase())];
        }
        Self(numbers)
    }

    fn number(&self, byte: u8) -> u8 {
        self.0[usize::from(byte)]
    }
}

/// The automaton, and the kind of anchor of each of its patterns.
struct Anchors {
    alphabet: Alphabet,
    automaton: DFA,
    start: StateID,
    meaning: Vec<Anchor>,
}

static ANCHORS: LazyLock<Option<Anchors>> = LazyLock::new(|| {
    let (rows, _) = data::anchors();
    let words = rows.iter().filter(|row| row.section == "word");
    let words: Vec<&str> = words.flat_map(|row| row.items.iter().copied()).collect();
    let formats = format::all(&words).into_iter();
    let mut entries: Vec<(&str, Anchor)> = formats
        .map(|format| (format.prefix, Anchor::Format(format)))
        .collect();
    for row in rows {
        if let Some(anchor) = meaning(row.section) {
            entries.extend(row.items.into_iter().map(|text| (text, anchor)));
        }
    }
    let services = data::services("services").iter();
    entries.extend(services.map(|name| (*name, Anchor::Service)));
    let alphabet = Alphabet::from_texts(entries.iter().map(|(text, _)| *text));
    let numbered = |(text, _): &(&str, Anchor)| -> Vec<u8> {
        text.bytes().map(|byte| alphabet.number(byte)).collect()
    };
    let automaton = DFA::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .start_kind(StartKind::Unanchored)
        .prefilter(false)
        .build(entries.iter().map(numbered))
        .ok()?;
    Some(Anchors {
        start: automaton.start_state(Anchored::No).ok()?,
        alphabet,
        automaton,
        meaning: entries.into_iter().map(|(_, anchor)| anchor).collect(),
    })
});

impl Anchors {
    /// Returns the next anchor at or after `from`. A text without secrets spends its time in this loop, so it is
    /// written here for the compiler to see all of it.
    fn next(&self, text: &[u8], from: usize) -> Option<Hit> {
        let (mut state, mut found) = (self.start, None);
        // Process four bytes per turn, because the loop is half of the cost of a byte.
        let (fours, rest) = text.get(from..)?.as_chunks::<4>();
        let mut step = |byte: u8, end: usize| {
            let number = self.alphabet.number(byte);
            state = self.automaton.next_state(Anchored::No, state, number);
            if self.automaton.is_special(state) {
                if self.automaton.is_dead(state) {
                    return true;
                }
                if self.automaton.is_match(state) {
                    found = Some((state, end));
                }
            }
            false
        };
        let mut at = from;
        let dead = fours.iter().any(|[one, two, three, four]| {
            at += 4;
            step(*one, at - 3) || step(*two, at - 2) || step(*three, at - 1) || step(*four, at)
        });
        if !dead {
            let mut rest = rest.iter().zip(at + 1..);
            rest.any(|(byte, end)| step(*byte, end));
        }
        let (state, end) = found?;
        let pattern = self.automaton.match_pattern(state, 0);
        Some(Hit {
            anchor: *self.meaning.get(pattern.as_usize())?,
            start: end - self.automaton.pattern_len(pattern),
            end,
        })
    }
}

/// Usual amount of text per anchor, in bytes.
const HIT_BYTES: usize = 128;

/// Returns all anchors of a text in order, without overlaps.
///
/// # Panics
/// Panics if the automaton could not be built. The caller then withholds the text.
pub(crate) fn hits(text: &str) -> Vec<Hit> {
    let anchors = ANCHORS.as_ref();
    assert!(anchors.is_some(), "the automaton of anchors was not built");
    let mut found = Vec::with_capacity(text.len() / HIT_BYTES);
    let mut from = 0;
    while let Some(hit) = anchors.and_then(|anchors| anchors.next(text.as_bytes(), from)) {
        from = hit.end;
        found.push(hit);
    }
    found
}

/// Returns the number of matches of the bare automaton. The benchmark uses it as the upper limit of any speed.
#[doc(hidden)]
#[must_use]
pub fn prefilter_ceiling(text: &str) -> usize {
    hits(text).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_a_meaning_and_every_text_is_in_lower_case() {
        let (rows, _) = data::anchors();
        for row in rows {
            assert!(meaning(row.section).is_some(), "[{}]", row.section);
            for text in row.items {
                assert!(
                    !text.is_empty() && text == text.to_lowercase(),
                    "line {}",
                    row.line
                );
            }
        }
    }
}
