//! Measures the speed of masking, and compares it with the speed of the bare cue automaton, which is the upper limit.
//! `--json` prints one object per line.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[expect(unreachable_pub, reason = "the module belongs to this crate alone")]
#[path = "../tests/it/corpus/text.rs"]
mod text;

use std::hint::black_box;
use std::time::Instant;

use tarsy_masking::{Masker, prefilter_ceiling};

/// Runs of each measurement. The fastest counts, because the others were disturbed.
const RUNS: usize = 7;

fn main() {
    let json = std::env::args().any(|arg| arg == "--json");
    let Some(masker) = Masker::group("security") else {
        return;
    };
    let report = |name: &str, value: f64, unit: &str, limit: f64| {
        let ratio = value / limit;
        if json {
            println!(
                "{}",
                serde_json::json!({"name": name, "value": value, "unit": unit, "limit": limit, "ratio": ratio})
            );
        } else {
            println!("{name:<40} {value:>10.2} {unit:<6} limit {limit:>10.2}  ratio {ratio:>6.3}");
        }
    };
    let log = text::realistic(4 << 20);
    let ceiling = rate(&log, prefilter_ceiling);
    report(
        "masking_mb_s",
        rate(&log, |text| masker.mask(text).text.len()),
        "MB/s",
        ceiling,
    );
    let page = text::realistic(64 << 10);
    let floor = page.len() as f64 / 1e3 / rate(&page, prefilter_ceiling);
    report(
        "masking_64k_ms",
        page.len() as f64 / 1e3 / rate(&page, |text| masker.mask(text).text.len()),
        "ms",
        floor,
    );
    let mut slowest = f64::INFINITY;
    for (name, hostile) in text::hostile(1 << 20) {
        let speed = rate(&hostile, |text| masker.mask(text).text.len());
        slowest = slowest.min(speed);
        if !json {
            println!("  hostile: {name:<30} {speed:>10.2} MB/s");
        }
    }
    report("masking_hostile_mb_s", slowest, "MB/s", ceiling);
}

/// Returns the megabytes per second of the fastest run.
fn rate(text: &str, work: impl Fn(&str) -> usize) -> f64 {
    let fastest = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            black_box(work(black_box(text)));
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    text.len() as f64 / 1e6 / fastest
}
