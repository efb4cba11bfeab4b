//! One answer while it is generated: the text received and the text sent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_llm::AnswerObserver;
use tarsy_masking::Masker;
use tarsy_model::{AnswerPart, AnswerPiece, InteractionId, SessionId};
use tarsy_queue::LONGEST_BROADCAST;
use tarsy_store::interactions::StageFence;

use super::draft::draft_of;

/// Maximum number of bytes of a part that are streamed. The rest comes with the recorded answer.
const MOST_BYTES: usize = 32 * 1024;

/// Maximum length of the text of one piece, in bytes before JSON escapes.
const PIECE_BYTES: usize = 4 * 1024;

/// Maximum number of pieces of a part that are sent at once.
const MOST_PIECES: usize = 4;

/// An answer that a model is generating.
pub(super) struct GrowingAnswer {
    fence: StageFence,
    interaction_id: InteractionId,
    text: ShownText,
    masker: Arc<Masker>,
    has_grown: Box<dyn Fn() + Send + Sync>,
    state: Mutex<State>,
}

/// The part of an answer's text that is shown. Reasoning is always shown.
pub(super) enum ShownText {
    /// The whole text.
    All,
    /// No text, because the answer is data.
    Nothing,
    /// One member of the data.
    Draft(Draft),
}

/// A member of an answer, shown before the answer is checked.
#[derive(Clone)]
pub(crate) struct Draft {
    /// Name of the member.
    pub(crate) member: String,
    /// Masker that applies the redactions of the policies.
    pub(crate) policies: Arc<Masker>,
}

#[derive(Default)]
struct State {
    attempt: u32,
    thinking: Part,
    text: Part,
    /// Number of subscribers that had joined when the answer was last sent from its beginning.
    joined: u64,
}

#[derive(Default)]
struct Part {
    raw: String,
    /// Number of bytes of `raw` from which `shown` was computed.
    processed_bytes: usize,
    /// Text that may be shown.
    shown: String,
    /// Text that was sent.
    sent: String,
}

impl GrowingAnswer {
    pub(super) fn new(
        fence: StageFence,
        interaction_id: InteractionId,
        text: ShownText,
        masker: Arc<Masker>,
        has_grown: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            fence,
            interaction_id,
            text,
            masker,
            has_grown: Box::new(has_grown),
            state: Mutex::default(),
        }
    }

    pub(super) fn session_id(&self) -> SessionId {
        self.fence.session_id
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the payloads with text that was not sent yet. Sends everything again if `joined` has changed, because a
    /// new subscriber needs it all.
    pub(super) fn news(&self, joined: u64) -> Vec<String> {
        let mut state = self.state();
        if state.joined != joined {
            state.joined = joined;
            state.thinking.sent.clear();
            state.text.sent.clear();
        }
        let attempt = state.attempt;
        let mut payloads = Vec::new();
        let State { thinking, text, .. } = &mut *state;
        let is_draft = matches!(self.text, ShownText::Draft(_));
        let name = if is_draft {
            AnswerPart::Draft
        } else {
            AnswerPart::Text
        };
        for (name, part) in [(AnswerPart::Thinking, thinking), (name, text)] {
            part.update(|raw| self.shown(name, raw));
            for _ in 0..MOST_PIECES {
                let Some((offset, text)) = part.next_piece() else {
                    break;
                };
                payloads.extend(self.payload(attempt, name, offset, &text));
            }
        }
        payloads
    }

    /// Returns whether there is more to send at once.
    pub(super) fn has_more(&self) -> bool {
        let state = self.state();
        [&state.thinking, &state.text]
            .iter()
            .any(|part| part.sent != part.shown)
    }

    /// Returns the text of a part that may be shown.
    fn shown(&self, part: AnswerPart, raw: &str) -> String {
        match &self.text {
            ShownText::Draft(draft) => {
                let masked = match part {
                    AnswerPart::Draft => self.masker.mask_growing(&draft_of(raw, &draft.member)),
                    _ => self.masker.mask_growing(raw),
                };
                draft.policies.mask_growing(&masked)
            }
            _ => self.masker.mask_growing(raw),
        }
    }

    fn payload(&self, attempt: u32, part: AnswerPart, offset: u32, text: &str) -> Option<String> {
        let piece = AnswerPiece {
            session_id: self.fence.session_id,
            stage_execution_id: self.fence.execution_id,
            interaction_id: self.interaction_id,
            epoch: self.fence.claim.epoch,
            attempt,
            part,
            offset,
            text: text.to_owned(),
        };
        serde_json::to_string(&piece).ok()
    }
}

impl AnswerObserver for GrowingAnswer {
    fn attempt(&self) {
        let mut state = self.state();
        state.attempt += 1;
        state.thinking = Part::default();
        state.text = Part::default();
    }

    fn piece(&self, part: AnswerPart, text: &str) {
        if part != AnswerPart::Thinking && matches!(self.text, ShownText::Nothing) {
            return;
        }
        let mut state = self.state();
        let part = match part {
            AnswerPart::Thinking => &mut state.thinking,
            AnswerPart::Text | AnswerPart::Draft => &mut state.text,
        };
        if part.raw.len() + text.len() > MOST_BYTES {
            return;
        }
        part.raw.push_str(text);
        drop(state);
        (self.has_grown)();
    }
}

impl Part {
    /// Updates the shown text if more was received. `shown` computes it.
    fn update(&mut self, shown: impl Fn(&str) -> String) {
        if self.processed_bytes != self.raw.len() {
            self.processed_bytes = self.raw.len();
            self.shown = shown(&self.raw);
        }
    }

    /// Returns the next piece and its offset. The offset is before the end of the sent text if that has changed.
    fn next_piece(&mut self) -> Option<(u32, String)> {
        if self.sent == self.shown {
            return None;
        }
        let same = self.sent.bytes().zip(self.shown.bytes());
        let same = same.take_while(|(sent, shown)| sent == shown).count();
        let same = self.shown.floor_char_boundary(same);
        let (before, rest) = self.shown.split_at_checked(same)?;
        let piece = shortened(rest);
        let offset = before.encode_utf16().count();
        self.sent = format!("{before}{piece}");
        Some((u32::try_from(offset).ok()?, piece.to_owned()))
    }
}

/// Returns as much of the beginning as fits in a broadcast.
fn shortened(text: &str) -> &str {
    let mut end = text.floor_char_boundary(PIECE_BYTES);
    loop {
        let piece = text.get(..end).unwrap_or_default();
        let escaped = serde_json::to_string(piece).map_or(usize::MAX, |json| json.len());
        // The other members take less than 500 bytes.
        if escaped + 500 <= LONGEST_BROADCAST || end == 0 {
            return piece;
        }
        end = text.floor_char_boundary(end / 2);
    }
}
