//! Child sessions: dispatched by a call, awaited without a job, cancelled with their parent.

use tarsy_model::{SessionStatus, StageStatus, WaitDecision, WaitSort};

use crate::calls::Call;
use crate::tables::{Answer, Fence, Parent, Session, Subject, small};
use crate::{Tables, Violation};

/// Maximum number of children of a stage.
const MAX_CHILDREN: usize = 2;
/// Maximum depth of child sessions below the session of the alert.
const MAX_DEPTH: usize = 2;
/// Number of model answers that a session and its children may pay for.
const LIMIT: usize = 2;

impl Tables {
    /// Dispatches a child by a call, or finds the child that the call dispatched before. Returns false if the claim was
    /// lost.
    pub(crate) fn dispatch(&mut self, fence: Fence, parent: Parent) -> bool {
        let session = self.stage(parent.stage).session;
        let has_ended = self.session(session).status.is_terminal();
        if !self.holds(fence) || has_ended && self.rules.dispatch_in_live {
            return false;
        }
        let is_known = self.sessions.iter().any(|s| s.parent == Some(parent));
        if is_known && self.rules.one_child_a_call {
            return true;
        }
        let is_beyond =
            self.depth(session) >= MAX_DEPTH || self.children(parent.stage).len() >= MAX_CHILDREN;
        if is_beyond && self.rules.bounded_children {
            // The answer of the call is the reason.
            return true;
        }
        if is_beyond {
            self.break_rule(Violation::Unbounded);
            return true;
        }
        if is_known {
            self.break_rule(Violation::DispatchedTwice);
        }
        if has_ended {
            self.break_rule(Violation::Stray);
        }
        let index = self.stage(parent.stage).index;
        let shape = self.session(session).shape.child(index, parent.sequence);
        self.sessions.push(Session {
            status: SessionStatus::Pending,
            shape,
            poison: None,
            parent: Some(parent),
            has_ended: false,
            ends: 0,
            given_up: false,
        });
        self.enqueue(Subject::Chain(small(self.sessions.len() - 1)), 0);
        true
    }

    /// Cancels the first child of a stage by a call. Returns false if the claim was lost.
    pub(crate) fn cancel_child(&mut self, fence: Fence, place: u8) -> bool {
        let held = self.holds(fence);
        let first = self.children(place).first().copied();
        if let Some(child) = first.filter(|child| held && self.is_live(*child)) {
            self.cancel(child);
        }
        held
    }

    /// Cancels the live children of a session, and their children.
    pub(crate) fn cancel_children(&mut self, session: u8) {
        let of_session = |child: &u8| {
            let parent = self.session(*child).parent;
            parent.is_some_and(|parent| self.stage(parent.stage).session == session)
        };
        let all = 0..small(self.sessions.len());
        let live: Vec<u8> = all
            .filter(of_session)
            .filter(|c| self.is_live(*c))
            .collect();
        for child in live {
            match self.rules.cancel_children {
                true => self.cancel(child),
                false => self.break_rule(Violation::Stray),
            }
        }
    }

    /// Whether a stage has children that have not ended.
    pub(crate) fn has_live_children(&self, place: u8) -> bool {
        self.children(place)
            .iter()
            .any(|child| self.is_live(*child))
    }

    /// Makes a stage wait for its children, and ends its job. Returns false if the claim was lost.
    pub(crate) fn wait_for_children(&mut self, fence: Fence, place: u8, sequence: usize) -> bool {
        let held = match self.rules.wait_ends_job {
            true => self.complete(fence),
            false => self.holds(fence),
        };
        let session = self.stage(place).session;
        let is_live = self.is_live(session);
        let Some(stage) = self.held_stage(fence, place).filter(|_| held && is_live) else {
            return false;
        };
        stage.status = StageStatus::Waiting;
        self.open(place, WaitSort::Children, sequence);
        if self.rules.check_after_wait {
            self.enqueue(Subject::Children(session), 0);
        }
        if self
            .jobs
            .iter()
            .any(|job| job.subject == Subject::Stage(place))
        {
            self.break_rule(Violation::HoldsSlot);
        }
        true
    }

    /// Returns the open waits of a session whose children have ended.
    pub(crate) fn freed(&self, session: u8) -> Vec<u8> {
        let waits = (0..=u8::MAX).zip(&self.waits);
        let is_freed = |place: u8| match self.rules.all_children_end {
            true => !self.has_live_children(place),
            false => self
                .children(place)
                .iter()
                .any(|child| !self.is_live(*child)),
        };
        waits
            .filter(|(_, wait)| wait.sort == WaitSort::Children && wait.decision.is_none())
            .filter(|(_, wait)| self.stage(wait.stage).session == session && is_freed(wait.stage))
            .map(|(wait, _)| wait)
            .collect()
    }

    /// Lets a stage continue whose children were seen as ended.
    pub(crate) fn free(&mut self, wait: u8) {
        let row = self.wait(wait);
        let (place, is_open) = (row.stage, row.decision.is_none());
        // A child that was replayed since has ended at least once.
        let is_early = |child: &u8| !self.session(*child).has_ended;
        if is_open && self.children(place).iter().any(is_early) {
            self.break_rule(Violation::FreedEarly);
        }
        self.decide_wait(wait, Some(WaitDecision::ChildrenEnded));
    }

    /// Whether a child may not run, because the spending limit is reached.
    pub(crate) fn is_broke(&mut self, place: u8) -> bool {
        let session = self.stage(place).session;
        if self.session(session).parent.is_none() {
            return false;
        }
        let (own, all) = (self.spent(|of| of == session), {
            let top = self.top(session);
            self.spent(|of| self.top(of) == top)
        });
        let is_refused = LIMIT <= if self.rules.spend_at_top { all } else { own };
        if all >= LIMIT && !is_refused {
            self.break_rule(Violation::Overspent);
        }
        is_refused
    }

    fn spent(&self, counts: impl Fn(u8) -> bool) -> usize {
        let stages = self.stages.iter().filter(|stage| counts(stage.session));
        let records = stages.flat_map(|stage| &stage.records);
        records
            .filter(|record| record.call == Call::Model && record.answer == Some(Answer::Known))
            .count()
    }

    fn is_live(&self, session: u8) -> bool {
        !self.session(session).status.is_terminal()
    }

    fn children(&self, place: u8) -> Vec<u8> {
        let sessions = (0..=u8::MAX).zip(&self.sessions);
        sessions
            .filter(|(_, session)| session.parent.is_some_and(|parent| parent.stage == place))
            .map(|(child, _)| child)
            .collect()
    }

    /// Returns the session at the top of its line of parents, and its depth below that session.
    fn line(&self, session: u8) -> (u8, usize) {
        let (mut top, mut depth) = (session, 0);
        while let Some(parent) = self.session(top).parent {
            (top, depth) = (self.stage(parent.stage).session, depth + 1);
        }
        (top, depth)
    }

    fn top(&self, session: u8) -> u8 {
        self.line(session).0
    }

    fn depth(&self, session: u8) -> usize {
        self.line(session).1
    }
}
