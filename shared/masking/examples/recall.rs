//! Measures the recall and the false positives of a group on a file of samples:
//! `cargo run -p tarsy-masking --example recall -- FILE…`
//!
//! Lines with `%%` separate the samples. A secret is between `⟦` and `⟧`. All other text must stay as it is; a sample
//! without a secret is a near-miss. `--quiet` prints only the figures. `--group NAME` selects another group.
#![expect(clippy::print_stdout, reason = "a measurement says what it measured")]

use tarsy_masking::Masker;

fn main() -> Result<(), String> {
    let (mut group, mut quiet, mut files) = ("security".to_owned(), false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quiet" => quiet = true,
            "--group" => group = arguments.next().ok_or("--group needs a name")?,
            _ => files.push(argument),
        }
    }
    let masker = Masker::group(&group).ok_or("no such group")?;
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        let mut tally = Tally::default();
        for sample in text.split("\n%%\n") {
            tally.add(&masker, sample.trim_end_matches('\n'), quiet);
        }
        println!(
            "{file}: {} of {} secrets gone ({:.1} %), {} of {} near-misses touched, other text touched in {} of {} samples",
            tally.gone,
            tally.secrets,
            100.0 * f64::from(tally.gone) / f64::from(tally.secrets.max(1)),
            tally.near_misses_touched,
            tally.near_misses,
            tally.samples_touched,
            tally.samples,
        );
    }
    Ok(())
}

/// Counts over the samples of one file.
#[derive(Default)]
struct Tally {
    secrets: u32,
    gone: u32,
    samples: u32,
    samples_touched: u32,
    near_misses: u32,
    near_misses_touched: u32,
}

impl Tally {
    fn add(&mut self, masker: &Masker, sample: &str, quiet: bool) {
        let (mut text, mut secrets, mut kept) = (String::new(), Vec::new(), Vec::new());
        for (number, part) in sample.split(['⟦', '⟧']).enumerate() {
            text.push_str(part);
            if number % 2 == 1 {
                secrets.push(part);
            } else {
                kept.push(part);
            }
        }
        let masked = masker.mask(&text).text;
        let missed: Vec<_> = secrets
            .iter()
            .filter(|secret| !is_gone(secret, &masked, &kept))
            .collect();
        self.secrets += u32::try_from(secrets.len()).unwrap_or(u32::MAX);
        self.gone += u32::try_from(secrets.len() - missed.len()).unwrap_or(u32::MAX);
        let touched = !is_in_order(&kept, &masked);
        if secrets.is_empty() {
            self.near_misses += 1;
            self.near_misses_touched += u32::from(touched);
        } else {
            self.samples += 1;
            self.samples_touched += u32::from(touched);
        }
        if !quiet && (touched || !missed.is_empty()) {
            println!(
                "{}{}\n  {sample}\n  -> {masked}",
                if missed.is_empty() { "" } else { "MISSED " },
                if touched { "TOUCHED" } else { "" }
            );
        }
    }
}

/// Whether no useful part of the secret is left: neither all of it nor either half. Text that also occurs outside the
/// secret does not count, e.g. a user's name with which the password begins.
fn is_gone(secret: &str, masked: &str, kept: &[&str]) -> bool {
    let half = secret
        .char_indices()
        .nth(secret.chars().count() / 2)
        .map_or(0, |(i, _)| i);
    let (first, second) = secret.split_at(half);
    let left = |part: &str| masked.contains(part) && !kept.iter().any(|text| text.contains(part));
    !left(secret) && (secret.len() < 12 || (!left(first) && !left(second)))
}

/// Whether the pieces of text around the secrets are in the result, in the same order. Quotes next to a secret may be
/// gone.
fn is_in_order(kept: &[&str], masked: &str) -> bool {
    let mut rest = masked;
    kept.iter().all(|part| {
        let part = part.trim_matches(['"', '\'', ' ']);
        rest.find(part).is_some_and(|at| {
            rest = rest.get(at + part.len()..).unwrap_or_default();
            true
        })
    })
}
