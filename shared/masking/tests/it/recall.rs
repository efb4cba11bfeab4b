//! Measures recall and false positives on the crate's own samples.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]
#![expect(clippy::print_stdout, reason = "a measurement says what it measured")]

use tarsy_masking::Masker;

use crate::corpus::{Sample, is_gone, negatives, positives, sre, vendor_samples, wild};

fn recall(name: &str, samples: &[Sample]) -> f64 {
    let masker = Masker::group("security").unwrap();
    let (mut total, mut gone) = (0_u32, 0_u32);
    for sample in samples {
        let masked = masker.mask(&sample.text);
        for secret in &sample.secrets {
            total += 1;
            if is_gone(secret, &masked.text) {
                gone += 1;
            } else {
                println!(
                    "{name}: missed in `{}`\n    -> `{}`",
                    sample.text.escape_debug(),
                    masked.text.escape_debug()
                );
            }
        }
    }
    let share = f64::from(gone) / f64::from(total);
    println!(
        "{name}: {gone} of {total} secrets gone, {:.1} %",
        share * 100.0
    );
    share
}

#[test]
fn recall_on_written_samples() {
    assert!(recall("written", &positives()) >= 0.99);
}

#[test]
fn recall_on_vendor_samples() {
    assert!(recall("vendors", &vendor_samples()) >= 0.95);
}

#[test]
fn recall_on_wild_samples() {
    assert!(recall("wild", &wild().0) >= 0.97);
}

#[test]
fn recall_on_samples_of_operations() {
    assert!(recall("operations", &sre().0) >= 0.98);
}

#[test]
fn what_an_operator_needs_is_kept() {
    let masker = Masker::group("security").unwrap();
    for text in sre().1 {
        assert_eq!(masker.mask(&text).text, text);
    }
}

#[test]
fn wild_text_is_left_alone() {
    let (masker, samples) = (Masker::group("security").unwrap(), wild().1);
    let touched = samples.iter().filter(|text| {
        let masked = masker.mask(text).text;
        if masked != text.as_str() {
            println!(
                "touched `{}`\n    -> `{}`",
                text.escape_debug(),
                masked.escape_debug()
            );
        }
        masked != text.as_str()
    });
    let touched = touched.count();
    println!("{touched} of {} clean samples touched", samples.len());
    assert!(touched * 100 <= samples.len());
}

#[test]
fn clean_text_is_left_alone() {
    for group in ["security", "all"] {
        let masker = Masker::group(group).unwrap();
        let samples = negatives();
        let touched: Vec<_> = samples
            .iter()
            .filter(|text| masker.mask(text).text != text.as_str())
            .collect();
        for text in &touched {
            println!(
                "{group}: touched `{}`\n    -> `{}`",
                text.escape_debug(),
                masker.mask(text).text.escape_debug()
            );
        }
        println!(
            "{group}: {} of {} clean samples touched",
            touched.len(),
            samples.len()
        );
        let allowed = if group == "security" {
            0
        } else {
            samples.len() / 50
        };
        assert!(touched.len() <= allowed);
    }
}
