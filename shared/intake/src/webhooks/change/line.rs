//! Converts texts and links of a change to their stored form.

use tarsy_config::AlertMasker;
use tarsy_egress::parse_url;
use tarsy_model::visible;

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
