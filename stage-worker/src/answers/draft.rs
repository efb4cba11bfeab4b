//! Extracts the text of one member from an incomplete JSON answer.

use serde_json::Value;

/// Maximum length of an escape in JSON text, in bytes: a surrogate pair.
const LONGEST_ESCAPE: usize = 12;

/// Returns the text received so far of a member that is a string. Empty before the member begins.
pub(super) fn draft_of(raw: &str, member: &str) -> String {
    let name = Value::from(member).to_string();
    let begun = raw.split_once(name.as_str()).and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix(':')?;
        rest.trim_start().strip_prefix('"')
    });
    let text = begun.unwrap_or_default();
    let end = closing_quote(text).unwrap_or(text.len());
    // The last escape may be incomplete.
    let mut text = text.get(..end).unwrap_or_default();
    for _ in 0..=LONGEST_ESCAPE {
        if let Ok(draft) = serde_json::from_str(&format!("\"{text}\"")) {
            return draft;
        }
        let shorter = text.floor_char_boundary(text.len().saturating_sub(1));
        text = text.get(..shorter).unwrap_or_default();
    }
    String::new()
}

/// Returns the position of the closing quote.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::draft_of;

    #[test]
    fn other_members_and_text_before_the_object_are_left_out() {
        let reply = "Here:\n```json\n{\"citations\": [\"7\"], \"answer\": \"It is \\\"r07\\\" [7].\", \"x\": \"y\"}";
        assert_eq!(draft_of(reply, "answer"), "It is \"r07\" [7].");
        for nothing in [
            "",
            "{\"ans",
            "{\"answer\"",
            "{\"answer\": ",
            "{\"answer\": null}",
            "{\"citations\": [\"7\"]}",
        ] {
            assert_eq!(draft_of(nothing, "answer"), "", "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn every_beginning_of_an_answer_gives_a_beginning_of_its_text(text in any::<String>(), is_ascii in any::<bool>()) {
            let mut reply = json!({"answer": text, "citations": []}).to_string();
            if is_ascii {
                let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
                reply = reply.chars().map(|c| if c.is_ascii() { c.to_string() } else { units(c) }).collect();
            }
            let mut longest = 0;
            for (end, _) in reply.char_indices().chain([(reply.len(), ' ')]) {
                let draft = draft_of(&reply[..end], "answer");
                prop_assert!(text.starts_with(&draft), "{draft:?} of {text:?}");
                prop_assert!(draft.len() >= longest);
                longest = draft.len();
            }
            prop_assert_eq!(longest, text.len());
        }
    }
}
