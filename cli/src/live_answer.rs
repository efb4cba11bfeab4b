//! Prints the answer of a model while it is written.

use futures::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::tungstenite::Message;

use crate::client::Client;

/// Label of the conclusion in a reply.
const FINAL_ANSWER: &str = "Final Answer:";

/// Labels at the start of a reply that may not be a conclusion.
const LABELS: [&str; 3] = ["Thought:", "Action:", FINAL_ANSWER];

/// A piece of an answer (`docs/LIVE.md`).
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Piece {
    stage_execution_id: String,
    interaction_id: String,
    epoch: i64,
    attempt: u32,
    part: String,
    offset: usize,
    text: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum SocketMessage {
    AnswerPiece {
        data: Piece,
    },
    #[serde(other)]
    Other,
}

/// Returns the pieces of a session's answers until the socket closes. Missed pieces are replaced by the recorded
/// answer.
pub(crate) fn pieces_of(client: &Client, session_id: &str) -> UnboundedReceiver<Piece> {
    let (sender, receiver) = unbounded_channel();
    let (client, session_id) = (client.clone(), session_id.to_owned());
    tokio::spawn(async move {
        if let Err(error) = receive(&client, &session_id, &sender).await {
            tracing::debug!(?error, "answers are shown once they are whole");
        }
    });
    receiver
}

async fn receive(
    client: &Client,
    session_id: &str,
    sender: &UnboundedSender<Piece>,
) -> anyhow::Result<()> {
    let mut socket = client.live().await?;
    let subscribe = json!({"type": "subscribe", "channel": format!("session_{session_id}")});
    socket.send(Message::text(subscribe.to_string())).await?;
    loop {
        let message = tokio::select! {
            message = socket.next() => message,
            () = sender.closed() => None,
        };
        let Some(message) = message else {
            return Ok(());
        };
        if let Message::Text(text) = message?
            && let Ok(SocketMessage::AnswerPiece { data }) = serde_json::from_str(&text)
            && sender.send(data).is_err()
        {
            return Ok(());
        }
    }
}

/// Stage execution, epoch, call and attempt that a text belongs to.
type Origin = (String, i64, String, u32);

/// Assembles pieces, and returns new parts of the conclusion.
#[derive(Debug, Default)]
pub(crate) struct LiveAnswer {
    of: Option<Origin>,
    text: Vec<u16>,
    /// Whether a piece is missing. Later pieces are not printed.
    is_broken: bool,
    /// The part of the conclusion that was printed.
    printed: String,
}

impl LiveAnswer {
    /// Processes a piece. Returns the part of the conclusion to print.
    pub(crate) fn take(&mut self, piece: &Piece) -> String {
        if piece.part != "text" {
            return String::new();
        }
        let of = (
            piece.stage_execution_id.clone(),
            piece.epoch,
            piece.interaction_id.clone(),
            piece.attempt,
        );
        if self.of.as_ref() != Some(&of) {
            if self.of.as_ref().is_some_and(|now| is_older(&of, now)) {
                return String::new();
            }
            self.text.clear();
            self.of = Some(of);
            // The text of another attempt that was already printed can't be removed from a terminal.
            self.is_broken = !self.printed.is_empty();
        }
        if piece.offset > self.text.len() {
            self.is_broken = true;
        }
        if self.is_broken {
            return String::new();
        }
        self.text.truncate(piece.offset);
        self.text.extend(piece.text.encode_utf16());
        let text = String::from_utf16_lossy(&self.text);
        let conclusion = conclusion_so_far(&text);
        match conclusion.strip_prefix(&self.printed) {
            Some(more) => {
                let more = more.to_owned();
                self.printed.push_str(&more);
                more
            }
            None => {
                self.is_broken = true;
                String::new()
            }
        }
    }

    /// Whether anything was printed.
    pub(crate) fn has_printed(&self) -> bool {
        !self.printed.is_empty()
    }

    /// Returns the id of the call whose answer was printed.
    pub(crate) fn interaction(&self) -> Option<&str> {
        let of = self.of.as_ref().filter(|_| self.has_printed());
        of.map(|(_, _, interaction, _)| interaction.as_str())
    }

    /// Returns the part of the whole answer that is not printed yet; `None`: the printed text is not its beginning.
    pub(crate) fn rest<'a>(&self, answer: &'a str) -> Option<&'a str> {
        answer
            .strip_prefix(self.printed.as_str())
            .or_else(|| answer.strip_prefix(self.printed.trim_end()))
    }
}

/// Whether a text belongs to an earlier claim of the stage, or to an earlier attempt of the same call.
fn is_older(text: &Origin, now: &Origin) -> bool {
    let (execution, epoch, call, attempt) = text;
    let is_earlier_attempt = *epoch == now.1 && *call == now.2 && *attempt < now.3;
    *execution == now.0 && (*epoch < now.1 || is_earlier_attempt)
}

/// Returns the part of a growing reply that certainly belongs to the conclusion.
fn conclusion_so_far(reply: &str) -> &str {
    if let Some((_, conclusion)) = reply.split_once(FINAL_ANSWER) {
        return conclusion.trim_start();
    }
    let text = reply.trim_start();
    let may_be_labelled = LABELS
        .iter()
        .any(|label| text.starts_with(label) || label.starts_with(text));
    match may_be_labelled {
        true => "",
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_lost_hold_or_an_earlier_attempt_is_left_out() {
        let held_by = |epoch, attempt, text| Piece {
            epoch,
            ..piece(attempt, 0, text)
        };
        let mut live = LiveAnswer::default();
        assert_eq!(live.take(&held_by(2, 2, "Thought: x")), "");
        assert_eq!(live.take(&held_by(1, 3, "Of a worker that lost it")), "");
        assert_eq!(live.take(&held_by(2, 1, "Of another attempt")), "");
        assert_eq!(
            live.take(&held_by(2, 2, "Thought: x\nFinal Answer: Y")),
            "Y"
        );
        assert_eq!(
            live.take(&held_by(3, 1, "Thought: z")),
            "",
            "nothing is taken back"
        );
        assert_eq!(live.rest("Y it is"), Some(" it is"));
    }

    #[test]
    fn text_of_another_attempt_is_not_put_after_what_was_printed() {
        let mut live = LiveAnswer::default();
        assert_eq!(live.take(&piece(1, 0, "It was DNS")), "It was DNS");
        assert_eq!(live.take(&piece(2, 0, "It was DNS, they say")), "");
    }

    #[test]
    fn what_a_model_thinks_is_not_printed() {
        let thought = Piece {
            part: "thinking".to_owned(),
            ..piece(1, 0, "It may be DNS.")
        };
        let mut live = LiveAnswer::default();
        assert_eq!(live.take(&thought), "");
        assert_eq!(live.take(&piece(1, 0, "It was DNS.")), "It was DNS.");
    }

    fn piece(attempt: u32, offset: usize, text: &str) -> Piece {
        Piece {
            stage_execution_id: "e".into(),
            interaction_id: "i".into(),
            epoch: 1,
            attempt,
            part: "text".into(),
            offset,
            text: text.into(),
        }
    }

    #[test]
    fn only_the_conclusion_is_printed_and_each_part_once() {
        let mut live = LiveAnswer::default();
        let pieces = [
            ("Thought: I kn", ""),
            ("ow.\nFinal Answer:", ""),
            (" The PVC 🙂", "The PVC 🙂"),
            (" is stuck.", " is stuck."),
        ];
        let mut offset = 0;
        for (text, printed) in pieces {
            assert_eq!(live.take(&piece(1, offset, text)), printed);
            offset += text.encode_utf16().count();
        }
        // Sent again from the start, because another subscriber joined.
        let all: String = pieces.iter().map(|(text, _)| *text).collect();
        assert_eq!(live.take(&piece(1, 0, &all)), "");
        assert_eq!(
            live.rest("The PVC 🙂 is stuck. Delete it."),
            Some(" Delete it.")
        );
        assert_eq!(live.rest("Another answer"), None);
    }

    #[test]
    fn plain_text_is_printed_and_a_gap_ends_it() {
        let mut live = LiveAnswer::default();
        assert_eq!(live.take(&piece(1, 0, "Tho")), "");
        assert_eq!(live.take(&piece(1, 3, "se pods")), "Those pods");
        assert_eq!(live.take(&piece(1, 30, "more")), "");
        assert_eq!(live.take(&piece(1, 34, "still more")), "");
        assert_eq!(live.rest("Those pods are gone"), Some(" are gone"));
    }

    #[test]
    fn another_attempt_does_not_continue_where_the_first_ended() {
        let mut live = LiveAnswer::default();
        assert_eq!(live.take(&piece(1, 0, "One")), "One");
        assert_eq!(live.take(&piece(2, 0, "Two words")), "");
        assert_eq!(live.rest("Two words"), None);
        let mut silent = LiveAnswer::default();
        assert_eq!(silent.take(&piece(1, 0, "Thought: x")), "");
        assert_eq!(silent.take(&piece(2, 0, "Two words")), "Two words");
    }
}
