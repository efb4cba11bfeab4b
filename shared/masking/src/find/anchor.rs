//! The one pass over the text: every place where a secret may be is at or near one of these anchors.

use std::sync::LazyLock;

use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind, StartKind};

use crate::data;
use crate::find::directive::SecretPosition;
use crate::find::format::{self, Format};

/// Why a place is worth a look.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    /// The prefix of a token format.
    Format(Format),
    /// Part of a name that may hold a secret: `pass`, `key`, `token`.
    Word,
    /// `pw` with what may follow a name: too short to stand alone.
    ShortWord,
    Service,
    /// A replacement of an earlier masking.
    Marker,
    /// `-----BEGIN`.
    Pem,
    /// The start of a PEM block in base64.
    EncodedPem,
    /// The start of a JSON object in base64: a JWT header.
    Jwt,
    /// `://`.
    Url,
    /// `@tcp(`, `@unix(` of Go's `MySQL` driver, `jdbc:oracle:thin:`.
    Dsn,
    /// The `@` of `user:password@host:port` without a scheme.
    Login,
    /// `bearer ` or `basic `.
    Scheme,
    /// A command line that takes credentials as flags.
    Command,
    /// A directive, a command or a line that a secret follows.
    Directive(SecretPosition),
    /// A call whose last literal is a password: `HTTPBasicAuth("user", "`.
    Call,
    /// The header of a key file without PEM's dashes.
    KeyFile,
    /// `"kty"` of a JSON web key.
    WebKey,
    /// `Secret` where a kind may stand.
    Kubernetes,
    /// A percent-encoded `=`, `:` or quote.
    Percent,
    /// The inside of a token without a prefix: Azure client secrets, Telegram bots, Terraform.
    InnerMarker,
}

/// An anchor and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) anchor: Anchor,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What the texts of a section of `anchors.txt` mean; `None` when there is no such section.
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

/// A number for each byte that an anchor holds, the same for both cases of a letter; 0 for all others.
///
/// The rows of an automaton are as wide as the bytes that it tells apart, rounded up to a power of two, and each process
/// makes them when it starts: 128 in place of 256.
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

/// The automaton and what each of its patterns stands for.
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
    /// The next anchor from `from` on. This loop is where a text without secrets spends its time: it is written here so that
    /// the compiler sees all of it.
    fn next(&self, text: &[u8], from: usize) -> Option<Hit> {
        let (mut state, mut found) = (self.start, None);
        // Four bytes a turn: half of what a byte costs is the loop.
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

/// How much text has one anchor, most often, in bytes.
const HIT_BYTES: usize = 128;

/// All anchors of a text in order, without overlaps.
///
/// # Panics
/// When the automaton could not be built; the caller withholds the text then.
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

/// How many matches the bare automaton finds: the ceiling of any speed figure, for the benchmark.
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
