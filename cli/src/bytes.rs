//! Lossless conversion of bytes to text and back.

use std::borrow::Cow;

/// Code point of byte 0 in the last 256 private-use characters.
const FIRST: u32 = 0x0010_ff00;

/// Converts bytes to text that [`to_bytes`] converts back.
///
/// Each byte that is not valid UTF-8 becomes one private-use character. If the text already contains such a character,
/// its four bytes are converted in the same way.
pub(crate) fn to_text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.chars().any(is_ours)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 64);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_ours(character) {
                let mut buffer = [0; 4];
                text.extend(
                    character
                        .encode_utf8(&mut buffer)
                        .bytes()
                        .filter_map(to_private_use),
                );
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().copied().filter_map(to_private_use));
    }
    Cow::Owned(text)
}

/// Converts text from [`to_text`] back to bytes.
pub(crate) fn to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut buffer = [0; 4];
    for character in text.chars() {
        match u8::try_from(u32::from(character).wrapping_sub(FIRST)) {
            Ok(byte) => bytes.push(byte),
            Err(_) => bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    bytes
}

fn is_ours(character: char) -> bool {
    u32::from(character) >= FIRST
}

fn to_private_use(byte: u8) -> Option<char> {
    char::from_u32(FIRST + u32::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let ours = "a\u{10ff00}b\u{10ffff}é".as_bytes();
        for bytes in [
            &all[..],
            b"no newline",
            b"",
            b"\r\n\0",
            b"\xe2\x82 cut",
            ours,
            b"\xff\xfe",
        ] {
            assert_eq!(to_bytes(&to_text(bytes)), bytes);
        }
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(
            to_text("größe".as_bytes()),
            Cow::Borrowed("größe")
        ));
    }
}
