//! Job priority by an alert's severity.

/// Priority of a job for an alert of this severity: 3 is first, 0 last.
///
/// Severities are free text (seed 003 REQ-1.1.1); the words of the common monitoring
/// systems are known in any case, everything else counts as a warning.
#[must_use]
pub fn priority_of(severity: &str) -> i16 {
    match severity.trim().to_ascii_lowercase().as_str() {
        "critical" | "page" | "emergency" | "fatal" | "p1" | "sev1" | "disaster" => 3,
        "high" | "error" | "major" | "p2" | "sev2" => 2,
        "info" | "informational" | "low" | "debug" | "notice" | "ok" | "none" | "p4" | "p5"
        | "sev4" | "sev5" => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::priority_of;

    #[test]
    fn a_page_goes_before_a_warning_and_a_notice_goes_last() {
        assert!(priority_of("CRITICAL") > priority_of("high"));
        assert!(priority_of("high") > priority_of("warning"));
        assert_eq!(priority_of("warning"), priority_of("whatever"));
        assert!(priority_of("warning") > priority_of("info"));
    }
}
