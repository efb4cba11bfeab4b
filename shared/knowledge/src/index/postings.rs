//! Packed postings: the chunks of a segment that contain a term, with term frequencies.
//!
//! Chunk numbers are stored as differences. Both numbers are in LEB128, so most entries take two or three bytes.

/// Appends an entry. `previous` is the chunk of the previous entry, if any.
pub(super) fn push(data: &mut Vec<u8>, previous: Option<u32>, chunk: u32, times: u32) {
    number(data, chunk - previous.map_or(0, |previous| previous + 1));
    number(data, times);
}

fn number(data: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        data.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    data.push(value.to_le_bytes()[0]);
}

/// Iterates over packed entries: chunk within the segment and term frequency. Stops at invalid bytes.
pub(crate) struct Postings<'d> {
    data: &'d [u8],
    next: u32,
}

impl<'d> Postings<'d> {
    pub(crate) const fn new(data: &'d [u8]) -> Self {
        Self { data, next: 0 }
    }

    fn number(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let (byte, rest) = self.data.split_first()?;
            self.data = rest;
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

impl Iterator for Postings<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let (skipped, times) = (self.number()?, self.number()?);
        let chunk = self.next.checked_add(skipped)?;
        self.next = chunk.checked_add(1)?;
        Some((chunk, times))
    }
}

#[cfg(test)]
mod tests {
    use super::{Postings, push};

    #[test]
    fn what_is_packed_is_read() {
        let entries = [(0, 1), (1, 3), (130, 200), (2_000_000_000, 1)];
        let (mut data, mut previous) = (Vec::new(), None);
        for (chunk, times) in entries {
            push(&mut data, previous, chunk, times);
            previous = Some(chunk);
        }
        assert_eq!(Postings::new(&data).collect::<Vec<_>>(), entries);
    }

    #[test]
    fn broken_bytes_end_early() {
        for data in [
            &[0xff; 40][..],
            &[0x80],
            &[1, 0x80],
            &[0xff, 0xff, 0xff, 0xff, 0x0f, 1, 5, 1],
        ] {
            assert!(Postings::new(data).count() < 20);
        }
    }
}
