//! Functions of single-precision numbers, written so that compilers can vectorise them.

/// 1.5 * 2^23. Adding it rounds to a whole number, which is then in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// Returns e^x with a relative error of about 1e-7. `x` is clamped to -87..88.
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    // ln 2 in two parts. The product of the first part and any whole number in this range is exact.
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    let mut sum = 1.987_569_2e-4;
    for factor in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ] {
        sum = sum * rest + factor;
    }
    let fraction = sum * rest * rest + rest + 1.0;
    fraction * f32::from_bits(rounded.to_bits().wrapping_add(127) << 23)
}

/// Gaussian error linear unit: x times the share of a normal distribution that lies below x.
#[inline]
pub(crate) fn gelu(x: f32) -> f32 {
    // erf by Abramowitz and Stegun, 7.1.26, with an error below 1.5e-7.
    let z = (x * std::f32::consts::FRAC_1_SQRT_2).abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut sum = 1.061_405_4;
    for factor in [-1.453_152, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        sum = sum * t + factor;
    }
    let erf = 1.0 - sum * t * exp(-z * z);
    0.5 * x * (1.0 + erf.copysign(x))
}

/// Replaces each number by its share: its exponential, divided by the sum of all exponentials.
pub(crate) fn softmax(numbers: &mut [f32]) {
    let most = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for x in numbers.iter_mut() {
        *x = exp(*x - most);
    }
    let sum: f32 = numbers.iter().sum();
    for x in numbers.iter_mut() {
        *x /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::{exp, gelu, softmax};

    #[test]
    fn exp_is_near_the_libraries() {
        for step in -8_700..8_800 {
            let x = step as f32 / 100.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) / expected - 1.0).abs();
            assert!(error < 5e-7, "{x}: {error}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(1e9).is_finite());
    }

    #[test]
    fn gelu_has_the_values_of_tables() {
        for (x, expected) in [
            (0.0, 0.0),
            (1.0, 0.841_344_8),
            (-1.0, -0.158_655_26),
            (3.0, 2.995_950_3),
            (-10.0, 0.0),
            (10.0, 10.0),
        ] {
            assert!((gelu(x) - expected).abs() < 1e-6, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn shares_sum_to_1() {
        let mut numbers = [1.0, 2.0, 3.0, -1e9];
        softmax(&mut numbers);
        assert!((numbers.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((numbers[2] - 0.665_240_9).abs() < 1e-6, "{numbers:?}");
    }
}
