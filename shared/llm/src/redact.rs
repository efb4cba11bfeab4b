//! Masks and bounds error messages.

use std::sync::LazyLock;

use tarsy_masking::Masker;
use tarsy_model::Secret;

/// Masks what providers say when they fail: they quote the prompt, which quotes what tools said.
/// `None`, which the crate's own test excludes, withholds the text.
static MASKER: LazyLock<Option<Masker>> = LazyLock::new(|| Masker::group("security"));
/// Most that is masked of a text of which one line is kept.
const MAX_BYTES: usize = 64 * 1024;

/// Shortest secret that is searched for. Shorter ones are placeholders, as `ollama`, or parts of words.
const SHORTEST_SECRET: usize = 8;

/// Longest message in characters.
const MAX_CHARS: usize = 500;

/// Cut `text` to one bounded line without the given secrets and whatever else is one.
pub(crate) fn bounded_line(text: &str, secrets: &[&Secret]) -> String {
    let mut line = String::new();
    // Secrets go first: white space folding or the cut must not leave half a key behind.
    let mut text = text[..text.floor_char_boundary(MAX_BYTES)].to_owned();
    for secret in secrets {
        if secret.expose().len() >= SHORTEST_SECRET {
            text = text.replace(secret.expose(), "[key]");
        }
    }
    let text = match &*MASKER {
        Some(masker) => masker.mask_or_withhold(&text),
        None => tarsy_masking::WITHHELD.to_owned(),
    };
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if let Some((cut, _)) = line.char_indices().nth(MAX_CHARS) {
        line.truncate(cut);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_quotes_is_masked_before_it_is_cut() {
        let quoted = format!(
            "bad request: {{\"password\": \"made-up-4711\"}} {}",
            "x ".repeat(400)
        );
        let line = bounded_line(&quoted, &[]);
        assert!(line.contains("[MASKED_PASSWORD]"), "{line}");
        assert!(!line.contains("4711"), "{line}");
    }

    #[test]
    fn keys_line_breaks_and_excess_go() {
        let (key, placeholder) = (Secret::new("sk-12345"), Secret::new("k"));
        assert_eq!(
            bounded_line(
                "bad key\n sk-12345\u{1b}[31m!",
                &[&key, &Secret::default(), &placeholder]
            ),
            "bad key [key] [31m!"
        );
        assert_eq!(bounded_line(&"ä".repeat(900), &[]).chars().count(), 501);
    }
}
