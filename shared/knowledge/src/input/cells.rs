//! Parses the cells of a record.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// CSV cell parser with reusable buffers.
pub(crate) struct Cells {
    parser: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl Cells {
    pub(crate) fn new(delimiter: u8, quoting: bool) -> Self {
        let parser = ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(quoting)
            .build();
        Self {
            parser,
            text: vec![0; 4096],
            ends: vec![0; 64],
            count: 0,
        }
    }

    /// Parses a record and returns the number of its cells.
    pub(crate) fn parse(&mut self, mut record: &[u8]) -> usize {
        self.parser.reset();
        self.count = 0;
        let mut written = 0;
        // The cells are never longer than the record that contains them.
        if self.text.len() < record.len() + 1 {
            self.text.resize(record.len() + 1, 0);
        }
        loop {
            let (result, read, wrote, ended) = self.parser.read_record(
                record,
                &mut self.text[written..],
                &mut self.ends[self.count..],
            );
            record = record.get(read..).unwrap_or_default();
            written += wrote;
            self.count += ended;
            match result {
                // Empty input tells the parser that the record ends.
                ReadRecordResult::InputEmpty => record = &[],
                ReadRecordResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record | ReadRecordResult::End => return self.count,
            }
        }
    }

    /// Returns a cell, which is empty if the index is out of range.
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        let ends = &self.ends[..self.count];
        let begin = match index.checked_sub(1) {
            Some(before) => ends.get(before).copied(),
            None => Some(0),
        };
        let range = begin.zip(ends.get(index).copied());
        range
            .and_then(|(begin, end)| self.text.get(begin..end))
            .unwrap_or_default()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::Cells;

    #[test]
    fn cells_are_unquoted() {
        let mut cells = Cells::new(b',', true);
        assert_eq!(cells.parse(b"a,\"b\n\"\"c\"\"\",,5\" d"), 4);
        let all: Vec<_> = cells.all().collect();
        assert_eq!(all, [&b"a"[..], b"b\n\"c\"", b"", b"5\" d"]);
        assert_eq!(cells.parse(&[b','; 200]), 201);
        assert_eq!(cells.parse(b"x"), 1);
        assert_eq!(cells.get(1), b"");
    }
}
