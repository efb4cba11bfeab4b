//! What holds once all work is done.

use crate::transitions::small;
use crate::{Fleet, Violation};

impl Fleet {
    /// What is wrong with the rows after a drain.
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
        if live || !rows.jobs.is_empty() {
            return Some(Violation::Orphan);
        }
        let sessions = 0..small(rows.sessions.len());
        sessions
            .flat_map(|session| (0..rows.session(session).chain).map(move |index| (session, index)))
            .find_map(|(session, index)| {
                let row = rows.session(session);
                let complete = row.status != tarsy_model::SessionStatus::Cancelled && !row.given_up;
                let Some(place) = rows.current(session, index) else {
                    return complete.then_some(Violation::Orphan);
                };
                let stage = rows.stage(place);
                let wanted: Vec<u8> = (0..index)
                    .filter_map(|i| rows.current(session, i))
                    .collect();
                (complete && stage.claim.is_some() && stage.inputs != wanted)
                    .then_some(Violation::OldInput)
            })
    }
}
