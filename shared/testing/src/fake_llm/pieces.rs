//! Cuts texts to the pieces of a streamed answer.

/// Pieces of `size` characters.
pub(super) fn pieces(text: &str, size: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters
        .chunks(size.max(1))
        .map(|piece| piece.iter().collect())
        .collect()
}
