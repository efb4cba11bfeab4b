//! Statistics that show whether a difference between two runs is significant.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Number of samples of a bootstrap.
const SAMPLES: usize = 2_000;

/// A mean and the bounds of 95 % of its resampled values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// 2.5th percentile.
    pub low: f64,
    /// 97.5th percentile.
    pub high: f64,
}

/// Returns the mean of these values with its bootstrap interval (Efron 1979, percentiles). The same seed gives the
/// same interval. `None` if there are no values.
#[must_use]
pub fn bootstrap(values: &[f64], seed: u64) -> Option<Interval> {
    let mean = mean(values)?;
    let mut random = StdRng::seed_from_u64(seed);
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let drawn = (0..values.len()).map(|_| values[random.random_range(0..values.len())]);
            drawn.sum::<f64>() / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((SAMPLES - 1) as f64 * share).round() as usize];
    Some(Interval {
        mean,
        low: at(0.025),
        high: at(0.975),
    })
}

/// Number of items, and how many of them are right.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) all: usize,
    pub(crate) right: usize,
}

/// Counts items by name. Each item comes with whether it is right.
pub(crate) fn tally<'n>(items: impl Iterator<Item = (&'n str, bool)>) -> BTreeMap<&'n str, Tally> {
    let mut found: BTreeMap<&str, Tally> = BTreeMap::new();
    for (name, is_right) in items {
        let tally = found.entry(name).or_default();
        tally.all += 1;
        tally.right += usize::from(is_right);
    }
    found
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the two-sided p of the exact McNemar test (McNemar 1947): the probability that chance gives a difference
/// at least as large. `only_old` is how many pairs only the old run had right, `only_new` how many only the new run.
#[must_use]
pub fn mcnemar(only_old: usize, only_new: usize) -> f64 {
    let pairs = only_old + only_new;
    let mut tail = 0.0;
    // C(pairs, k) / 2^pairs, computed step by step.
    let mut term = 0.5_f64.powi(i32::try_from(pairs).unwrap_or(i32::MAX));
    for k in 0..=only_old.min(only_new) {
        tail += term;
        term *= (pairs - k) as f64 / (k + 1) as f64;
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_test_gives_the_values_of_its_table() {
        for (only_old, only_new, p) in [
            (0, 0, 1.0),
            (1, 9, 0.021_484),
            (5, 5, 1.0),
            (0, 6, 0.031_25),
        ] {
            assert!(
                (mcnemar(only_old, only_new) - p).abs() < 1e-6,
                "{only_old} {only_new}"
            );
            assert!((mcnemar(only_new, only_old) - p).abs() < 1e-6);
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(16))]
        #[test]
        fn an_interval_holds_its_mean_and_is_the_same_again(values in proptest::collection::vec(0.0..1.0_f64, 1..40), seed: u64) {
            let found = bootstrap(&values, seed).unwrap();
            proptest::prop_assert!(found.low <= found.mean + 1e-9 && found.mean <= found.high + 1e-9);
            proptest::prop_assert_eq!(bootstrap(&values, seed), Some(found));
        }
    }
}
