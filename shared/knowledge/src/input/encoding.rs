//! Detects and decodes file encodings.

use std::io::Read;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Size of the sample for detection.
pub(crate) const SAMPLE_BYTES: usize = 64 * 1024;

/// Detects the encoding from a sample. It looks for a byte order mark, then for the zero bytes of UTF-16. If most
/// multi-byte characters are valid UTF-8, it is UTF-8; otherwise windows-1252.
pub(crate) fn detect(sample: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(sample) {
        return encoding;
    }
    let zeros = |from: usize| {
        let bytes = sample.iter().skip(from).step_by(2);
        bytes.filter(|byte| **byte == 0).count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let half = sample.len() / 2;
    if half >= 2 && odd * 10 > half * 4 && even * 10 < half {
        return UTF_16LE;
    }
    if half >= 2 && even * 10 > half * 4 && odd * 10 < half {
        return UTF_16BE;
    }
    let (mut valid, mut invalid) = (0, 0);
    for chunk in sample.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        // A character that is cut off at the end of the sample does not count as invalid.
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    if invalid > 1 && invalid > valid || (invalid == 1 && valid == 0 && sample.len() < SAMPLE_BYTES)
    {
        WINDOWS_1252
    } else {
        UTF_8
    }
}

/// Decodes a file to UTF-8. UTF-8 files pass through unchanged, so that invalid rows are rejected individually. In
/// other encodings, invalid bytes become U+FFFD.
pub(crate) struct Utf8Reader<R> {
    inner: R,
    decoder: Option<Decoder>,
    pending: Vec<u8>,
    read: usize,
    is_at_end: bool,
}

impl<R: Read> Utf8Reader<R> {
    /// Creates a reader whose first bytes were already read into `sample`.
    pub(crate) fn new(inner: R, encoding: &'static Encoding, sample: Vec<u8>) -> Self {
        let decoder = (encoding != UTF_8).then(|| encoding.new_decoder_with_bom_removal());
        let mut reader = Self {
            inner,
            decoder,
            pending: Vec::new(),
            read: 0,
            is_at_end: false,
        };
        match &mut reader.decoder {
            None => {
                reader.pending = sample;
                reader.read = match reader.pending.starts_with(b"\xef\xbb\xbf") {
                    true => 3,
                    false => 0,
                };
            }
            Some(_) => reader.decode(&sample, false),
        }
        reader
    }

    /// Whether invalid characters are replaced by U+FFFD.
    pub(crate) const fn is_lossy(&self) -> bool {
        self.decoder.is_some()
    }

    fn decode(&mut self, mut bytes: &[u8], last: bool) {
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        self.pending.clear();
        self.read = 0;
        loop {
            let room = decoder
                .max_utf8_buffer_length(bytes.len())
                .unwrap_or(4 * bytes.len() + 16);
            let begin = self.pending.len();
            self.pending.resize(begin + room, 0);
            let (result, read, written, _) =
                decoder.decode_to_utf8(bytes, &mut self.pending[begin..], last);
            self.pending.truncate(begin + written);
            bytes = &bytes[read..];
            if result == CoderResult::InputEmpty {
                return;
            }
        }
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.read == self.pending.len() && !self.is_at_end {
            if self.decoder.is_none() {
                return self.inner.read(out);
            }
            let mut bytes = vec![0; SAMPLE_BYTES];
            let count = self.inner.read(&mut bytes)?;
            self.is_at_end = count == 0;
            let last = self.is_at_end;
            self.decode(&bytes[..count], last);
        }
        let left = &self.pending[self.read..];
        let count = left.len().min(out.len());
        out[..count].copy_from_slice(&left[..count]);
        self.read += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

    use super::{Utf8Reader, detect};

    #[test]
    fn encodings_are_found() {
        let utf16: Vec<u8> = "id,name\n1,ä\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let big: Vec<u8> = "id,name\n1,ä\n"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(detect(&utf16), UTF_16LE);
        assert_eq!(detect(&big), UTF_16BE);
        assert_eq!(detect("id,grün".as_bytes()), UTF_8);
        assert_eq!(detect(b"id,gr\xfcn\n2,sch\xf6n"), WINDOWS_1252);
        assert_eq!(detect("äöü gr\u{fc}n".as_bytes()), UTF_8);
        // A file of UTF-8 with one broken row still counts as UTF-8.
        assert_eq!(
            detect(&[b"a,\xff\n", "grün, schön".as_bytes()].concat()),
            UTF_8
        );
        assert_eq!(detect(b""), UTF_8);
    }

    #[test]
    fn all_bytes_arrive_decoded() {
        let text = "grün,".repeat(50_000);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let (sample, rest) = bytes.split_at(1001);
        let mut out = String::new();
        let mut reader = Utf8Reader::new(rest, UTF_16LE, sample.to_vec());
        reader.read_to_string(&mut out).unwrap();
        assert_eq!(out, text);
    }
}
