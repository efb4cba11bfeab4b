//! The points of one series: extremes and changes of level.

use chrono::DateTime;
use serde_json::Value;

use crate::written;

/// Times of at least this number are in milliseconds, smaller ones in seconds.
const MILLIS_FROM: f64 = 1e11;
/// Number of windows in a series. The level before and after a position is taken from one window on each side.
const WINDOW: usize = 20;
/// Minimum and maximum number of points in a window.
const WINDOW_SIZE: (usize, usize) = (3, 15);
/// Maximum number of changes that are reported.
const MOST_CHANGES: usize = 4;
/// Minimum change of the level, as a share of the whole range of values.
const LEAST_CHANGE: f64 = 0.25;
/// Minimum change of the level, as a multiple of the median step between two adjacent points.
const LEAST_STEPS: f64 = 3.0;

/// The points of a series in the order of their times, at least one: time in seconds since 1970, and value.
#[derive(Debug)]
pub(crate) struct Points(Vec<(f64, f64)>);

impl Points {
    /// Reads `[[time, value], ..]`; `None` for another form or an empty list.
    pub(crate) fn read(points: &[Value]) -> Option<Self> {
        let pairs = points
            .iter()
            .map(|point| match point.as_array()?.as_slice() {
                [time, value] => Some((time, value)),
                _ => None,
            });
        Self::from_pairs(pairs.collect::<Option<Vec<_>>>()?)
    }

    /// Reads pairs of time and value, and sorts them by time; `None` if there are none, or if one can't be read.
    ///
    /// A time is RFC 3339, or in seconds or milliseconds since 1970. A value may be a text, as in Prometheus.
    pub(crate) fn from_pairs<'v>(
        pairs: impl IntoIterator<Item = (&'v Value, &'v Value)>,
    ) -> Option<Self> {
        let pairs = pairs
            .into_iter()
            .map(|(time, value)| Some((seconds(time)?, number(value)?)));
        let mut pairs: Vec<_> = pairs.collect::<Option<_>>()?;
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
        (!pairs.is_empty()).then_some(Self(pairs))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().copied()
    }

    fn value(&self, at: usize) -> f64 {
        self.0[at].1
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn first_time(&self) -> f64 {
        self.0[0].0
    }

    pub(crate) fn last_time(&self) -> f64 {
        self.0[self.len() - 1].0
    }

    /// Returns the positions of the least and the greatest finite value.
    fn extremes(&self) -> Option<(usize, usize)> {
        let numbers = || (0..self.len()).filter(|at| self.value(*at).is_finite());
        let by_value = |one: &usize, other: &usize| self.value(*one).total_cmp(&self.value(*other));
        // Of equal values the first one counts.
        let least = numbers().min_by(by_value)?;
        let greatest = numbers().rev().max_by(by_value)?;
        Some((least, greatest))
    }

    /// Returns the least and the greatest finite value.
    pub(crate) fn ends(&self) -> Option<(f64, f64)> {
        let (least, greatest) = self.extremes()?;
        Some((self.value(least), self.value(greatest)))
    }

    /// Returns how much the series changes, from 0 to 2: its range, relative to its largest absolute value.
    pub(crate) fn change(&self) -> f64 {
        let Some((min, max)) = self.ends() else {
            return 0.0;
        };
        let size = min.abs().max(max.abs());
        if size == 0.0 { 0.0 } else { (max - min) / size }
    }

    /// Describes the series in one line.
    pub(crate) fn text(&self) -> String {
        let Some((least, greatest)) = self.extremes() else {
            return format!("{} points, none of which is a number", self.len());
        };
        let value = |at: usize| short(self.value(at));
        let time = |at: usize| self.clock(at);
        if self.value(least) == self.value(greatest) {
            return format!("{} points, always {}", self.len(), value(least));
        }
        let last = self.len() - 1;
        let mut text = format!(
            "{} points, min {} at {}, max {} at {}, last {}",
            self.len(),
            value(least),
            time(least),
            value(greatest),
            time(greatest),
            value(last),
        );
        let mut word = "; changes";
        for (at, before, after) in self.changes() {
            let (time, before, after) = (time(at), short(before), short(after));
            text.push_str(&format!("{word} at {time} from {before} to {after}"));
            word = ",";
        }
        text
    }

    /// Writes the time of a point, without the date if all points are on one day.
    fn clock(&self, at: usize) -> String {
        let whole = written(self.0[at].0);
        let day = |time| written(time).get(..10).map(str::to_owned);
        match whole.split_once('T') {
            Some((_, clock)) if day(self.first_time()) == day(self.last_time()) => clock.to_owned(),
            _ => whole,
        }
    }

    /// Finds changes of the level, in the order of their times: the position, and the levels before and after it. Each
    /// level is a value of the series.
    ///
    /// The level is the median of the points in a window, so that a single outlier does not change it.
    fn changes(&self) -> Vec<(usize, f64, f64)> {
        let values = self.iter().map(|point| point.1);
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let window = (values.len() / WINDOW).clamp(WINDOW_SIZE.0, WINDOW_SIZE.1);
        // If values that are not finite were left out, positions in `values` would not match those of the points.
        if values.len() < self.len() || values.len() < 2 * window {
            return Vec::new();
        }
        let Some((min, max)) = self.ends() else {
            return Vec::new();
        };
        let steps = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let steps: Vec<f64> = steps.collect();
        let least = ((max - min) * LEAST_CHANGE).max(median(&steps) * LEAST_STEPS);
        let mut places: Vec<(usize, f64, f64)> = (window..=values.len() - window)
            .map(|at| {
                let (before, after) = (&values[at - window..at], &values[at..at + window]);
                (at, median(before), median(after))
            })
            .filter(|(_, before, after)| (after - before).abs() >= least)
            .collect();
        // The greatest change comes first. Of equal changes, the one with the greatest step between adjacent values.
        let step = |at: usize| (values[at] - values[at - 1]).abs();
        places.sort_by(|one, other| {
            let size = |place: &(usize, f64, f64)| (place.2 - place.1).abs();
            let by_step = step(other.0).total_cmp(&step(one.0));
            size(other).total_cmp(&size(one)).then(by_step)
        });
        let mut changes: Vec<(usize, f64, f64)> = Vec::new();
        for place in places {
            let is_near = changes
                .iter()
                .any(|other| other.0.abs_diff(place.0) < 2 * window);
            if changes.len() < MOST_CHANGES && !is_near {
                changes.push(place);
            }
        }
        changes.sort_by_key(|change| change.0);
        changes
    }
}

/// Reads a time as seconds since 1970.
fn seconds(time: &Value) -> Option<f64> {
    match time {
        Value::String(text) => {
            let time = DateTime::parse_from_rfc3339(text).ok()?;
            Some(time.timestamp_millis() as f64 / 1e3)
        }
        number => match number.as_f64()? {
            millis if millis >= MILLIS_FROM => Some(millis / 1e3),
            seconds => Some(seconds),
        },
    }
}

fn number(value: &Value) -> Option<f64> {
    let text = value.as_str().map(str::parse);
    text.map_or_else(|| value.as_f64(), Result::ok)
}

/// Returns the median of some values. It is always one of them: of an even number, the upper middle one.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Writes a value with at most four digits after the decimal point, or four significant digits if it is below 1.
#[must_use]
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let digits = match value.abs() {
        size if size >= 1.0 || size == 0.0 => 4,
        size => {
            let zeros = -size.log10().floor() as i32;
            usize::try_from(zeros + 3).unwrap_or(4)
        }
    };
    let text = format!("{value:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    text.to_owned()
}
