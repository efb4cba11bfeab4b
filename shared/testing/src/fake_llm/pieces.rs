//! Cuts texts into the pieces of a streamed answer.

/// Cuts a text into pieces of `size` characters.
pub(super) fn pieces(text: &str, size: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters
        .chunks(size.max(1))
        .map(|piece| piece.iter().collect())
        .collect()
}
