//! Reads times of day, and compares them across time zones.

use crate::text::{is_all, is_word};

const DAY: i64 = 86_400;

/// A time of day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// The time as it is written, without its zone.
    pub(crate) text: String,
    /// Second of the day in the written zone.
    pub(crate) local: i64,
    /// Second of the day in UTC; `None` if no zone is written.
    pub(crate) utc: Option<i64>,
    pub(crate) has_seconds: bool,
}

/// Zones with their offsets in seconds.
const ZONES: &str = include_str!("words/zones.txt");

/// Returns all times of a text.
pub(crate) fn clocks(text: &str) -> Vec<Clock> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(colon) = text.get(at..).and_then(|rest| rest.find(':')) {
        let colon = at + colon;
        let (end, clock) = read(text, colon);
        found.extend(clock);
        at = end.max(colon + 1);
    }
    found
}

/// Reads the time whose first colon is at this byte, if there is one. Also returns where to continue.
fn read(text: &str, colon: usize) -> (usize, Option<Clock>) {
    let nothing = (colon + 1, None);
    let before = text.get(..colon).unwrap_or_default();
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let start = colon - digits;
    let hour: Option<i64> = before.get(start..).and_then(|digits| digits.parse().ok());
    let previous = before.get(..start).and_then(|text| text.chars().last());
    let may_begin = previous.is_none_or(|char| {
        !is_word(char) && !matches!(char, '.' | ':') || matches!(char, 't' | 'T')
    });
    let Some(hour) = hour.filter(|hour| *hour < 24 && (1..=2).contains(&digits) && may_begin)
    else {
        return nothing;
    };
    let Some(minute) = two_digits(text, colon + 1).filter(|minute| *minute < 60) else {
        return nothing;
    };
    let mut end = colon + 3;
    let mut second = None;
    if text.as_bytes().get(end) == Some(&b':') {
        second = two_digits(text, end + 1).filter(|second| *second < 61);
        end += if second.is_some() { 3 } else { 0 };
        if second.is_some() && matches!(text.as_bytes().get(end), Some(b'.' | b',')) {
            let rest = text.get(end + 1..).unwrap_or_default();
            let fraction = rest.bytes().take_while(u8::is_ascii_digit).count();
            end += if fraction > 0 { fraction + 1 } else { 0 };
        }
    }
    let rest = text.get(end..).unwrap_or_default();
    if rest.starts_with(|char: char| char.is_ascii_digit() || char == '_') {
        return nothing;
    }
    let (hour, rest) = with_half_of_day(hour, rest);
    let local = hour * 3600 + minute * 60 + second.unwrap_or(0);
    let utc = zone(rest).map(|offset| (local - offset).rem_euclid(DAY));
    let clock = Clock {
        text: text.get(start..end).unwrap_or_default().to_owned(),
        local: local.rem_euclid(DAY),
        utc,
        has_seconds: second.is_some(),
    };
    (end, Some(clock))
}

fn two_digits(text: &str, at: usize) -> Option<i64> {
    let digits = text.get(at..at + 2)?;
    is_all(digits, u8::is_ascii_digit).then(|| digits.parse().ok())?
}

fn with_half_of_day(hour: i64, rest: &str) -> (i64, &str) {
    let (half, after) = rest.trim_start().split_at_checked(2).unwrap_or_default();
    match half.to_ascii_lowercase().as_str() {
        "am" if !after.starts_with(is_word) => (hour % 12, after),
        "pm" if !after.starts_with(is_word) => (hour % 12 + 12, after),
        _ => (hour, rest),
    }
}

/// Returns the offset in seconds of the zone that is written after a time.
fn zone(rest: &str) -> Option<i64> {
    let rest = rest.trim_start().trim_start_matches('(');
    let is_letter = |char: &char| char.is_ascii_alphabetic();
    let word: String = rest.chars().take_while(is_letter).collect();
    let mut zones = ZONES.lines().filter_map(|line| line.split_once(' '));
    if let Some((_, offset)) = zones.find(|(name, _)| word.eq_ignore_ascii_case(name)) {
        return offset.parse().ok();
    }
    let sign = match rest.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let hours = two_digits(rest, 1).filter(|hours| *hours < 15)?;
    let rest = rest.get(3..)?;
    let minutes = two_digits(rest.trim_start_matches(':'), 0).unwrap_or(0);
    Some(sign * (hours * 3600 + minutes * 60))
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// Seconds of the day, in the written zone and in UTC.
    seconds: Vec<i64>,
}

impl Times {
    pub(crate) fn add(&mut self, clock: &Clock) {
        self.seconds.push(clock.local);
        self.seconds.extend(clock.utc);
    }

    /// Adds a number if it may be a time since 1970, in seconds, milliseconds or microseconds.
    pub(crate) fn add_number(&mut self, number: f64) {
        let seconds = match number {
            n if (1.5e9..2.2e9).contains(&n) => n,
            n if (1.5e12..2.2e12).contains(&n) => n / 1e3,
            n if (1.5e15..2.2e15).contains(&n) => n / 1e6,
            _ => return,
        };
        #[expect(clippy::cast_possible_truncation, reason = "it is below 2.2e9")]
        self.seconds.push((seconds as i64).rem_euclid(DAY));
    }

    pub(crate) fn sort(&mut self) {
        self.seconds.sort_unstable();
        self.seconds.dedup();
    }

    /// Whether a result contains this time, to the precision in which it is written.
    pub(crate) fn has(&self, clock: &Clock) -> bool {
        let (before, after) = match clock.has_seconds {
            true => (1, 1),
            // A time without seconds may have been rounded or cut off.
            false => (30, 59),
        };
        let has = |time: i64| {
            [time, time + DAY, time - DAY].into_iter().any(|time| {
                let seconds = &self.seconds;
                let from = seconds.partition_point(|second| *second < time - before);
                seconds
                    .get(from)
                    .is_some_and(|second| *second <= time + after)
            })
        };
        has(clock.local) || clock.utc.is_some_and(has)
    }
}
