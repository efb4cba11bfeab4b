//! Converts texts, links and times of a change to their stored form.

use chrono::DateTime;
use tarsy_config::AlertMasker;
use tarsy_egress::parse_url;
use tarsy_model::visible;

use crate::webhooks::micros_of;

/// Number of characters of a text that are read. Masking needs more than what is stored.
const READ: usize = 8_192;
const LONGEST_LINK: usize = 1_000;

/// Returns the first line of a text, masked, with hidden characters made visible, and cut to `most`
/// characters.
pub(super) fn line(masker: &AlertMasker, text: &str, most: usize) -> Option<String> {
    let read = cut(text, READ);
    // Masked before the line is taken, because a secret may span several lines.
    let masked = masker.text(read);
    let line = masked
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    let shown = visible(line);
    Some(match shown.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    })
}

fn cut(text: &str, most: usize) -> &str {
    match text.char_indices().nth(most) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Validates and masks a link.
///
/// # Errors
///
/// Text that describes what is wrong. Links with other schemes than http and https are not stored.
pub(super) fn link(masker: &AlertMasker, text: &str) -> Result<String, &'static str> {
    let url = parse_url(text.trim()).map_err(|_| "is not an http or https link")?;
    if url.as_str().len() > LONGEST_LINK {
        return Err("is longer than 1,000 bytes");
    }
    // The parser's output has no hidden characters.
    Ok(masker.text(url.as_str()))
}

/// Parses a time as Unix microseconds. Accepts RFC 3339, GitLab's notation, and Unix seconds,
/// milliseconds or microseconds.
pub(super) fn time(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return match number {
            1..100_000_000_000 => Some(number * 1_000_000),
            100_000_000_000..100_000_000_000_000 => Some(number * 1_000),
            100_000_000_000_000.. => Some(number),
            _ => None,
        };
    }
    let spaced = || {
        let text = text.replace(" UTC", " +0000");
        let time = DateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S %z").ok()?;
        Some(time.timestamp_micros())
    };
    micros_of(text).or_else(spaced).filter(|us| *us > 0)
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_read_as_senders_write_them() {
        for text in [
            "1700000000",
            "1700000000000",
            "1700000000000000",
            "2023-11-14T22:13:20Z",
            "2023-11-14T23:13:20+01:00",
            "2023-11-14 23:13:20 +0100",
            "2023-11-14 22:13:20 UTC",
        ] {
            assert_eq!(time(text), Some(1_700_000_000_000_000), "{text}");
        }
        for text in ["", "-1", "0", "yesterday", "1969-01-01T00:00:00Z"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
