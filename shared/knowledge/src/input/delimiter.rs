//! Detects the delimiter of a file.

use super::cells::Cells;
use super::split::{Piece, Splitter};

const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
const SAMPLED_RECORDS: usize = 50;

/// Returns the candidate that gives the most consistent number of cells in a sample, if that number is above one.
pub(crate) fn find(sample: &str, quoting: bool) -> u8 {
    let mut best = (0, b',');
    for delimiter in CANDIDATES {
        let widths = widths(sample, delimiter, quoting);
        let Some(first) = widths.first().copied().filter(|width| *width > 1) else {
            continue;
        };
        let alike = widths.iter().filter(|width| **width == first).count();
        // Ties go to the delimiter with more cells.
        let score = alike * 1000 / widths.len() * 1000 + first.min(999);
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    best.1
}

fn widths(sample: &str, delimiter: u8, quoting: bool) -> Vec<usize> {
    let mut splitter = Splitter::new(sample.as_bytes(), quoting.then_some(delimiter));
    let mut cells = Cells::new(delimiter, quoting);
    let mut widths = Vec::new();
    while let Ok(Some(piece)) = splitter.next() {
        if let Piece::Record { bytes, .. } = piece
            && !bytes.is_empty()
        {
            widths.push(cells.parse(splitter.bytes(bytes)));
        }
        if widths.len() == SAMPLED_RECORDS {
            break;
        }
    }
    // The sample may end inside a record.
    if widths.len() > 2 && widths.len() < SAMPLED_RECORDS {
        widths.pop();
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn delimiters_are_found() {
        for (sample, delimiter) in [
            ("a,b,c\n1,2,3\n4,5,6\n", b','),
            ("a;b\n1,5;2\n1,7;3\n", b';'),
            ("a\tb, c\n1\t2\n3\t4\n", b'\t'),
            ("a|b\n1|\"x,y|z\"\n", b'|'),
            ("a,b\n1,\"x;y\n;;\"\n2,z\n", b','),
            ("one\ntwo\n", b','),
            ("", b','),
        ] {
            assert_eq!(find(sample, true), delimiter, "{sample}");
        }
    }
}
