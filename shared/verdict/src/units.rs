//! Units of quantities and their factors.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Dimension {
    /// Number without a unit.
    Plain,
    Bytes,
    Seconds,
    /// Percentage, as a share of 1.
    Share,
}

use Dimension::{Bytes, Plain, Seconds, Share};

const KIB: f64 = 1024.0;
const MIB: f64 = KIB * KIB;
const GIB: f64 = MIB * KIB;
const TIB: f64 = GIB * KIB;

/// Returns the dimensions that a unit may mean, each with the factor to its base unit; `None` if it is no unit.
///
/// Tools mix up decimal and binary units, so both count.
pub(crate) fn readings(unit: &str) -> Option<&'static [(Dimension, f64)]> {
    // `m` is the only unit whose case matters: `500m` is processor time, `6M` is six million of anything.
    Some(match unit {
        "m" => &[(Seconds, 60.0), (Plain, 1e-3)],
        "M" => &[(Plain, 1e6), (Bytes, 1e6), (Bytes, MIB)],
        _ => match unit.to_ascii_lowercase().as_str() {
            "b" | "byte" | "bytes" => &[(Bytes, 1.0)],
            "k" => &[(Plain, 1e3), (Bytes, 1e3), (Bytes, KIB)],
            "g" => &[(Plain, 1e9), (Bytes, 1e9), (Bytes, GIB)],
            "t" => &[(Bytes, 1e12), (Bytes, TIB)],
            "kb" | "ki" | "kib" | "kilobytes" => &[(Bytes, 1e3), (Bytes, KIB)],
            "mb" | "mi" | "mib" | "megabytes" => &[(Bytes, 1e6), (Bytes, MIB)],
            "gb" | "gi" | "gib" | "gigabytes" => &[(Bytes, 1e9), (Bytes, GIB)],
            "tb" | "ti" | "tib" | "terabytes" => &[(Bytes, 1e12), (Bytes, TIB)],
            "ns" => &[(Seconds, 1e-9)],
            "us" | "µs" | "μs" => &[(Seconds, 1e-6)],
            "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => &[(Seconds, 1e-3)],
            "s" | "sec" | "secs" | "second" | "seconds" => &[(Seconds, 1.0)],
            "min" | "mins" | "minute" | "minutes" => &[(Seconds, 60.0)],
            "h" | "hr" | "hrs" | "hour" | "hours" => &[(Seconds, 3600.0)],
            "d" | "day" | "days" => &[(Seconds, 86_400.0)],
            "%" | "percent" | "pct" => &[(Share, 0.01)],
            "thousand" => &[(Plain, 1e3)],
            "million" | "mio" => &[(Plain, 1e6)],
            "billion" | "bn" => &[(Plain, 1e9)],
            _ => return None,
        },
    })
}

/// Returns the dimensions of the unit at the end of a key, as in `latency_ms` or `timeoutSeconds`.
pub(crate) fn of_key(key: &str) -> Option<&'static [(Dimension, f64)]> {
    let last = key.rsplit(['_', '.', '-']).next()?;
    let start = last.rfind(|char: char| char.is_ascii_uppercase());
    let word = match (last.len() < key.len(), start) {
        (_, Some(start)) if start > 0 => last.get(start..)?,
        (true, _) => last,
        (false, _) => return None,
    };
    match word.len() {
        0 | 1 => None,
        _ => readings(&word.to_ascii_lowercase()),
    }
}
