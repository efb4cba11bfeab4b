//! Shows the tool call that a message asks about, as text in which markup has no effect.

use serde_json::{Value, json};
use tarsy_model::shown_call;
use tarsy_store::deliveries::{DueDelivery, NotifiedWait};

/// Maximum length of a call in a message, in characters. Slack takes 3,000 in a block.
const LONGEST: usize = 2_800;

/// Shown instead of a longer call and its buttons.
const TOO_LONG: &str =
    "The call is too long for a message. Open the session to read all of it, and decide there.";

/// Returns whether the call is too long for a message. Then it can't be decided from the message.
pub(super) fn is_too_long(wait: &NotifiedWait) -> bool {
    let call = wait.call.as_ref();
    call.is_some_and(|call| shown_call(call).chars().count() > LONGEST)
}

/// Returns the text for the call.
fn text(due: &DueDelivery) -> Option<String> {
    let wait = due.wait.as_ref()?;
    let call = wait.call.as_ref()?;
    Some(match is_too_long(wait) {
        true => TOO_LONG.to_owned(),
        false => shown_call(call),
    })
}

/// Returns a Slack block. Preformatted rich text has no markup, so it can't contain a mention or a link.
pub(super) fn slack(due: &DueDelivery) -> Option<Value> {
    let text = json!({"type": "text", "text": text(due)?});
    let preformatted = json!({"type": "rich_text_preformatted", "elements": [text]});
    Some(json!({"type": "rich_text", "elements": [preformatted]}))
}

/// Returns an element of a Teams card. The runs of a `RichTextBlock` have no markup.
pub(super) fn teams(due: &DueDelivery) -> Option<Value> {
    let run = json!({"type": "TextRun", "fontType": "Monospace", "text": text(due)?});
    Some(json!({"type": "RichTextBlock", "inlines": [run]}))
}
