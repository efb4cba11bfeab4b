//! What a worker does with a job, one transaction or one call at a time.

use tarsy_model::{SessionStatus, StageStatus};

use super::{Fleet, Hand, Point};
use crate::Violation;
use crate::agent::{SCRIPT, after, resume};
use crate::chain::{Decision, look};
use crate::crashes::LONE_CRASHES;
use crate::tables::{Answer, Call, Fence, Record, Subject};

impl Fleet {
    /// One move of one worker on one job: at most one transaction, or one call to the outside.
    pub(super) fn step(&mut self, worker: u8, hand: u8, heard: bool) {
        let now = *self.hand_mut(worker, hand);
        let next = match now.subject {
            Subject::Chain(session) => self.step_chain(now, session),
            Subject::Stage(place) => self.step_stage(worker, now, place),
        };
        // A worker that did not hear of its commit makes the same write again, if it is a
        // record's; any other job goes back to the queue, if it is still there.
        let records = matches!(now.at, Point::Running { .. } | Point::Answered { .. });
        let next = match next {
            Some(_) if !heard && records => Some(now.at),
            other => other.filter(|_| heard),
        };
        if !self.worker(worker).up {
            return;
        }
        match next {
            Some(at) => self.hand_mut(worker, hand).at = at,
            None => {
                self.worker_mut(worker).hands.remove(usize::from(hand));
                if !heard {
                    self.rows.give_back(now.fence);
                    self.durable = self.rows.clone();
                }
            }
        }
    }

    /// The end of a stage, whose worker goes on with the next one.
    pub(super) fn go_on(&mut self, worker: u8, hand: u8, heard: bool) {
        let now = self.worker_mut(worker).hands.remove(usize::from(hand));
        let (Subject::Stage(place), Point::Ending(status)) = (now.subject, now.at) else {
            return;
        };
        let held = self.rows.finish_stage(now.fence, place, status, true);
        if !heard {
            self.rows.give_back(now.fence);
        }
        self.durable = self.rows.clone();
        if let Some(claimed) = held.filter(|_| heard)
            && let Subject::Stage(next) = claimed.subject
            && let Some(at) = self.run(worker, next, &[])
        {
            self.worker_mut(worker).hands.push(Hand {
                fence: claimed.fence,
                subject: claimed.subject,
                isolated: claimed.isolated,
                condemned: claimed.condemned,
                at,
            });
        }
    }

    /// Where the worker is after it; nothing when it is done with the job.
    fn step_chain(&mut self, hand: Hand, session: u8) -> Option<Point> {
        let Point::Decided(decision) = hand.at else {
            let given_up = hand.condemned && self.rows.rules.crash_cap;
            return Some(Point::Decided(match given_up {
                true => Decision::Finish(SessionStatus::Failed),
                false => look(&self.rows, session),
            }));
        };
        if self.rows.complete(hand.fence) {
            match decision {
                Decision::Nothing => {}
                Decision::Start {
                    index,
                    attempt,
                    round,
                } => self.rows.insert_stage(session, index, attempt, round),
                Decision::Finish(status) => {
                    self.rows.session_mut(session).given_up |= hand.condemned;
                    self.rows.finish_session(session, status);
                }
            }
        } else {
            self.refused = self.refused.saturating_add(1);
        }
        self.durable = self.rows.clone();
        None
    }

    fn step_stage(&mut self, worker: u8, hand: Hand, place: u8) -> Option<Point> {
        let script = &SCRIPT[..self.calls];
        let (written, next) = match hand.at {
            Point::Claimed => return self.begin_stage(worker, hand, place),
            Point::Decided(_) => return None,
            Point::Running { sequence } => {
                let call = script[sequence];
                let written = call == Call::Effect && !self.rows.rules.intent
                    || self.rows.write_intent(hand.fence, place, sequence, call);
                (written, Point::Asking { sequence })
            }
            Point::Asking { sequence } => {
                let number = u8::try_from(sequence).unwrap_or(u8::MAX);
                let broken = self.world.call(place, number, script[sequence]);
                let known = self.knows(hand.fence, place, sequence);
                let again = known.then_some(Violation::BoughtAgain);
                // What went wrong first is told.
                self.seen = self.violation().or(broken).or(again);
                return Some(Point::Answered {
                    sequence,
                    unknown: false,
                });
            }
            Point::Answered { sequence, unknown } => {
                let answer = if unknown {
                    Answer::Unknown
                } else {
                    Answer::Known
                };
                if !self.rows.rules.intent {
                    self.rows
                        .write_intent(hand.fence, place, sequence, script[sequence]);
                }
                let written = self.rows.write_result(hand.fence, place, sequence, answer);
                (written, after(sequence, script))
            }
            Point::Ending(status) => {
                self.rows.finish_stage(hand.fence, place, status, false);
                self.durable = self.rows.clone();
                return None;
            }
        };
        self.durable = self.rows.clone();
        if !written {
            self.refused = self.refused.saturating_add(1);
        }
        written.then_some(next)
    }

    fn begin_stage(&mut self, worker: u8, hand: Hand, place: u8) -> Option<Point> {
        let Some(records) = self.rows.begin(hand.fence, place) else {
            self.rows.complete(hand.fence);
            self.durable = self.rows.clone();
            return None;
        };
        if hand.condemned && self.rows.rules.crash_cap {
            self.world.begin(place);
            if !self.is_poison(place) && self.world.strikes(place) < LONE_CRASHES {
                self.seen = self.seen.or(Some(Violation::Condemned));
            }
            return Some(Point::Ending(StageStatus::Failed));
        }
        self.run(worker, place, &records)
    }

    /// A worker runs a stage that has begun, with these records.
    fn run(&mut self, worker: u8, place: u8, records: &[Record]) -> Option<Point> {
        self.world.begin(place);
        if self.is_poison(place) {
            self.seen = self.seen.or(self.world.poison(place));
            self.crash(worker);
            return None;
        }
        let records = if self.rows.rules.resume { records } else { &[] };
        Some(resume(records, &SCRIPT[..self.calls]))
    }

    fn is_poison(&self, place: u8) -> bool {
        let stage = self.rows.stage(place);
        self.rows.session(stage.session).poison == Some(stage.index)
    }

    /// Whether whoever holds a stage now asks for what its record holds already: its own run has gone
    /// on since, and one before it had ended when it began. A run that was overtaken can't know.
    fn knows(&self, fence: Fence, place: u8, sequence: usize) -> bool {
        let stage = self.rows.stage(place);
        let record = stage.records.get(sequence);
        stage.seen == Some(fence) && record.is_some_and(|record| record.answer.is_some())
    }
}
