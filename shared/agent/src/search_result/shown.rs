//! Cuts text to a bounded length.

/// Longest line or value among several, in bytes.
const LONGEST: usize = 400;

/// Returns the part of a line around a match, marked where it is cut.
pub(super) fn clipped(line: &str, at: usize) -> String {
    if line.len() <= LONGEST {
        return line.to_owned();
    }
    let start = at.saturating_sub(LONGEST / 4).min(line.len() - LONGEST);
    let start = line.floor_char_boundary(start);
    let end = line.floor_char_boundary(start + LONGEST);
    let before = if start > 0 { "\u{2026}" } else { "" };
    let after = if end < line.len() { "\u{2026}" } else { "" };
    format!("{before}{}{after}", &line[start..end])
}

/// Returns at most this many bytes from the beginning of a text, marked where it is cut.
pub(super) fn beginning(text: &str, most: usize) -> String {
    match text.len() <= most {
        true => text.to_owned(),
        false => format!("{}\u{2026}", &text[..text.floor_char_boundary(most)]),
    }
}
