//! Byte classes and searches in byte strings. They work on ASCII; other bytes are in no class but `FOREIGN`.

/// A set of byte classes.
pub(crate) type Class = u32;

pub(crate) const DIGIT: Class = 1;
/// `a` to `f`.
const LOWER_HEX: Class = 1 << 1;
/// `g` to `z`.
const LOWER_REST: Class = 1 << 2;
/// `A` to `F`.
const UPPER_HEX: Class = 1 << 3;
/// `G` to `Z`.
const UPPER_REST: Class = 1 << 4;
pub(crate) const UNDERSCORE: Class = 1 << 5;
pub(crate) const DASH: Class = 1 << 6;
pub(crate) const DOT: Class = 1 << 7;
pub(crate) const SLASH: Class = 1 << 8;
pub(crate) const PLUS: Class = 1 << 9;
pub(crate) const EQUALS: Class = 1 << 10;
pub(crate) const COLON: Class = 1 << 11;
pub(crate) const TILDE: Class = 1 << 12;
pub(crate) const PERCENT: Class = 1 << 13;
/// Bytes of characters outside ASCII.
const FOREIGN: Class = 1 << 14;
pub(crate) const DOLLAR: Class = 1 << 15;
pub(crate) const COMMA: Class = 1 << 16;
pub(crate) const AT: Class = 1 << 17;
/// `?` and `&`.
pub(crate) const QUERY: Class = 1 << 18;
pub(crate) const SPACE: Class = 1 << 19;
/// `<`, `*`, `(` and the like, which plain YAML keys may contain.
const KEY_MARK: Class = 1 << 20;
/// Every other byte, so that each byte has exactly one class.
const OTHER: Class = 1 << 21;

pub(crate) const LOWER: Class = LOWER_HEX | LOWER_REST;
pub(crate) const UPPER: Class = UPPER_HEX | UPPER_REST;
pub(crate) const ALPHA: Class = LOWER | UPPER;
pub(crate) const ALNUM: Class = ALPHA | DIGIT;
pub(crate) const HEX: Class = DIGIT | LOWER_HEX | UPPER_HEX;
pub(crate) const BASE32: Class = UPPER | DIGIT;
pub(crate) const BASE36: Class = LOWER | DIGIT;
pub(crate) const URLSAFE: Class = ALNUM | UNDERSCORE | DASH;
pub(crate) const DOTTED: Class = URLSAFE | DOT;
pub(crate) const BASE64: Class = ALNUM | PLUS | SLASH | EQUALS;
pub(crate) const TOKEN68: Class = DOTTED | TILDE | PLUS | SLASH | EQUALS;
/// Bytes of names in code and configuration.
pub(crate) const NAME: Class = DOTTED | FOREIGN;

/// Bytes of YAML keys without blanks.
pub(crate) const YAML_KEY: Class = NAME | SLASH | COLON | AT | DOLLAR | TILDE | PLUS | KEY_MARK;

/// Bytes in paths of webhook URLs.
const PATH: Class = URLSAFE | SLASH | DOT | PERCENT | EQUALS;
/// Bytes of password hashes.
const CRYPT: Class = ALNUM | DOT | SLASH | PLUS | EQUALS | DOLLAR | DASH | COLON | COMMA;

/// Returns the class with this name.
pub(crate) fn class(name: &str) -> Option<Class> {
    Some(match name {
        "digit" => DIGIT,
        "hex" => HEX,
        "alnum" => ALNUM,
        "base32" => BASE32,
        "base36" => BASE36,
        "base64" => BASE64,
        "urlsafe" => URLSAFE,
        "dotted" => DOTTED,
        "token68" => TOKEN68,
        "path" => PATH,
        "crypt" => CRYPT,
        "underscore" => UNDERSCORE,
        "dash" => DASH,
        "dot" => DOT,
        "slash" => SLASH,
        "equals" => EQUALS,
        "colon" => COLON,
        "comma" => COMMA,
        "percent" => PERCENT,
        "dollar" => DOLLAR,
        "plus" => PLUS,
        "at" => AT,
        "query" => QUERY,
        _ => return None,
    })
}

const TABLE: [Class; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => LOWER_HEX,
            b'g'..=b'z' => LOWER_REST,
            b'A'..=b'F' => UPPER_HEX,
            b'G'..=b'Z' => UPPER_REST,
            b'_' => UNDERSCORE,
            b'-' => DASH,
            b'.' => DOT,
            b'/' => SLASH,
            b'+' => PLUS,
            b'=' => EQUALS,
            b':' => COLON,
            b'~' => TILDE,
            b'%' => PERCENT,
            b'$' => DOLLAR,
            b',' => COMMA,
            b'@' => AT,
            b'?' | b'&' => QUERY,
            b' ' => SPACE,
            b'<' | b'*' | b'(' | b')' => KEY_MARK,
            128..=255 => FOREIGN,
            _ => OTHER,
        };
        byte += 1;
    }
    table
};

/// Whether `byte` belongs to one of the classes.
pub(crate) const fn is(byte: u8, class: Class) -> bool {
    TABLE[byte as usize] & class != 0
}

/// Returns the end of the run of `class` bytes that starts at `from`. Checks at most `most` bytes.
pub(crate) fn run(bytes: &[u8], from: usize, class: Class, most: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let rest = rest.get(..most).unwrap_or(rest);
    from + rest_of(rest, class)
}

/// Returns the length of the run of `class` bytes at the start of `bytes`. Checks four bytes per turn.
fn rest_of(bytes: &[u8], class: Class) -> usize {
    let (fours, rest) = bytes.as_chunks::<4>();
    let mut length = 0;
    for [one, two, three, four] in fours {
        if !is(*one, class) {
            return length;
        }
        if !is(*two, class) {
            return length + 1;
        }
        if !is(*three, class) {
            return length + 2;
        }
        if !is(*four, class) {
            return length + 3;
        }
        length += 4;
    }
    length + rest.iter().take_while(|b| is(**b, class)).count()
}

/// Returns the set of classes that occur in `bytes`.
fn classes(bytes: &[u8]) -> Class {
    bytes
        .iter()
        .fold(0, |found, byte| found | TABLE[*byte as usize])
}

/// Returns the start of the run of `class` bytes that ends before `to`. Checks at most `most` bytes.
pub(crate) fn run_back(bytes: &[u8], to: usize, class: Class, most: usize) -> usize {
    let head = bytes.get(..to).unwrap_or_default();
    to - head
        .iter()
        .rev()
        .take(most)
        .take_while(|b| is(**b, class))
        .count()
}

/// Returns start and end of the next run of `class` bytes at or after `from`.
pub(crate) fn next_run(bytes: &[u8], from: usize, class: Class) -> Option<(usize, usize)> {
    let rest = bytes.get(from..)?;
    let start = from + rest.iter().position(|b| is(*b, class))?;
    Some((start, run(bytes, start, class, usize::MAX)))
}

/// Returns the next run of at least `LEAST` bytes of `class`. A run may start at `from`. Such a run covers one of every
/// `LEAST` positions, so only these positions are checked until one matches.
pub(crate) fn next_long_run<const LEAST: usize>(
    bytes: &[u8],
    mut from: usize,
    class: Class,
) -> Option<(usize, usize)> {
    loop {
        let place = from + LEAST - 1;
        if !is(*bytes.get(place)?, class) {
            from = place + 1;
            continue;
        }
        let start = run_back(bytes, place, class, LEAST - 1);
        let stop = run(bytes, place + 1, class, usize::MAX);
        if stop - start >= LEAST {
            return Some((start, stop));
        }
        from = stop + 1;
    }
}

/// Longest string that counts as short, in bytes.
const SHORT_BYTES: usize = 48;

/// Returns the position of the next of `marks` at or after `from`, or the end of the text. There are two or three
/// marks. Checks eight bytes at once at first, which is fastest because the next mark is usually near.
pub(crate) fn find_any<const N: usize>(bytes: &[u8], from: usize, marks: [u8; N]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let rest = bytes.get(from..).unwrap_or_default();
    let (words, _) = rest
        .get(..rest.len().min(SHORT_BYTES))
        .unwrap_or_default()
        .as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The high bit of the first byte that is a mark. Bits of later bytes may be set, too.
        let found = marks.iter().fold(0, |found, mark| {
            let zero = word ^ (ONES * u64::from(*mark));
            found | zero.wrapping_sub(ONES) & !zero
        }) & HIGH;
        if found != 0 {
            return from + index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let after = from + words.len() * 8;
    let rest = bytes.get(after..).unwrap_or_default();
    let next = match marks.as_slice() {
        [one, two] => memchr::memchr2(*one, *two, rest),
        [one, two, three] => memchr::memchr3(*one, *two, *three, rest),
        _ => rest.iter().position(|byte| marks.contains(byte)),
    };
    next.map_or(bytes.len(), |next| after + next)
}

/// Returns the end of the blanks that start at `from`.
pub(crate) fn blanks_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while bytes.get(at..at + 8) == Some(b"        ") {
        at += 8;
    }
    while self::at(bytes, at) == b' ' {
        at += 1;
    }
    at
}

/// Returns the byte at `at`, or 0 after the end.
pub(crate) fn at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Returns the byte before `at`, or 0 at the start.
pub(crate) fn before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |i| self::at(bytes, i))
}

/// Whether `bytes` has `prefix` at `at`, ignoring case.
pub(crate) fn has_at(bytes: &[u8], at: usize, prefix: &[u8]) -> bool {
    bytes
        .get(at..at.saturating_add(prefix.len()))
        .is_some_and(|part| part.eq_ignore_ascii_case(prefix))
}

/// Length from which a vector instruction finds a byte faster, in bytes.
const LONG_BYTES: usize = 40;

/// Whether `needle` occurs in `bytes`, ignoring case. For short inputs.
pub(crate) fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    let Some((first, rest)) = needle.split_first() else {
        return true;
    };
    let last = bytes.len().saturating_sub(rest.len());
    let head = bytes.get(..last).unwrap_or_default();
    if head.len() >= LONG_BYTES {
        let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
        return memchr::memchr2_iter(lower, upper, head).any(|at| has_at(bytes, at + 1, rest));
    }
    head.iter()
        .enumerate()
        .any(|(at, byte)| byte.eq_ignore_ascii_case(first) && has_at(bytes, at + 1, rest))
}

/// Returns `start`, moved past the rest of an escape such as `\n` or `\u003c` if its backslash is directly before
/// `start`. A run of letters that was extended backwards to such a backslash must not include the escape.
pub(crate) fn after_escape(bytes: &[u8], start: usize) -> usize {
    if before(bytes, start) != b'\\' {
        return start;
    }
    match at(bytes, start) {
        b'u' if run(bytes, start + 1, HEX, 4) == start + 5 => start + 5,
        b'n' | b't' | b'r' | b'b' | b'f' | b'u' => start + 1,
        _ => start,
    }
}

/// Returns the position of the next end of line at or after `from`. Checks at most `most` bytes.
pub(crate) fn line_end(bytes: &[u8], from: usize, most: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let rest = rest.get(..most).unwrap_or(rest);
    from + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// Whether every byte belongs to `class`.
pub(crate) fn all(bytes: &[u8], class: Class) -> bool {
    let (eights, rest) = bytes.as_chunks::<8>();
    eights.iter().all(|eight| classes(eight) & !class == 0) && classes(rest) & !class == 0
}

/// Whether some byte belongs to `class`.
pub(crate) fn any(bytes: &[u8], class: Class) -> bool {
    bytes.iter().any(|b| is(*b, class))
}
