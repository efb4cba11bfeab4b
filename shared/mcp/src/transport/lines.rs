//! Splits bytes into lines with bounded memory.

/// Bytes that are kept of an oversized line's end: enough for the id, which some servers write last.
pub(super) const TAIL_BYTES: usize = 256;

/// Collects bytes into lines. Holds at most `max` bytes of a line.
pub(crate) struct LineBuffer {
    max: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
    over: bool,
}

/// Result of one step of reading input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line within the limit, without its newline.
    Whole(Vec<u8>),
    /// The beginning of a line that exceeds the limit, as soon as that is known.
    Over(Vec<u8>),
    /// The end of an oversized line.
    OverEnd { tail: Vec<u8>, total: u64 },
}

impl LineBuffer {
    pub(crate) const fn new(max: usize) -> Self {
        Self {
            max,
            head: Vec::new(),
            tail: Vec::new(),
            total: 0,
            over: false,
        }
    }

    /// Takes bytes from the front of `input` until a [`Line`] is complete.
    pub(crate) fn take(&mut self, input: &mut &[u8]) -> Option<Line> {
        while !input.is_empty() {
            let newline = memchr::memchr(b'\n', input);
            let end = newline.unwrap_or(input.len());
            let room = self.max.saturating_sub(self.head.len());
            if !self.over && end > room {
                self.head.extend_from_slice(&input[..room]);
                self.total += room as u64;
                *input = &input[room..];
                self.over = true;
                return Some(Line::Over(std::mem::take(&mut self.head)));
            }
            let bytes = &input[..end];
            self.total += bytes.len() as u64;
            if self.over {
                self.keep_tail(bytes)
            } else {
                self.head.extend_from_slice(bytes)
            }
            *input = &input[end + usize::from(newline.is_some())..];
            if newline.is_some() {
                return Some(self.end());
            }
        }
        None
    }

    /// Returns what is left at the end of the input; `None` if nothing is.
    pub(crate) fn finish(&mut self) -> Option<Line> {
        (self.over || !self.head.is_empty()).then(|| self.end())
    }

    fn end(&mut self) -> Line {
        let total = std::mem::take(&mut self.total);
        if std::mem::take(&mut self.over) {
            return Line::OverEnd {
                tail: std::mem::take(&mut self.tail),
                total,
            };
        }
        let mut line = std::mem::take(&mut self.head);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Line::Whole(line)
    }

    fn keep_tail(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(TAIL_BYTES)..];
        let surplus = (self.tail.len() + bytes.len()).saturating_sub(TAIL_BYTES);
        self.tail.drain(..surplus);
        self.tail.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(max: usize, chunks: &[&[u8]]) -> Vec<Line> {
        let mut buffer = LineBuffer::new(max);
        let mut lines = Vec::new();
        for chunk in chunks {
            let mut input = *chunk;
            while let Some(line) = buffer.take(&mut input) {
                lines.push(line);
            }
        }
        lines.extend(buffer.finish());
        lines
    }

    #[test]
    fn an_oversized_line_is_reported_at_once_and_again_at_its_end() {
        let lines = all(4, &[b"ab\r\n", b"012345", b"6789\nx\n"]);
        assert_eq!(
            lines,
            [
                Line::Whole(b"ab".to_vec()),
                Line::Over(b"0123".to_vec()),
                Line::OverEnd {
                    tail: b"456789".to_vec(),
                    total: 10
                },
                Line::Whole(b"x".to_vec()),
            ]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn lines_do_not_depend_on_how_the_bytes_arrive(text in "[a\n]{0,40}", cut in 0usize..40, max in 1usize..9) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            prop_assert_eq!(all(max, &[bytes]), all(max, &[&bytes[..cut], &bytes[cut..]]));
        }
    }
}
