//! Reads numbers with their units, and compares them across units and roundings.

use crate::text::is_word;
use crate::units::{self, Dimension};
use crate::words::Words;

/// Words that mark the following number as approximate.
static ROUGH: Words = Words::new(include_str!("words/rough.txt"));

/// A number in a text, with every meaning that it may have.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    /// The text, with its unit.
    pub(crate) text: String,
    /// The number without its unit.
    pub(crate) number: f64,
    /// Half a unit of the last written digit, in the written unit. This is the tolerance of comparisons.
    pub(crate) half_digit: f64,
    /// Possible dimensions, each with the factor to its base unit.
    pub(crate) readings: Vec<(Dimension, f64)>,
    /// Whether the text marks it as approximate.
    pub(crate) is_rough: bool,
    /// Whether it is part of a word (`5-minute window`) or a list marker (`2. The pod ..`), or the difference between
    /// two times (`37 minutes before the deletion`).
    pub(crate) is_part: bool,
}

/// Returns all quantities of a text.
pub(crate) fn quantities(text: &str) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = next_digit(text, at) {
        let (end, quantity) = read(text, start);
        found.extend(quantity);
        at = end.max(start + 1);
    }
    found
}

fn next_digit(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    Some(from + rest.find(|char: char| char.is_ascii_digit())?)
}

/// Reads the quantity that starts at a digit, if there is one. Also returns where to continue.
fn read(text: &str, start: usize) -> (usize, Option<Quantity>) {
    let bytes = text.as_bytes();
    let mut end = start;
    let mut digits = String::new();
    let mut decimals: Option<i32> = None;
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'0'..=b'9' => {
                digits.push(char::from(*byte));
                decimals = decimals.map(|count| count + 1);
            }
            b',' | b'_' if decimals.is_none() && is_group(bytes, end) => {}
            b'.' if decimals.is_none() && digit_at(end + 1) => {
                digits.push('.');
                decimals = Some(0);
            }
            // A version or an address.
            b'.' if digit_at(end + 1) => return (after_name(text, end), None),
            _ => break,
        }
        end += 1;
    }
    let Ok(number) = digits.parse::<f64>() else {
        return (end, None);
    };
    // `clock` reads times, and `needles` reads dates.
    let is_clock =
        matches!(bytes.get(end), Some(b':' | b'-')) && digit_at(end + 1) && digit_at(end + 2);
    if is_clock || !may_begin(text, start) {
        return (after_name(text, end), None);
    }
    let (unit, unit_end) = unit_at(text, end);
    let attached = text.get(end..).and_then(|rest| rest.chars().next());
    if unit.is_empty() && attached.is_some_and(|char| is_word(char) && !char.is_ascii_digit()) {
        return (after_name(text, end), None);
    }
    let is_hyphenated =
        bytes.get(end) == Some(&b'-') && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic);
    let before = text.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_marker = line.trim().is_empty() && matches!(bytes.get(end), Some(b'.' | b')'));
    let mut quantity = Quantity {
        text: text
            .get(start..unit_end.max(end))
            .unwrap_or_default()
            .to_owned(),
        number,
        half_digit: 0.5 * 10f64.powi(-decimals.unwrap_or(0)),
        readings: vec![(Dimension::Plain, 1.0)],
        is_rough: is_rough(text, start),
        is_part: is_hyphenated || is_marker || is_distance(text, unit_end),
    };
    if let Some(readings) = units::readings(unit) {
        quantity.readings = readings.to_vec();
    } else if let Some(readings) = key_before(text, start).and_then(units::of_key) {
        quantity.readings.extend_from_slice(readings);
    }
    let mut end = unit_end.max(end);
    // `7m3s`
    if unit_end > 0 {
        end = with_rest(text, end, &mut quantity);
    }
    (end, Some(quantity))
}

/// Whether a duration is the difference between two times, which results do not contain.
fn is_distance(text: &str, unit_end: usize) -> bool {
    let rest = text.get(unit_end..).unwrap_or_default().trim_start();
    let word = rest.split(|char: char| !char.is_alphabetic()).next();
    unit_end > 0
        && matches!(
            word,
            Some("before" | "after" | "later" | "earlier" | "ago" | "apart")
        )
}

/// Adds the remaining parts of a duration such as `1h30m`, and returns where it ends.
fn with_rest(text: &str, mut end: usize, quantity: &mut Quantity) -> usize {
    let Some(factor) = seconds_in(&quantity.readings) else {
        return end;
    };
    let mut seconds = quantity.number * factor;
    let mut is_longer = false;
    while text.as_bytes().get(end).is_some_and(u8::is_ascii_digit) {
        let rest = text.get(end..).unwrap_or_default();
        let digits = rest
            .find(|char: char| !char.is_ascii_digit() && char != '.')
            .unwrap_or(rest.len());
        let (unit, unit_end) = unit_at(text, end + digits);
        let number = rest.get(..digits).unwrap_or_default().parse::<f64>();
        let (Some(factor), Ok(number)) = (units::readings(unit).and_then(seconds_in), number)
        else {
            break;
        };
        seconds += number * factor;
        (end, is_longer) = (unit_end, true);
    }
    if is_longer {
        quantity.number = seconds;
        quantity.half_digit = 0.5;
        quantity.readings = vec![(Dimension::Seconds, 1.0)];
    }
    end
}

/// Returns the factor to seconds of a unit that may mean a duration.
fn seconds_in(readings: &[(Dimension, f64)]) -> Option<f64> {
    let mut readings = readings.iter();
    let seconds = readings.find(|(dimension, _)| *dimension == Dimension::Seconds);
    seconds.map(|(_, factor)| *factor)
}

/// Whether a number can begin here. A digit inside a name begins no number.
fn may_begin(text: &str, start: usize) -> bool {
    let mut before = text.get(..start).unwrap_or_default().chars().rev();
    let last = before.next();
    let second = before.next();
    match last {
        None => true,
        // `(x41 over 7m)`
        Some('x' | 'X') => second.is_none_or(|char| !is_word(char)),
        Some('-' | '+' | '.') => second.is_none_or(|char| !is_word(char) && char != '-'),
        Some(char) => !is_word(char),
    }
}

/// Whether the byte at this position is a thousands separator.
fn is_group(bytes: &[u8], at: usize) -> bool {
    let after = bytes.iter().skip(at + 1);
    let digits = after.take_while(|byte| byte.is_ascii_digit()).count();
    digits == 3 && at > 0 && bytes.get(at - 1).is_some_and(u8::is_ascii_digit)
}

/// Returns where the name ends to which a number belongs.
fn after_name(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let ends_name = |char: char| !is_word(char) && !matches!(char, '.' | ':' | '-');
    from + rest.find(ends_name).unwrap_or(rest.len())
}

/// Returns the unit at this position and its end; an empty text and 0 if there is none.
fn unit_at(text: &str, at: usize) -> (&str, usize) {
    let rest = text.get(at..).unwrap_or_default();
    let blank = match rest.chars().next() {
        Some(char @ (' ' | '-' | '\u{a0}' | '\u{202f}')) => char.len_utf8(),
        _ => 0,
    };
    let word = rest.get(blank..).unwrap_or_default();
    let length = match word.starts_with('%') {
        true => 1,
        false => word
            .find(|char: char| !char.is_alphabetic())
            .unwrap_or(word.len()),
    };
    let unit = word.get(..length).unwrap_or_default();
    // A single letter after a blank is usually a word, not a unit.
    if units::readings(unit).is_none()
        || (blank > 0 && unit.len() == 1 && !matches!(unit, "%" | "s" | "h" | "d"))
    {
        return ("", 0);
    }
    (unit, at + blank + length)
}

/// Returns the key whose value is the number at `start`, as in `"latency_ms": 12`.
fn key_before(text: &str, start: usize) -> Option<&str> {
    let before = text.get(..start)?;
    let trimmed = before.trim_end_matches(['"', ':', '=', ' ', '(', '\'']);
    if trimmed.len() == before.len() || before.len() - trimmed.len() > 6 {
        return None;
    }
    let ends_key = |char: char| !is_word(char) && !matches!(char, '.' | '-');
    let key = trimmed.rfind(ends_key).map_or(0, |at| at + 1);
    trimmed.get(trimmed.ceil_char_boundary(key)..)
}

fn is_rough(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end();
    let mut words = before.rsplit(|char: char| char.is_whitespace() || char == '(');
    let word = words.next().unwrap_or_default().to_lowercase();
    ROUGH.has(&word) || before.ends_with(['~', '≈'])
}

/// The numbers of results, sorted by dimension and value after [`Numbers::sort`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    all: Vec<(Dimension, f64)>,
}

impl Numbers {
    pub(crate) fn add(&mut self, quantity: &Quantity) {
        for (dimension, factor) in &quantity.readings {
            self.all.push((*dimension, quantity.number * factor));
        }
        let mut readings = quantity.readings.iter();
        if readings.all(|(dimension, _)| *dimension != Dimension::Plain) {
            self.all.push((Dimension::Plain, quantity.number));
        }
    }

    pub(crate) fn sort(&mut self) {
        self.all
            .sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        self.all.dedup();
    }

    fn contains(&self, dimension: Dimension, value: f64, tolerance: f64) -> bool {
        // Floats are not exact, so the tolerance is slightly larger than half a digit.
        let tolerance = tolerance + value.abs() * 1e-9;
        let (least, most) = (value - tolerance, value + tolerance);
        let is_before = |(other, number): &(Dimension, f64)| (*other, *number) < (dimension, least);
        let next = self.all.get(self.all.partition_point(is_before));
        next.is_some_and(|(other, number)| *other == dimension && *number <= most)
    }

    /// Whether a result contains this number, in any unit, to the precision in which it is written. Approximate numbers
    /// may differ by 10 %.
    pub(crate) fn has(&self, quantity: &Quantity) -> bool {
        let mut half = quantity.half_digit;
        if quantity.is_rough {
            half = half.max(quantity.number.abs() * 0.1);
        }
        quantity.readings.iter().any(|(dimension, factor)| {
            let (value, half) = (quantity.number * factor, half * factor);
            let scale = match dimension {
                Dimension::Seconds => Some(1e3),
                _ => None,
            };
            self.contains(*dimension, value, half)
                || self.contains(Dimension::Plain, value, half)
                // Tables state units only in their headers, so a bare number of milliseconds also counts.
                || scale.is_some_and(|scale| self.contains(Dimension::Plain, value * scale, half * scale))
        }) || self.contains(Dimension::Plain, quantity.number, half)
    }
}

impl Quantity {
    /// Whether the number is so common that most results contain it: a whole number below 100 without a unit.
    pub(crate) fn is_common(&self) -> bool {
        let mut readings = self.readings.iter();
        let has_unit = readings.any(|reading| *reading != (Dimension::Plain, 1.0));
        !has_unit && self.number < 100.0 && self.number.fract() == 0.0
    }
}
