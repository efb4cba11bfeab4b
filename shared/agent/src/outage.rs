//! Pauses while a provider fails or can't be reached, because it may soon be back.

use std::time::Duration;

use crate::transcript::Transcript;

/// First pause; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(2);

/// If less of the limit is left than this, another attempt is not worthwhile.
const SHORTEST: Duration = Duration::from_secs(1);

/// Returns whether calls that fail with this class may soon succeed, although the provider gives no time.
pub(crate) fn is_outage(class: &str) -> bool {
    matches!(class, "server_error" | "connection")
}

/// Returns the pause after the newest failure of an outage. All pauses of an outage together are at most `limit`.
/// `None`: the limit is reached, or the newest call did not fail with an outage.
pub(crate) fn outage_pause(transcript: &Transcript, limit: Duration) -> Option<Duration> {
    let turns = transcript.turns();
    let failures = turns.iter().rev().take_while(|turn| {
        let result = turn.llm.result.as_ref().filter(|result| !result.success);
        result
            .and_then(|result| result.error_class.as_deref())
            .is_some_and(is_outage)
    });
    let failures = u32::try_from(failures.count()).unwrap_or(u32::MAX).min(20);
    // Total of the pauses before this one: 2 s, 4 s and so on.
    let before = FIRST * ((1 << failures.checked_sub(1)?) - 1);
    let pause = (before + FIRST).min(limit.saturating_sub(before));
    (pause >= SHORTEST).then_some(pause)
}
