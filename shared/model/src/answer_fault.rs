//! Faults of an answer.

/// Faults that a person can name when rating an answer `partly_right` or `wrong`.
pub const ANSWER_FAULTS: [&str; 6] = [
    "wrong_cause",
    "wrong_target",
    "missing_evidence",
    "invented",
    "incomplete",
    "unclear",
];
