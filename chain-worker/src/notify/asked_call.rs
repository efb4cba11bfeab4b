//! The tool call that a message asks about, as text that no markup can change.

use serde_json::{Value, json};
use tarsy_model::shown_call;
use tarsy_store::deliveries::{DueDelivery, NotifiedWait};

/// Longest call in a message, in characters; Slack takes 3,000 in a block.
const LONGEST: usize = 2_800;

/// Stands in place of a call that is longer, and of its buttons.
const TOO_LONG: &str =
    "The call is too long for a message. Open the session to read all of it, and decide there.";

/// Whether a message can't show all of the call: then nothing is decided from it.
pub(super) fn is_too_long(wait: &NotifiedWait) -> bool {
    let call = wait.call.as_ref();
    call.is_some_and(|call| shown_call(call).chars().count() > LONGEST)
}

/// What a message says of the call.
fn text(due: &DueDelivery) -> Option<String> {
    let wait = due.wait.as_ref()?;
    let call = wait.call.as_ref()?;
    Some(match is_too_long(wait) {
        true => TOO_LONG.to_owned(),
        false => shown_call(call),
    })
}

/// As a block of Slack. Preformatted rich text knows no markup, so nothing in it is a mention or a link.
pub(super) fn slack(due: &DueDelivery) -> Option<Value> {
    let text = json!({"type": "text", "text": text(due)?});
    let preformatted = json!({"type": "rich_text_preformatted", "elements": [text]});
    Some(json!({"type": "rich_text", "elements": [preformatted]}))
}

/// As an element of a card of Teams. The runs of a `RichTextBlock` know no markup.
pub(super) fn teams(due: &DueDelivery) -> Option<Value> {
    let run = json!({"type": "TextRun", "fontType": "Monospace", "text": text(due)?});
    Some(json!({"type": "RichTextBlock", "inlines": [run]}))
}
