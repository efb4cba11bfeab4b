//! Positions in the write-ahead log.

use std::fmt;

/// Size of a page of the log, in bytes.
const PAGE: u64 = 8_192;
/// Maximum size of a page header, in bytes.
const HEADER: u64 = 40;

/// A position in the write-ahead log (LSN).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lsn(u64);

impl Lsn {
    /// Parses the text format of Postgres, e.g. `16/B374D848`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (high, low) = text.split_once('/')?;
        let part = |hex| u32::from_str_radix(hex, 16).ok().map(u64::from);
        Some(Self(part(high)? << 32 | part(low)?))
    }

    /// Returns the end of the last record before this position. The position itself is where the next record would
    /// begin. It may lie after the header of a page that is still empty, and a server that replays the log never
    /// reaches that.
    #[must_use]
    pub(crate) const fn end_of_last_record(self) -> Self {
        let offset = self.0 % PAGE;
        if offset <= HEADER {
            Self(self.0 - offset)
        } else {
            self
        }
    }

    /// Returns the number of bytes from here to `later`.
    pub(crate) const fn until(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0)
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xFFFF_FFFF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_postgres_writes() {
        let lsn = Lsn::parse("16/B374D848").unwrap();
        assert_eq!(lsn.to_string(), "16/B374D848");
        assert!(lsn > Lsn::parse("9/FFFFFFFF").unwrap());
        assert_eq!(lsn.until(Lsn::parse("16/B374D850").unwrap()), 8);
        assert!(Lsn::parse("B374D848").is_none() && Lsn::parse("x/1").is_none());
    }

    #[test]
    fn the_header_of_an_empty_page_is_nothing_to_wait_for() {
        let end = |text| Lsn::parse(text).unwrap().end_of_last_record().to_string();
        assert_eq!(end("0/3002018"), "0/3002000");
        assert_eq!(end("0/3000028"), "0/3000000");
        assert_eq!(end("0/3002060"), "0/3002060");
    }
}
