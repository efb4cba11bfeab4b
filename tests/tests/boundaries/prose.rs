//! Tests that documents are easy to read: short sentences, plain words, lines that fit a screen (CONTRIBUTING.md,
//! English).

use std::fs;
use std::sync::LazyLock;

use regex::Regex;

use crate::documents::{documents, is_history, shown};

/// Maximum number of words in a sentence. Text after the sixth comma does not count.
const WORDS: usize = 25;
/// Maximum number of characters in a line outside tables and code.
const LINE: usize = 240;

/// Unwanted words, with plainer ones.
const PLAINER: [(&str, &str); 11] = [
    (r"\bamid\b", "during"),
    (r"\bbehind\b", "after; or name the order"),
    (r"\bbeside\b", "next to, besides"),
    (r"\bdear(er|est)?\b", "expensive"),
    (r"\b[Nn]obody\b", "no person, no worker"),
    (r"\b(are|is) to be\b", "must be"),
    (r"\b(of our|our) own\b", "built-in, its own"),
    (r"\bnone that\b", "no .. that"),
    (r"\bso (far|long|many|much)\b", "this many, up to now"),
    (r"\b[Tt]ells?\b", "reports, shows, identifies"),
    (r"\b[Ww]hoever\b", "anyone who; or name the role"),
];

static UNWANTED: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compiled = PLAINER.map(|(word, plainer)| (Regex::new(word).unwrap(), plainer));
    compiled.into()
});

#[test]
fn documents_are_plain_english() {
    let mut complaints = Vec::new();
    for document in documents().iter().filter(|document| !is_history(document)) {
        let name = shown(document);
        // Runbooks and other texts outside of docs belong to tests and demonstrations.
        if name.contains('/') && !name.starts_with("docs/") {
            continue;
        }
        let text = fs::read_to_string(document).unwrap();
        let found = about(&text).into_iter();
        complaints.extend(found.map(|complaint| format!("{name}:{complaint}")));
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn long_sentences_and_unwanted_words_are_found() {
    let long = "one two three four five ".repeat(6);
    assert_eq!(about(&long).len(), 1);
    assert_eq!(about(&format!("| a | {long} |")).len(), 1, "in a table");
    assert_eq!(
        about(&format!("* {}.\n  {long}", "word ".repeat(20))).len(),
        1
    );
    assert!(
        about(
            "It names a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z."
        )
        .is_empty()
    );
    assert_eq!(about("Whoever asks is told; nobody tells.").len(), 3);
    let quoted = format!("`nobody {long}` and [a](b/beside.md)\n\n```\nnobody {long}\n```");
    assert!(about(&quoted).is_empty());
}

/// Returns complaints about a document, each with its line.
fn about(text: &str) -> Vec<String> {
    let (mut complaints, mut paragraph, mut begun, mut is_code) =
        (Vec::new(), String::new(), 0, false);
    for (number, line) in (1..).zip(text.lines().chain([""])) {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let is_prose = !is_code && !is_fence && !line.starts_with('#') && !line.starts_with('!');
        let is_row = line.starts_with('|');
        let is_item = ["* ", "- "]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark));
        let begins = is_row || is_item;
        if !is_prose || begins || line.trim().is_empty() {
            complaints.extend(
                about_paragraph(&paragraph).map(|complaint| format!("{begun}: {complaint}")),
            );
            paragraph.clear();
        }
        if !is_prose {
            continue;
        }
        if is_row {
            let cells = line.split('|').flat_map(about_paragraph);
            complaints.extend(cells.map(|complaint| format!("{number}: {complaint}")));
        } else {
            if line.chars().count() > LINE {
                complaints.push(format!("{number}: a line of more than {LINE} characters"));
            }
            if paragraph.is_empty() {
                begun = number;
            }
            paragraph = format!("{paragraph} {}", line.trim());
        }
    }
    complaints
}

fn about_paragraph(text: &str) -> impl Iterator<Item = String> + use<> {
    static QUOTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"``.*?``|`[^`]*`|\]\([^)]*\)").unwrap());
    static END: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[.!?:]\**\s").unwrap());
    let text = QUOTED.replace_all(text, "X").into_owned();
    let mut complaints: Vec<String> = END.split(&text).filter_map(about_sentence).collect();
    for (word, plainer) in &*UNWANTED {
        let found = word.find_iter(&text);
        complaints.extend(found.map(|found| format!("`{}`: {plainer}", found.as_str())));
    }
    complaints.into_iter()
}

fn about_sentence(sentence: &str) -> Option<String> {
    let without_list: String = sentence.split_inclusive(',').take(6).collect();
    let words = without_list.split_whitespace();
    let words = words
        .filter(|word| word.contains(char::is_alphanumeric))
        .count();
    let start: String = sentence.trim().chars().take(60).collect();
    (words > WORDS).then(|| format!("a sentence of {words} words: {start}.."))
}
