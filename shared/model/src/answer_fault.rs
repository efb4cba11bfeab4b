//! What was wrong with an answer.

/// Words that name what was wrong with an answer that is rated `partly_right` or `wrong`.
pub const ANSWER_FAULTS: [&str; 6] = [
    "wrong_cause",
    "wrong_target",
    "missing_evidence",
    "invented",
    "incomplete",
    "unclear",
];
