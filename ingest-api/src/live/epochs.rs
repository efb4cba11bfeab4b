//! Fence for pieces of answers: drops those of workers that have lost their claim.

use std::collections::HashMap;

use tarsy_model::{AnswerPiece, ExecutionId};

/// Maximum number of stage executions whose epoch is kept.
const REMEMBERED: usize = 10_000;

/// The newest epoch seen in pieces of each stage execution.
#[derive(Debug, Default)]
pub(super) struct Epochs(HashMap<ExecutionId, i64>);

impl Epochs {
    /// Returns whether a piece has the newest epoch of its stage execution. A worker that has lost
    /// its claim may not know that yet, so its pieces must be dropped.
    pub(super) fn admit(&mut self, piece: &AnswerPiece) -> bool {
        if self.0.len() >= REMEMBERED && !self.0.contains_key(&piece.stage_execution_id) {
            self.0.clear();
        }
        let newest = self
            .0
            .entry(piece.stage_execution_id)
            .or_insert(piece.epoch);
        *newest = (*newest).max(piece.epoch);
        *newest == piece.epoch
    }
}

#[cfg(test)]
mod tests {
    use tarsy_model::{AnswerPart, InteractionId, SessionId};

    use super::*;

    #[test]
    fn pieces_of_a_lost_claim_are_left_out() {
        let mut epochs = Epochs::default();
        let piece = |epoch| AnswerPiece {
            session_id: SessionId::generate(),
            stage_execution_id: "0198c1a0-0000-7000-8000-000000000001".parse().unwrap(),
            interaction_id: InteractionId::generate(),
            epoch,
            attempt: 1,
            part: AnswerPart::Text,
            offset: 0,
            text: String::new(),
        };
        let admitted = [1, 1, 3, 2, 1, 3].map(|epoch| epochs.admit(&piece(epoch)));
        assert_eq!(admitted, [true, true, true, false, false, true]);
    }
}
