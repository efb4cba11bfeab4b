//! Assembles the draft of an answer from its pieces, as `docs/LIVE.md` describes.

use serde::Deserialize;
use serde_json::Value;
use tarsy_model::AnswerPart;

/// A message of a session's channel.
#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
struct Piece {
    epoch: i64,
    interaction_id: String,
    attempt: u32,
    part: AnswerPart,
    offset: usize,
    text: String,
}

/// Meaning of a message for a client that waits for an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The new text of the draft.
    Draft(String),
    /// The message is of no interest.
    None,
    /// Something happened in the session, so the answer may have changed.
    Event,
}

#[derive(Debug, Default)]
pub(crate) struct Draft {
    of: Option<(i64, String, u32)>,
    text: Vec<u16>,
}

impl Draft {
    pub(crate) fn take(&mut self, message: &str) -> News {
        let Ok(message) = serde_json::from_str::<Message>(message) else {
            return News::None;
        };
        if message.kind != "answer_piece" {
            return News::Event;
        }
        let Ok(piece) = serde_json::from_value::<Piece>(message.data) else {
            return News::None;
        };
        if piece.part != AnswerPart::Draft {
            return News::None;
        }
        let of = (piece.epoch, piece.interaction_id, piece.attempt);
        // A different piece is always newer, because the hub drops pieces of lower epochs.
        if self.of.as_ref() != Some(&of) {
            self.of = Some(of);
            self.text.clear();
        }
        // A piece before this one was lost. The draft is sent from its start again when the next
        // client subscribes, and the checked answer arrives in any case.
        if piece.offset > self.text.len() {
            return News::None;
        }
        self.text.truncate(piece.offset);
        self.text.extend(piece.text.encode_utf16());
        News::Draft(String::from_utf16_lossy(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn piece(epoch: i64, attempt: u32, part: &str, offset: usize, text: &str) -> String {
        let data = json!({"epoch": epoch, "interaction_id": "i", "attempt": attempt, "part": part, "offset": offset, "text": text});
        json!({"type": "answer_piece", "data": data}).to_string()
    }

    #[test]
    fn pieces_of_the_newest_attempt_become_one_text() {
        let (mut draft, draft_of) = (Draft::default(), |text: &str| News::Draft(text.to_owned()));
        assert_eq!(
            draft.take(&piece(3, 1, "draft", 0, "It 🙂 ")),
            draft_of("It 🙂 ")
        );
        assert_eq!(
            draft.take(&piece(3, 1, "draft", 6, "runs")),
            draft_of("It 🙂 runs")
        );
        assert_eq!(
            draft.take(&piece(3, 1, "draft", 3, "is")),
            draft_of("It is")
        );
        assert_eq!(draft.take(&piece(3, 1, "draft", 9, "a gap")), News::None);
        assert_eq!(draft.take(&piece(3, 1, "thinking", 0, "Hm")), News::None);
        assert_eq!(
            draft.take(&piece(3, 2, "draft", 0, "Another")),
            draft_of("Another")
        );
        assert_eq!(
            draft.take(&piece(4, 1, "draft", 0, "Taken over")),
            draft_of("Taken over")
        );
        assert_eq!(
            draft.take(r#"{"type": "session_update", "data": {"x": 1}}"#),
            News::Event
        );
        assert_eq!(draft.take("?"), News::None);
    }
}
