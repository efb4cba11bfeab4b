//! Masks error messages and limits their length.

use std::sync::LazyLock;

use tarsy_masking::Masker;
use tarsy_model::Secret;

/// Masks error messages of providers, because they quote the prompt, which quotes tool results. If it is `None`, the
/// text is withheld; a test of this crate excludes that.
static MASKER: LazyLock<Option<Masker>> = LazyLock::new(|| Masker::group("security"));
/// Longest part of a text, in bytes, that is masked. Only one line of the text is kept.
const MAX_BYTES: usize = 64 * 1024;

/// Shortest secret that is replaced, in bytes. Shorter ones are placeholders such as `ollama`, or parts of words.
const SHORTEST_SECRET: usize = 8;

/// Longest message in characters.
const MAX_CHARS: usize = 500;

/// Reduces `text` to one line of limited length. Replaces the given secrets and masks all others.
pub(crate) fn bounded_line(text: &str, secrets: &[&Secret]) -> String {
    let mut line = String::new();
    // Replace secrets first. Otherwise folding white space or cutting could leave half a key.
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
