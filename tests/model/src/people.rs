//! Actions of people and repairs: cancel, replay, restore deleted jobs.

use tarsy_chain::outdated_ancestor;
use tarsy_model::{SessionStatus, StageStatus, WaitDecision};

use crate::chain::Due;
use crate::tables::{Subject, small};
use crate::{Rules, Tables};

impl Tables {
    /// Cancels the session, its live stages and open waits, and its children. Deletes their jobs.
    pub(crate) fn cancel(&mut self, session: u8) {
        self.cut(session, StageStatus::Cancelled);
        self.finish_session(session, SessionStatus::Cancelled);
        self.cancel_children(session);
    }

    /// Ends a session that is given up, even if stages are running.
    pub(crate) fn give_up(&mut self, session: u8) {
        if self.session(session).status.is_terminal() {
            return;
        }
        self.session_mut(session).given_up = true;
        if self.rules.cut_on_give_up {
            self.cut(session, StageStatus::Cancelled);
        }
        self.finish_session(session, SessionStatus::Failed);
        self.cancel_children(session);
    }

    fn cut(&mut self, session: u8, status: StageStatus) {
        for wait in 0..small(self.waits.len()) {
            let of_session = self.stage(self.wait(wait).stage).session == session;
            let wait = &mut self.waits[usize::from(wait)];
            if of_session && wait.decision.is_none() {
                wait.decision = Some(WaitDecision::Cancelled);
                wait.decisions += 1;
            }
        }
        for stage in self
            .stages
            .iter_mut()
            .filter(|s| s.session == session && !s.status.is_terminal())
        {
            stage.status = status;
            stage.ends += 1;
        }
        // Jobs that a worker holds stay. The worker finds that its writes are refused.
        self.drop_jobs(session, |_, held| !held);
    }

    fn drop_jobs(&mut self, session: u8, drops: impl Fn(Subject, bool) -> bool) {
        let gone: Vec<u16> = self
            .jobs
            .iter()
            .filter(|job| self.session_of(job.subject) == session)
            .filter(|job| drops(job.subject, job.owner.is_some()))
            .map(|job| job.id)
            .collect();
        self.jobs.retain(|job| !gone.contains(&job.id));
    }

    /// Whether a stage can be replayed: it has run, and everything that would be replayed has ended.
    pub(crate) fn can_replay(&self, session: u8, index: u8, branch: Option<u8>) -> bool {
        let chosen = self.chosen(session, index, branch);
        let has_ended = |place: &u8| {
            let status = self.stage(*place).status;
            matches!(status, StageStatus::Completed | StageStatus::Failed)
        };
        self.session(session).status.is_terminal()
            && self.session(session).shape.gate(index).is_none()
            && !chosen.is_empty()
            && chosen.iter().all(has_ended)
            && !(self.rules.refuse_outdated && self.rests_on_outdated(session, index))
    }

    fn rests_on_outdated(&self, session: u8, index: u8) -> bool {
        let shape = self.session(session).shape;
        let rounds = (0..shape.stages()).flat_map(|of| {
            let rows = self.current(session, of).into_iter();
            rows.map(move |place| (usize::from(of), i32::from(self.stage(place).round)))
        });
        let rounds: Vec<(usize, i32)> = rounds.collect();
        outdated_ancestor(&shape.chain().stages, usize::from(index), &rounds).is_some()
    }

    fn chosen(&self, session: u8, index: u8, branch: Option<u8>) -> Vec<u8> {
        let mut current = self.current(session, index);
        current.retain(|place| branch.is_none_or(|branch| self.stage(*place).branch == branch));
        current
    }

    /// Adds new attempts of one stage, or of one of its branches, in a new round. Chain jobs that were decided before
    /// are invalid now, because they would write about outdated rows.
    pub(crate) fn replay(&mut self, session: u8, index: u8, branch: Option<u8>) {
        if !self.can_replay(session, index, branch) {
            return;
        }
        if self.rules.revoke_on_replay {
            let revoked = |subject| matches!(subject, Subject::Chain(_) | Subject::Children(_));
            self.drop_jobs(session, |subject, _| revoked(subject));
        }
        let of_stage = self.rows_of(session).filter(|(_, s)| s.index == index);
        let attempt = of_stage.map(|(_, s)| s.attempt).max().unwrap_or(0);
        let rounds = self.rows_of(session).map(|(_, s)| s.round);
        let round = rounds.max().unwrap_or(0) + 1;
        let chosen = self.chosen(session, index, branch);
        let due: Vec<Due> = (attempt + 1..)
            .zip(chosen)
            .map(|(attempt, place)| {
                let old = self.stage(place);
                Due {
                    index,
                    branch: old.branch,
                    branches: old.branches,
                    attempt,
                    round,
                }
            })
            .collect();
        let row = self.session_mut(session);
        row.status = SessionStatus::InProgress;
        (row.ends, row.given_up) = (0, false);
        self.start_stages(session, &due);
    }

    /// Gives live sessions without a job their missing job; `now` is above every epoch so far.
    pub(crate) fn repair(&mut self, now: u32) {
        for session in 0..small(self.sessions.len()) {
            let has_job = |subject: Subject| self.jobs.iter().any(|job| job.subject == subject);
            if self.session(session).status.is_terminal() || has_job(Subject::Chain(session)) {
                continue;
            }
            let live = self
                .rows_of(session)
                .filter(|(_, stage)| !stage.status.is_terminal());
            let work: Vec<Subject> = live
                .map(|(place, _)| match self.open_wait(place) {
                    Some(wait) => Subject::Wait(wait),
                    None => Subject::Stage(place),
                })
                .collect();
            let missing = match work.iter().find(|work| !has_job(**work)) {
                Some(subject) => *subject,
                None if work.is_empty() => Subject::Chain(session),
                None => continue,
            };
            let epoch = match missing {
                Subject::Stage(place) => {
                    let seen = self.stage(place).claim.map_or(0, |claim| claim.epoch);
                    match self.rules {
                        Rules {
                            lasting_epochs: false,
                            ..
                        } => 0,
                        Rules {
                            fresh_epochs: false,
                            ..
                        } => seen,
                        _ => seen.max(now),
                    }
                }
                _ => 0,
            };
            self.enqueue(missing, epoch);
        }
    }
}
