//! A series as a picture of one line.

use crate::points::Points;

/// Characters of a picture.
const WIDTH: usize = 20;
/// From the least value to the greatest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A stretch of time without a number.
const GAP: char = ' ';

/// Draws the greatest value of each of 20 stretches of equal time, or of as many as there are points, between the least and the
/// greatest of all; `None`: the value never changes.
pub(crate) fn sparkline(points: &Points) -> Option<String> {
    let (low, high) = points.ends().filter(|(low, high)| low < high)?;
    let (first, last) = (points.first_time(), points.last_time());
    let width = WIDTH.min(points.len());
    let mut stretches: Vec<Option<f64>> = vec![None; width];
    for (time, value) in points.iter().filter(|(_, value)| value.is_finite()) {
        let share = (time - first) / (last - first);
        // A share that is no number (all points have one time) and one past an end go to an end.
        let at = ((share * width as f64) as usize).min(width - 1);
        let greatest = &mut stretches[at];
        *greatest = Some(greatest.map_or(value, |known| known.max(value)));
    }
    let bar = |value: f64| {
        // Halves first: the difference of two finite values may be infinite.
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
