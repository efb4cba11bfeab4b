//! Draws a series as a sparkline.

use crate::points::Points;

/// Maximum width of a sparkline, in characters.
const WIDTH: usize = 20;
/// Bars from the least value to the greatest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Stands for an interval without a number.
const GAP: char = ' ';

/// Draws a sparkline; `None` if the value never changes.
///
/// The time is split into 20 equal intervals, or into as many as there are points if those are fewer. Each bar shows
/// the greatest value of an interval, scaled between the least and the greatest value of the series.
pub(crate) fn sparkline(points: &Points) -> Option<String> {
    let (low, high) = points.ends().filter(|(low, high)| low < high)?;
    let (first, last) = (points.first_time(), points.last_time());
    let width = WIDTH.min(points.len());
    let mut stretches: Vec<Option<f64>> = vec![None; width];
    for (time, value) in points.iter().filter(|(_, value)| value.is_finite()) {
        let share = (time - first) / (last - first);
        // A share that is not a number (all points have the same time) or is out of range goes to an end.
        let at = ((share * width as f64) as usize).min(width - 1);
        let greatest = &mut stretches[at];
        *greatest = Some(greatest.map_or(value, |known| known.max(value)));
    }
    let bar = |value: f64| {
        // Halved first, because the difference of two finite values may be infinite.
        let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        BARS[((share * 7.0).round() as usize).min(7)]
    };
    let picture = stretches.into_iter().map(|value| value.map_or(GAP, bar));
    Some(picture.collect::<String>().trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn points(values: &[f64]) -> Points {
        let points: Vec<Value> = (0..)
            .zip(values)
            .map(|(at, value)| json!([at * 15, value.to_string()]))
            .collect();
        Points::read(&points).expect("points")
    }

    #[test]
    fn a_rise_a_fall_and_a_gap_are_seen() {
        let mut values = vec![0.0; 40];
        values[20..28].fill(7.0);
        values[30..34].fill(f64::NAN);
        let picture = sparkline(&points(&values)).expect("a picture");
        assert_eq!(picture, "▁▁▁▁▁▁▁▁▁▁████▁  ▁▁▁");
        assert_eq!(sparkline(&points(&[1.0, 9.0, 1.0])).as_deref(), Some("▁█▁"));
        assert_eq!(sparkline(&points(&[3.0, 3.0])), None);
    }

    proptest! {
        #[test]
        fn any_series_has_a_picture_of_one_width(values in prop::collection::vec(any::<f64>(), 1..200)) {
            if let Some(picture) = sparkline(&points(&values)) {
                prop_assert!(picture.chars().count() <= WIDTH);
            }
        }
    }
}
