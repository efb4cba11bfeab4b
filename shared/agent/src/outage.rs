//! Pauses for a provider that fails or can't be reached: it may be back soon.

use std::time::Duration;

use crate::transcript::Transcript;

/// First pause; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(2);

/// A rest that is shorter is not worth another try.
const SHORTEST: Duration = Duration::from_secs(1);

/// Whether calls that fail with this class may succeed in a moment, although nobody says when.
pub(crate) fn is_outage(class: &str) -> bool {
    matches!(class, "server_error" | "connection")
}

/// The pause after the newest failure of an outage, so that all its pauses together are at most `limit`. `None`: the limit
/// is reached, or the newest call did not fail with an outage.
pub(crate) fn outage_pause(transcript: &Transcript, limit: Duration) -> Option<Duration> {
    let turns = transcript.turns();
    let failures = turns.iter().rev().take_while(|turn| {
        let result = turn.llm.result.as_ref().filter(|result| !result.success);
        result
            .and_then(|result| result.error_class.as_deref())
            .is_some_and(is_outage)
    });
    let failures = u32::try_from(failures.count()).unwrap_or(u32::MAX).min(20);
    // The pauses before it: 2 s, 4 s and so on.
    let before = FIRST * ((1 << failures.checked_sub(1)?) - 1);
    let pause = (before + FIRST).min(limit.saturating_sub(before));
    (pause >= SHORTEST).then_some(pause)
}
