//! Text of a message about an approval that is decided, expired or withdrawn.

use chrono::{DateTime, SecondsFormat};
use tarsy_store::deliveries::{DueDelivery, NotifiedWait};

use super::markup::escaped;

/// Maximum length of a quoted reason, in characters.
const LONGEST_REASON: usize = 500;
/// Means of a decision made with a button. Its reason only repeats who pressed it.
const BUTTON: &str = "slack";

/// Returns in a word or two how the approval ended; `None` if it is open.
pub(super) fn word(due: &DueDelivery, wait: &NotifiedWait) -> Option<String> {
    match wait.decision {
        Some(decision) => Some(decision.to_string()),
        None => due
            .completed_at_us
            .map(|_| "the session has ended".to_owned()),
    }
}

/// Returns who decided what, when and why, as mrkdwn; `None` if it is open.
pub(super) fn sentence(due: &DueDelivery, wait: &NotifiedWait) -> Option<String> {
    let mut sentence = format!("*{}*", word(due, wait)?);
    if let Some(name) = &wait.decided_by {
        sentence = format!("{sentence} by {}", escaped(name));
    }
    if let Some(at) = wait.decided_at_us.and_then(DateTime::from_timestamp_micros) {
        // Slack shows it in the reader's time zone.
        let (unix, utc) = (
            at.timestamp(),
            at.to_rfc3339_opts(SecondsFormat::Secs, true),
        );
        sentence = format!("{sentence} on <!date^{unix}^{{date_short_pretty}}, {{time}}|{utc}>");
    }
    let reason = wait.reason.as_deref();
    let reason = reason.filter(|_| wait.means.as_deref() != Some(BUTTON));
    if let Some(reason) = reason {
        let reason: String = reason.chars().take(LONGEST_REASON).collect();
        sentence = format!("{sentence}: {}", escaped(&reason));
    }
    Some(sentence)
}
