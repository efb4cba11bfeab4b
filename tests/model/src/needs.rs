//! Checks what must have settled before a stage begins. It computes this from the rows again, independently of the
//! rule's code.

use tarsy_chain::{Join, Success};
use tarsy_model::StageStatus;

use crate::Tables;

impl Tables {
    /// Whether all stages that a stage needs had settled, in the newest round of each.
    pub(crate) fn needs_have_settled(&self, place: u8) -> bool {
        let stage = self.stage(place);
        let shape = self.session(stage.session).shape;
        let needs = shape.needs(stage.index);
        let settled = |need: &&u8| self.has_settled(stage.session, **need);
        match shape.stage(stage.index).join {
            Join::All => needs.iter().all(|need| settled(&need)),
            Join::Any => needs.is_empty() || needs.iter().any(|need| settled(&need)),
        }
    }

    fn has_settled(&self, session: u8, index: u8) -> bool {
        let rows = self.current(session, index);
        let branches = &self.session(session).shape.stage(index).branches;
        let has_ended = |place: &u8| self.stage(*place).status.is_terminal();
        let completed = |place: &u8| self.stage(*place).status == StageStatus::Completed;
        let any = branches.as_ref().is_some_and(|b| b.success == Success::Any);
        let ended = rows.iter().all(has_ended) || any && rows.iter().any(completed);
        !rows.is_empty() && ended && self.is_fresh(session, index)
    }

    /// Whether no stage that it needs has run again since.
    fn is_fresh(&self, session: u8, index: u8) -> bool {
        let shape = self.session(session).shape;
        let rounds = |index: u8| {
            let rows = self.current(session, index).into_iter();
            rows.map(|place| self.stage(place).round)
        };
        let Some(round) = rounds(index).min() else {
            return false;
        };
        shape.is_late()
            || shape
                .ancestors(index)
                .iter()
                .all(|of| rounds(*of).all(|r| r <= round))
    }

    /// Returns the current attempts of all stages that a stage needs, directly or through others.
    pub(crate) fn inputs_of(&self, session: u8, index: u8) -> Vec<u8> {
        let ancestors = self.session(session).shape.ancestors(index).iter();
        ancestors
            .flat_map(|of| self.current(session, *of))
            .collect()
    }
}
