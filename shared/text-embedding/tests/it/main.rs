//! Compares models with numbers that `tests/reference.py` computed, and loads folders that are no models.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod broken;
mod minilm;
mod toy;

use serde_json::Value;

/// Numbers computed by numpy and Hugging Face's `tokenizers`.
pub(crate) fn reference(part: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("reference.json")).unwrap();
    all[part].as_array().unwrap().clone()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_f64().unwrap()).collect()
}

/// Returns the largest difference between the components of two vectors.
pub(crate) fn distance(a: &[f32], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - b).abs());
    differences.fold(0.0, f64::max)
}
