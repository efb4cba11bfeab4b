//! Waits: opened by a stage or the chain worker, decided once.

use tarsy_model::{StageStatus, WaitDecision, WaitSort};

use crate::chain::Due;
use crate::tables::{Fence, Subject, Wait, small};
use crate::{Tables, Violation};

impl Tables {
    /// Inserts rows and waits of stages that wait, with the jobs that end the waits.
    pub(crate) fn open_gates(&mut self, session: u8, due: &[Due]) {
        for due in due {
            let Some(sort) = self.session(session).shape.gate(due.index) else {
                continue;
            };
            if let Some(place) = self.insert_stage(session, *due, StageStatus::Waiting) {
                self.open(place, sort, 0);
            }
        }
    }

    /// Makes a stage wait for the approval of a call, and ends its job. Returns false if the claim was lost.
    pub(crate) fn open_tool_call(&mut self, fence: Fence, place: u8, sequence: usize) -> bool {
        if !self.complete(fence) {
            return false;
        }
        let is_live = !self.session(self.stage(place).session).status.is_terminal();
        let Some(stage) = self.held_stage(fence, place).filter(|_| is_live) else {
            return false;
        };
        stage.status = StageStatus::Waiting;
        self.open(place, WaitSort::ToolCall, sequence);
        true
    }

    pub(crate) fn open(&mut self, stage: u8, sort: WaitSort, sequence: usize) {
        self.waits.push(Wait {
            stage,
            sort,
            sequence,
            is_over: false,
            decision: None,
            decisions: 0,
        });
        self.enqueue(Subject::Wait(small(self.waits.len() - 1)), 0);
    }

    /// Returns the undecided wait of an attempt.
    pub(crate) fn open_wait(&self, place: u8) -> Option<u8> {
        let open = |wait: &Wait| wait.stage == place && wait.decision.is_none();
        self.waits.iter().position(open).map(small)
    }

    /// Whether a wait can still be decided, as its job sees it.
    pub(crate) fn is_open(&self, wait: u8) -> bool {
        let row = self.wait(wait);
        let session = self.stage(row.stage).session;
        row.decision.is_none() && !self.session(session).status.is_terminal()
    }

    /// Decides a wait, and ends its stage or adds the stage's next job. `None`: the time is up.
    pub(crate) fn decide_wait(&mut self, wait: u8, verdict: Option<WaitDecision>) {
        let row = self.wait(wait);
        let (place, sort) = (row.stage, row.sort);
        let is_decided = row.decision.is_some() && self.rules.decided_once;
        let session = self.stage(place).session;
        // A decision that comes too late finds the wait expired.
        let decision = match (row.is_over, sort) {
            (true, WaitSort::Timer) => Some(WaitDecision::Elapsed),
            (true, _) => Some(WaitDecision::Expired),
            (false, _) => verdict,
        };
        let Some(decision) = decision else { return };
        if is_decided || self.session(session).status.is_terminal() {
            return;
        }
        let row = &mut self.waits[usize::from(wait)];
        row.decision = Some(decision);
        row.decisions = row.decisions.saturating_add(1);
        if row.decisions > 1 {
            self.break_rule(Violation::DecidedTwice);
        }
        let stage = self.stage_mut(place);
        if stage.status != StageStatus::Waiting {
            return;
        }
        let seen = stage.claim.map_or(0, |claim| claim.epoch);
        stage.status = match (sort, decision) {
            (WaitSort::ToolCall | WaitSort::Children, _) => StageStatus::Pending,
            (WaitSort::Signal, WaitDecision::Expired) => StageStatus::Failed,
            _ => StageStatus::Completed,
        };
        stage.ends += u8::from(stage.status.is_terminal());
        self.jobs
            .retain(|job| job.subject != Subject::Wait(wait) || job.owner.is_some());
        match sort {
            WaitSort::ToolCall | WaitSort::Children => self.enqueue(Subject::Stage(place), seen),
            _ => self.enqueue(Subject::Chain(session), 0),
        }
    }
}
