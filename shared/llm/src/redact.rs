//! Error texts that are short, on one line, and hold no key.

use crate::Secret;

/// Longest message in characters.
const MAX_CHARS: usize = 500;

/// Cut `text` to one bounded line without the given secrets.
pub(crate) fn bounded_line(text: &str, secrets: &[&Secret]) -> String {
    let mut line = String::new();
    // Secrets go first: white space folding or the cut must not leave half a key behind.
    let mut text = text.to_owned();
    for secret in secrets {
        if !secret.is_empty() {
            text = text.replace(secret.expose(), "[key]");
        }
    }
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
    fn keys_line_breaks_and_excess_go() {
        let key = Secret::new("sk-123");
        assert_eq!(
            bounded_line("bad key\n sk-123\u{1b}[31m!", &[&key, &Secret::default()]),
            "bad key [key] [31m!"
        );
        assert_eq!(bounded_line(&"ä".repeat(900), &[]).chars().count(), 501);
    }
}
