//! Masks a text that arrives in pieces.

use crate::masker::{MAX_TEXT_BYTES, Masked, Masker, withheld};

/// Collects the pieces of a text and masks the whole text at the end. So the result does not depend on where the pieces
/// were cut: a Secret's `kind:` may come megabytes after its `data:`.
///
/// Holds at most `limit` bytes. A longer text is withheld.
#[derive(Debug)]
pub struct StreamMasker<'m> {
    masker: &'m Masker,
    held: Vec<u8>,
    limit: usize,
    overrun: bool,
}

impl Masker {
    /// Starts a text of at most [`MAX_TEXT_BYTES`].
    #[must_use]
    pub fn stream(&self) -> StreamMasker<'_> {
        self.stream_limited(MAX_TEXT_BYTES)
    }

    /// Starts a text of at most `limit` bytes.
    #[must_use]
    pub fn stream_limited(&self, limit: usize) -> StreamMasker<'_> {
        StreamMasker {
            masker: self,
            held: Vec::new(),
            limit: limit.min(MAX_TEXT_BYTES),
            overrun: false,
        }
    }
}

impl StreamMasker<'_> {
    /// Takes the next piece. It may be cut within a character.
    pub fn push(&mut self, piece: &[u8]) {
        if self.overrun || piece.len() > self.limit - self.held.len() {
            self.overrun = true;
            self.held = Vec::new();
        } else {
            self.held.extend_from_slice(piece);
        }
    }

    /// Masks everything that was pushed. Bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn finish(self) -> Masked<'static> {
        if self.overrun {
            return withheld();
        }
        let text = String::from_utf8(self.held)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let Masked {
            text: masked,
            kinds,
        } = self.masker.mask(&text);
        Masked {
            text: masked.into_owned().into(),
            kinds,
        }
    }
}
