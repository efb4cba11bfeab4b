//! Validates an alert's JSON and writes its canonical form, in one pass.
//!
//! The pass rejects what Postgres would reject, and what would be far more expensive to store than
//! to send. In the canonical form equal documents are equal bytes. Members are in the order of
//! their keys, strings are unescaped, and there is no white space.
//!
//! Numbers stay as written, so two ids that differ only beyond the precision of a double stay
//! different. `tarsy_model::is_readable_number` defines which numbers readers can read.

use std::fmt::Write as _;

use tarsy_config::settings::IngestSettings;
use tarsy_model::is_readable_number;

/// Limits of one document.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Deepest nesting of objects and arrays.
    pub(crate) depth: usize,
    /// Maximum number of object members in all.
    pub(crate) keys: usize,
}

impl Bounds {
    /// Returns the limits from the settings.
    #[must_use]
    pub const fn from_settings(limits: &IngestSettings) -> Self {
        Self {
            depth: limits.json_max_depth,
            keys: limits.json_max_keys,
        }
    }
}

/// Reason why a document can't be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TooDeep,
    TooManyKeys,
    NulCharacter,
    UnpairedSurrogate,
    NumberOutOfRange,
}

/// A fault and its path, e.g. `labels.hosts[3]`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) fault: Fault,
    pub(crate) path: String,
}

/// Largest absolute value of a number's decimal exponent. With a larger one, a document of a few
/// bytes would take megabytes to store.
const MAX_EXPONENT: u32 = 400;
/// Longest number in characters, for the same reason.
const MAX_NUMBER: usize = 1_000;

/// Appends the canonical form of `json` to `out`, without the top-level member `without`.
///
/// `json` must be valid JSON, as `serde_json::value::RawValue` guarantees.
pub(crate) fn write_canonical(
    json: &str,
    bounds: Bounds,
    without: Option<&str>,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    let mut walk = Walk {
        text: json.as_bytes(),
        at: 0,
        keys: 0,
        bounds,
        without,
        path: Vec::new(),
        out,
    };
    match walk.value() {
        Ok(()) => Ok(()),
        Err(fault) => Err(Refused {
            fault,
            path: walk.path(),
        }),
    }
}

enum PathSegment<'t> {
    Member(&'t [u8]),
    Element(usize),
}

struct Walk<'t, 'o> {
    text: &'t [u8],
    at: usize,
    keys: usize,
    bounds: Bounds,
    without: Option<&'o str>,
    path: Vec<PathSegment<'t>>,
    out: &'o mut Vec<u8>,
}

impl<'t> Walk<'t, '_> {
    fn value(&mut self) -> Result<(), Fault> {
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => self.string().map(drop),
            _ => self.literal(),
        }
    }

    fn object(&mut self) -> Result<(), Fault> {
        let start = self.enter(b'{')?;
        let mut members: Vec<usize> = Vec::new();
        while self.peek() != b'}' && self.at < self.text.len() {
            self.keys += 1;
            let member = self.out.len();
            let key = self.at;
            // The path is extended before the key is read, so that an error in the key names its place.
            self.path.push(PathSegment::Member(&self.text[key..key]));
            let name = self.string()?;
            self.path.pop();
            self.path.push(PathSegment::Member(name));
            if self.keys > self.bounds.keys {
                return Err(Fault::TooManyKeys);
            }
            self.skip(b':');
            self.value()?;
            self.path.pop();
            let left_out = self.path.is_empty()
                && self
                    .without
                    .is_some_and(|without| key_of(&self.out[member..]) == without.as_bytes());
            if left_out {
                self.out.truncate(member);
            } else {
                members.push(member);
            }
            self.skip(b',');
        }
        self.at += 1;
        sort_members(self.out, start, &members);
        self.out.push(b'}');
        Ok(())
    }

    fn array(&mut self) -> Result<(), Fault> {
        self.enter(b'[')?;
        let mut index = 0;
        while self.peek() != b']' && self.at < self.text.len() {
            self.path.push(PathSegment::Element(index));
            self.value()?;
            self.path.pop();
            self.skip(b',');
            index += 1;
        }
        self.at += 1;
        self.out.push(b']');
        Ok(())
    }

    fn enter(&mut self, bracket: u8) -> Result<usize, Fault> {
        if self.path.len() >= self.bounds.depth {
            return Err(Fault::TooDeep);
        }
        self.at += 1;
        self.out.push(bracket);
        Ok(self.out.len())
    }

    /// Writes a string as its length and its bytes. Returns it as it is in the text, still escaped.
    fn string(&mut self) -> Result<&'t [u8], Fault> {
        self.peek();
        let start = self.at + 1;
        let rest = self.text.get(start..).unwrap_or_default();
        let plain = rest
            .iter()
            .position(|&b| b == b'"' || b == b'\\')
            .unwrap_or(rest.len());
        let mut end = plain;
        while rest.get(end).is_some_and(|&b| b != b'"') {
            end += if rest[end] == b'\\' { 2 } else { 1 };
        }
        let raw = rest.get(..end).unwrap_or(rest);
        self.at = start + end + 1;
        if end == plain {
            push_string(self.out, raw);
            return Ok(raw);
        }
        let quoted = self.text.get(start - 1..self.at).unwrap_or_default();
        // A syntax check does not decode escapes, so an unpaired surrogate is only found here.
        let text: String = serde_json::from_slice(quoted).map_err(|_| Fault::UnpairedSurrogate)?;
        if text.contains('\0') {
            return Err(Fault::NulCharacter);
        }
        push_string(self.out, text.as_bytes());
        Ok(raw)
    }

    fn literal(&mut self) -> Result<(), Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|b| matches!(b, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t'))
            .unwrap_or(rest.len());
        let literal = &rest[..end];
        let exponent = literal.iter().position(|b| matches!(b, b'e' | b'E'));
        let is_number = literal
            .first()
            .is_some_and(|b| b.is_ascii_digit() || *b == b'-');
        if is_number
            && (literal.len() > MAX_NUMBER
                || exponent.is_some_and(|at| is_extreme(&literal[at + 1..]))
                || !str::from_utf8(literal).is_ok_and(is_readable_number))
        {
            return Err(Fault::NumberOutOfRange);
        }
        self.at += end.max(1);
        self.out.extend_from_slice(literal);
        self.out.push(b' ');
        Ok(())
    }

    /// Skips white space and returns the next byte, or 0 at the end.
    fn peek(&mut self) -> u8 {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(&byte) => return byte,
                None => return 0,
            }
        }
    }

    fn skip(&mut self, byte: u8) {
        if self.peek() == byte {
            self.at += 1;
        }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for place in &self.path {
            match place {
                PathSegment::Member(key) if path.is_empty() => {
                    path.push_str(&String::from_utf8_lossy(key))
                }
                PathSegment::Member(key) => {
                    let _ = write!(path, ".{}", String::from_utf8_lossy(key));
                }
                PathSegment::Element(index) => {
                    let _ = write!(path, "[{index}]");
                }
            }
        }
        path
    }
}

fn is_extreme(exponent: &[u8]) -> bool {
    let digits = exponent
        .strip_prefix(b"+")
        .or(exponent.strip_prefix(b"-"))
        .unwrap_or(exponent);
    let value = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse::<u32>().ok());
    value.is_none_or(|value| value > MAX_EXPONENT)
}

fn push_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    // The length fits into 32 bits, because a body has at most tens of megabytes.
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(text);
}

/// Returns the key of an encoded member.
fn key_of(member: &[u8]) -> &[u8] {
    let length = member
        .get(1..5)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_le_bytes);
    member.get(5..5 + length as usize).unwrap_or_default()
}

/// Sorts the members that begin at these offsets by key. Of equal keys the last one stays, as in
/// Postgres's `jsonb`.
fn sort_members(out: &mut Vec<u8>, start: usize, members: &[usize]) {
    let ends = members.iter().skip(1).copied().chain([out.len()]);
    let mut parts: Vec<&[u8]> = members
        .iter()
        .zip(ends)
        .map(|(&from, to)| &out[from..to])
        .collect();
    if parts.is_sorted_by(|a, b| key_of(a) < key_of(b)) {
        return;
    }
    parts.reverse();
    parts.sort_by(|a, b| key_of(a).cmp(key_of(b)));
    parts.dedup_by(|a, b| key_of(a) == key_of(b));
    let sorted = parts.concat();
    out.truncate(start);
    out.extend_from_slice(&sorted);
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { depth: 4, keys: 6 };

    fn canonical(json: &str) -> Result<Vec<u8>, (Fault, String)> {
        let mut out = Vec::new();
        write_canonical(json, BOUNDS, Some("timestamp"), &mut out)
            .map_err(|r| (r.fault, r.path))?;
        Ok(out)
    }

    #[test]
    fn order_space_escapes_and_timestamp_do_not_matter() {
        let a = canonical(r#"{"b":[1,{"y":null,"x":"é"}], "timestamp": 5, "a" : true}"#).unwrap();
        let b = canonical(
            "{\"\\u0061\":true,\"timestamp\":7,\n\"b\":[ 1 ,{\"x\":\"\\u00e9\",\"y\":null}]}",
        )
        .unwrap();
        assert_eq!(a, b);
        // Only the member of the top level is left out.
        assert_ne!(
            canonical(r#"{"a":{"timestamp":1}}"#),
            canonical(r#"{"a":{"timestamp":2}}"#)
        );
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        assert_eq!(
            canonical(r#"{"a":1,"b":2,"a":3}"#),
            canonical(r#"{"b":2,"a":3}"#)
        );
    }

    #[test]
    fn what_differs_stays_different() {
        for (a, b) in [
            ("[9007199254740993]", "[9007199254740992]"),
            (r#"["ab"]"#, r#"["a","b"]"#),
            (r#"["1"]"#, "[1]"),
            ("[1,2]", "[12]"),
            ("[[1],2]", "[[1,2]]"),
            (r#"{"a":"b"}"#, r#"["a","b"]"#),
        ] {
            assert_ne!(canonical(a).unwrap(), canonical(b).unwrap(), "{a} {b}");
        }
    }

    #[test]
    fn what_can_not_be_kept_is_refused_with_its_place() {
        for (json, fault, path) in [
            (r#"{"a":[{"b":[[1]]}]}"#, Fault::TooDeep, "a[0].b[0]"),
            (
                r#"{"a":1,"b":2,"c":3,"d":{"e":5,"f":6,"g":7}}"#,
                Fault::TooManyKeys,
                "d.g",
            ),
            (r#"{"a":["x","y\u0000"]}"#, Fault::NulCharacter, "a[1]"),
            (r#"{"a":"\ud800"}"#, Fault::UnpairedSurrogate, "a"),
            (r#"{"a":1e401}"#, Fault::NumberOutOfRange, "a"),
            (r#"{"a":[0,1e309]}"#, Fault::NumberOutOfRange, "a[1]"),
            (r#"{"a":-2E-99999999999}"#, Fault::NumberOutOfRange, "a"),
            (r#"{"a":{"k\u0000":1}}"#, Fault::NulCharacter, "a."),
        ] {
            assert_eq!(canonical(json), Err((fault, path.to_owned())), "{json}");
        }
        assert!(canonical(r#"{"a":"\ud83d\ude80", "b": 1.5e+308}"#).is_ok());
    }
}
