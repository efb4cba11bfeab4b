//! Invariants that hold once all work is done.

use crate::tables::small;
use crate::{Fleet, Violation};

impl Fleet {
    /// Returns a violation in the rows after a drain, if there is one.
    #[must_use]
    pub fn check_end(&self) -> Option<Violation> {
        let rows = &self.rows;
        if rows
            .sessions
            .iter()
            .any(|session| !session.status.is_terminal())
        {
            return Some(Violation::NeverEnds);
        }
        let live = rows.stages.iter().any(|stage| !stage.status.is_terminal());
        let open = rows.waits.iter().any(|wait| wait.decision.is_none());
        if live || open || !rows.jobs.is_empty() {
            return Some(Violation::Orphan);
        }
        let twice = |stage: &crate::Stage| stage.ends > 1;
        if rows.stages.iter().any(twice) {
            return Some(Violation::EndsTwice);
        }
        let sessions = 0..small(rows.sessions.len());
        sessions
            .flat_map(|session| {
                let stages = 0..rows.session(session).shape.stages();
                stages.map(move |index| (session, index))
            })
            .find_map(|(session, index)| self.check_stage(session, index))
    }

    /// Checks that a stage of an ended session is based on the current attempts of the stages that it needs.
    fn check_stage(&self, session: u8, index: u8) -> Option<Violation> {
        let rows = &self.rows;
        let row = rows.session(session);
        let complete = row.status != tarsy_model::SessionStatus::Cancelled && !row.given_up;
        let current = rows.current(session, index);
        if current.is_empty() {
            return complete.then_some(Violation::Orphan);
        }
        let inputs = rows.inputs_of(session, index);
        let is_old = |place: &u8| {
            let stage = rows.stage(*place);
            let older = |input: &u8| rows.stage(*input).round > stage.round;
            // A stage that starts early gets the results that exist by then. It runs again if those stages ran again.
            let other = !row.shape.is_late() && stage.claim.is_some() && stage.inputs != inputs;
            other || inputs.iter().any(older)
        };
        (complete && current.iter().any(is_old)).then_some(Violation::OldInput)
    }
}
