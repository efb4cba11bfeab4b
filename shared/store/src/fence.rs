//! The fence's switch.

/// Whether writes are let through that name a lost claim: never, but in a debug build whose
/// torture test is to show that it would notice.
pub(crate) fn unfenced() -> bool {
    tarsy_failpoint::disabled("fence")
}
