//! Documents as an on-call agent sees them, measured as a whole: the secrets that must go, and the rest, which must
//! stay.
//!
//! In the files, lines with `%%` separate the documents; the first document is a comment. `⟦…⟧` is a secret that must
//! go, `⟪…⟫` random text that must stay, and `⟬…⟭` text that may do either. All other text must stay. Inside the marks,
//! `|` separates parts, and `#a20` generates 20 random characters (see `corpus`). Every second document was used while
//! the rules were improved. The others were used only once, at the end.
#![expect(clippy::print_stdout, reason = "a measurement says what it measured")]

use super::corpus::Random;
use tarsy_masking::Masker;

/// Expected outcome for a piece of a document.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Masked,
    Either,
}

/// Number of secrets in the documents that are gone, and the documents that lost something else.
#[derive(Default)]
struct Tally {
    secrets: usize,
    gone: usize,
    documents: usize,
    touched: usize,
}

/// Returns the pieces of a document, with their random parts generated.
fn pieces(document: &str, random: &mut Random) -> Vec<(Fate, String)> {
    let (mut pieces, mut fate, mut text) = (Vec::new(), Fate::Kept, String::new());
    for character in document.chars() {
        let next = match character {
            '⟦' => Fate::Masked,
            '⟬' => Fate::Either,
            '⟪' | '⟧' | '⟫' | '⟭' => Fate::Kept,
            _ => {
                text.push(character);
                continue;
            }
        };
        let drawn = matches!(character, '⟧' | '⟫' | '⟭');
        let piece = std::mem::take(&mut text);
        pieces.push((fate, if drawn { random.parts(&piece) } else { piece }));
        fate = next;
    }
    pieces.push((fate, text));
    pieces
}

/// Whether no useful part of the secret is left: neither all of it nor either half.
fn is_gone(secret: &str, masked: &str, pieces: &[(Fate, String)]) -> bool {
    let middle = secret.char_indices().nth(secret.chars().count() / 2);
    let (first, second) = secret.split_at(middle.map_or(0, |(at, _)| at));
    let left = |part: &str| {
        masked.contains(part)
            && !pieces
                .iter()
                .any(|(fate, text)| *fate != Fate::Masked && text.contains(part))
    };
    !left(secret) && (secret.len() < 12 || (!left(first) && !left(second)))
}

/// Returns the first piece around the secrets that is missing in the result. Quotes next to a secret may be gone.
fn missing_line<'a>(pieces: &'a [(Fate, String)], masked: &str) -> Option<&'a str> {
    let mut rest = masked;
    let mut stays = String::new();
    for (fate, text) in pieces.iter().chain([&(Fate::Masked, String::new())]) {
        if *fate == Fate::Kept {
            stays.push_str(text);
            continue;
        }
        for line in stays.split('\n') {
            let line = line.trim_matches(['"', '\'', ' ', '\\', '`']);
            match rest.find(line) {
                Some(at) => rest = rest.get(at + line.len()..).unwrap_or_default(),
                None => {
                    return pieces
                        .iter()
                        .map(|(_, text)| text.as_str())
                        .find(|text| text.contains(line))
                        .or(Some("what was drawn"));
                }
            }
        }
        stays.clear();
    }
    None
}

/// Masks every second document of `file`, starting with `first`.
fn measure(name: &str, file: &str, first: usize, shown: bool) -> Tally {
    let Some(masker) = Masker::group("security") else {
        return Tally::default();
    };
    let mut random = Random::new(97);
    let mut tally = Tally::default();
    for (number, document) in file.trim_end().split("\n%%\n").enumerate().skip(1) {
        let pieces = pieces(document, &mut random);
        if first != BOTH && number % 2 != first {
            continue;
        }
        let text: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
        let masked = masker.mask(&text).text;
        tally.documents += 1;
        let mut has_printed = false;
        for (_, secret) in pieces.iter().filter(|(fate, _)| *fate == Fate::Masked) {
            tally.secrets += 1;
            if is_gone(secret, &masked, &pieces) {
                tally.gone += 1;
            } else if shown {
                println!("MISSED {name} {number}: `{secret}`");
                has_printed = true;
            }
        }
        if let Some(line) = missing_line(&pieces, &masked) {
            tally.touched += 1;
            if shown {
                println!("TOUCHED {name} {number}: `{line}`");
                has_printed = true;
            }
        }
        if has_printed {
            println!("{masked}\n");
        }
    }
    println!(
        "{name}, half {first}: {} of {} secrets gone ({:.1} %), {} of {} documents touched elsewhere",
        tally.gone,
        tally.secrets,
        100.0 * tally.gone as f64 / tally.secrets as f64,
        tally.touched,
        tally.documents
    );
    tally
}

fn assert_recall(name: &str, file: &str, first: usize, floor: usize, touched: usize) {
    let tally = measure(name, file, first, first != HELD_OUT);
    assert!(tally.gone * 100 >= tally.secrets * floor);
    assert!(tally.touched <= touched);
}

/// The half that was used to improve the rules.
const WORKED: usize = 1;
/// The half that was held out.
const HELD_OUT: usize = 0;
const BOTH: usize = 2;

#[test]
fn operations_that_rules_were_mended_with() {
    assert_recall("operations", include_str!("operations.txt"), WORKED, 97, 1);
}

#[test]
fn operations_that_were_kept_back() {
    assert_recall(
        "operations",
        include_str!("operations.txt"),
        HELD_OUT,
        93,
        12,
    );
}

#[test]
fn vendors_that_rules_were_mended_with() {
    assert_recall("vendors", include_str!("vendors.txt"), WORKED, 96, 0);
}

#[test]
fn vendors_that_were_kept_back() {
    assert_recall("vendors", include_str!("vendors.txt"), HELD_OUT, 91, 1);
}

#[test]
fn notations_that_rules_were_mended_with() {
    assert_recall("notations", include_str!("notations.txt"), BOTH, 92, 1);
}
