//! Steps of a worker with a job, one transaction or one call at a time.

use tarsy_model::{SessionStatus, StageStatus, WaitDecision};

use super::{Fleet, Hand, Point, Role};
use crate::Violation;
use crate::agent::{after, resume};
use crate::calls::Call;
use crate::chain::{Decision, decision_for};
use crate::crashes::LONE_CRASHES;
use crate::enabled::SLOTS;
use crate::tables::{Answer, Fence, Parent, Record, Subject};

impl Fleet {
    /// Makes one step of one worker on one job: at most one transaction, or one call to the outside.
    pub(super) fn step(&mut self, worker: u8, hand: u8, acknowledged: bool) {
        let now = self.hand_mut(worker, hand).clone();
        let next = match now.subject {
            Subject::Chain(_) if self.leaves_to_chain_worker(worker, &now.at) => {
                self.rows.give_back(now.fence);
                self.durable = self.rows.clone();
                None
            }
            Subject::Chain(session) => self.step_chain(&now, session),
            Subject::Stage(place) => self.step_stage(worker, &now, place),
            Subject::Wait(wait) => self.step_wait(&now, wait),
            Subject::Children(session) => self.step_children(&now, session),
        };
        // A worker whose commit got no reply repeats the write if it writes a record. Any other job goes back to the
        // queue, if it still exists.
        let records = matches!(now.at, Point::Running { .. } | Point::Answered { .. });
        let next = match next {
            Some(_) if !acknowledged && records => Some(now.at.clone()),
            other => other.filter(|_| acknowledged),
        };
        if !self.worker(worker).up {
            return;
        }
        match next {
            Some(at) => {
                let verdict = match now.subject {
                    Subject::Stage(place) if now.at == Point::Claimed => self.rows.decision(place),
                    _ => now.verdict,
                };
                let hand = self.hand_mut(worker, hand);
                (hand.at, hand.verdict) = (at, verdict);
            }
            None => {
                self.worker_mut(worker).hands.remove(usize::from(hand));
                match acknowledged {
                    // Jobs that it did not end are given back.
                    true => self.rows.release(now.fence),
                    false => self.rows.give_back(now.fence),
                }
                self.durable = self.rows.clone();
            }
        }
    }

    /// Ends a stage whose worker continues with the next stage or decides which one that is. Or starts stages that the
    /// worker found due and holds.
    pub(super) fn go_on(&mut self, worker: u8, hand: u8, acknowledged: bool) {
        let now = self.worker_mut(worker).hands.remove(usize::from(hand));
        let held = match (now.subject, &now.at) {
            (Subject::Stage(place), Point::Ending(status)) => {
                let next = self.rows.finish_stage(now.fence, place, *status, true);
                next.into_iter().collect()
            }
            (Subject::Chain(session), Point::Decided(Decision::Start(due))) => {
                let slots = SLOTS.saturating_sub(self.worker(worker).hands.len());
                match self.rows.complete(now.fence) {
                    true => self.rows.start_held(session, due, now.fence.owner, slots),
                    false => {
                        self.refused = self.refused.saturating_add(1);
                        Vec::new()
                    }
                }
            }
            _ => return,
        };
        if !acknowledged {
            self.rows.give_back(now.fence);
        }
        self.durable = self.rows.clone();
        for claimed in held.into_iter().filter(|_| acknowledged) {
            let at = match (now.subject, claimed.subject) {
                // The next stage has already begun.
                (Subject::Stage(_), Subject::Stage(next)) => self.run(worker, next, &[]),
                _ => Some(Point::Claimed),
            };
            let Some(at) = at else { return };
            self.worker_mut(worker).hands.push(Hand {
                fence: claimed.fence,
                subject: claimed.subject,
                isolated: claimed.isolated,
                condemned: claimed.condemned,
                verdict: None,
                at,
            });
        }
    }

    /// Returns the worker's progress after the step; `None` if it is done with the job.
    fn step_chain(&mut self, hand: &Hand, session: u8) -> Option<Point> {
        let gives_up = hand.condemned && self.rows.rules.crash_cap;
        let Point::Decided(decision) = &hand.at else {
            return Some(Point::Decided(match gives_up {
                true => Decision::Finish(SessionStatus::Failed),
                false => decision_for(&self.rows, session),
            }));
        };
        // These decisions keep the claim, under which the session is decided again.
        let continues = matches!(decision, Decision::Settle(_) | Decision::Wait(_));
        let held = match continues {
            true => self.rows.holds(hand.fence),
            false => self.rows.complete(hand.fence),
        };
        if held {
            self.write(session, decision, gives_up);
        } else {
            self.refused = self.refused.saturating_add(1);
        }
        self.durable = self.rows.clone();
        (held && continues).then_some(Point::Claimed)
    }

    /// Whether a stage worker leaves a decision to the chain worker. It decides only which stages start.
    fn leaves_to_chain_worker(&self, worker: u8, at: &Point) -> bool {
        let other =
            |decision: &Decision| !matches!(decision, Decision::Start(_) | Decision::Nothing);
        self.worker(worker).role == Role::Stage
            && matches!(at, Point::Decided(decision) if other(decision))
    }

    fn write(&mut self, session: u8, decision: &Decision, gives_up: bool) {
        match decision {
            Decision::Nothing => {}
            Decision::Settle(settled) => self.rows.settle_stages(session, settled),
            Decision::Wait(due) => self.rows.open_gates(session, due),
            Decision::Start(due) => self.rows.start_stages(session, due),
            Decision::Finish(_) if gives_up => self.rows.give_up(session),
            Decision::Finish(status) => self.rows.finish_session(session, *status),
        }
    }

    fn step_wait(&mut self, hand: &Hand, wait: u8) -> Option<Point> {
        let next = match hand.at {
            Point::Expiring => {
                self.rows.decide_wait(wait, None);
                Some(Point::Claimed)
            }
            _ if self.rows.is_open(wait) => Some(Point::Expiring),
            _ => {
                self.rows.complete(hand.fence);
                None
            }
        };
        self.durable = self.rows.clone();
        next
    }

    /// Continues stages whose children have ended: reads them first, then decides one by one.
    fn step_children(&mut self, hand: &Hand, session: u8) -> Option<Point> {
        let next = match &hand.at {
            Point::Freeing(waits) => {
                waits.iter().for_each(|wait| self.rows.free(*wait));
                None
            }
            _ => Some(self.rows.freed(session)).filter(|waits| !waits.is_empty()),
        };
        if next.is_none() {
            self.rows.complete(hand.fence);
        }
        self.durable = self.rows.clone();
        next.map(Point::Freeing)
    }

    fn script(&self, place: u8) -> &'static [Call] {
        let stage = self.rows.stage(place);
        let shape = self.rows.session(stage.session).shape;
        shape.script(stage.index, self.calls)
    }

    /// Makes a call about child sessions; `None`: the claim was lost, or the stage waits.
    fn call_children(
        &mut self,
        hand: &Hand,
        place: u8,
        sequence: usize,
        call: Call,
    ) -> Option<Point> {
        let stage = place;
        let held = match call {
            Call::Dispatch => self.rows.dispatch(hand.fence, Parent { stage, sequence }),
            Call::Cancel => self.rows.cancel_child(hand.fence, place),
            _ if self.rows.has_live_children(place) => return Some(Point::Parking { sequence }),
            _ => true,
        };
        self.durable = self.rows.clone();
        if !held {
            self.refused = self.refused.saturating_add(1);
        }
        held.then_some(Point::Answered {
            sequence,
            unknown: false,
        })
    }

    fn step_stage(&mut self, worker: u8, hand: &Hand, place: u8) -> Option<Point> {
        let script = self.script(place);
        let (written, next) = match hand.at {
            Point::Claimed => return self.begin_stage(worker, hand, place),
            Point::Decided(_) | Point::Expiring | Point::Freeing(_) => return None,
            Point::Parking { sequence } => {
                if !self.rows.wait_for_children(hand.fence, place, sequence) {
                    self.refused = self.refused.saturating_add(1);
                }
                self.durable = self.rows.clone();
                return None;
            }
            Point::Running { sequence } if self.needs_approval(place, script[sequence]) => {
                return self.request_approval(hand, place, sequence);
            }
            Point::Running { sequence } => {
                let call = script[sequence];
                let written = call == Call::Effect && !self.rows.rules.intent
                    || self.rows.write_intent(hand.fence, place, sequence, call);
                (written, Point::Calling { sequence })
            }
            Point::Calling { sequence }
                if matches!(
                    script[sequence],
                    Call::Dispatch | Call::Cancel | Call::Await
                ) =>
            {
                return self.call_children(hand, place, sequence, script[sequence]);
            }
            Point::Calling { sequence } => {
                let number = u8::try_from(sequence).unwrap_or(u8::MAX);
                let broken = self.world.call(place, number, script[sequence]);
                let is_gated = self.needs_approval(place, script[sequence]);
                let approved = self.rows.decision(place) == Some(WaitDecision::Approved);
                let broken = broken.or((is_gated && !approved).then_some(Violation::Unapproved));
                let known = self.knows(hand.fence, place, sequence);
                let again = known.then_some(Violation::BoughtAgain);
                // Report the first violation.
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
            Point::Ending(status) if !self.rows.rules.fan_in_by_job => {
                return Some(Point::Seen(status, self.foresee(place, status)));
            }
            Point::Ending(status) => {
                self.rows.finish_stage(hand.fence, place, status, false);
                self.durable = self.rows.clone();
                return None;
            }
            Point::Seen(status, ref decision) => {
                let session = self.rows.stage(place).session;
                self.rows.finish_stage(hand.fence, place, status, false);
                self.rows
                    .jobs
                    .retain(|job| job.subject != Subject::Chain(session));
                self.write(session, decision, false);
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

    fn needs_approval(&self, place: u8, call: Call) -> bool {
        let stage = self.rows.stage(place);
        call == Call::Effect
            && self
                .rows
                .session(stage.session)
                .shape
                .needs_approval(stage.index)
    }

    /// Handles a call that needs an approval: requests the approval, makes the call, or refuses it.
    fn request_approval(&mut self, hand: &Hand, place: u8, sequence: usize) -> Option<Point> {
        let fence = hand.fence;
        let written = match hand.verdict {
            None => {
                if !self.rows.open_tool_call(fence, place, sequence) {
                    self.refused = self.refused.saturating_add(1);
                }
                self.durable = self.rows.clone();
                return None;
            }
            Some(_) => self.rows.write_intent(fence, place, sequence, Call::Effect),
        };
        self.durable = self.rows.clone();
        let heeds = self.rows.rules.heed_denial;
        match hand.verdict {
            _ if !written => {
                self.refused = self.refused.saturating_add(1);
                None
            }
            Some(verdict) if verdict != WaitDecision::Approved && heeds => Some(Point::Answered {
                sequence,
                unknown: true,
            }),
            _ => Some(Point::Calling { sequence }),
        }
    }

    /// Returns the decision of a statement that ends a stage. The statement sees its own end, and the committed ends of
    /// other stages.
    fn foresee(&self, place: u8, status: StageStatus) -> Decision {
        let mut rows = self.rows.clone();
        rows.stage_mut(place).status = status;
        decision_for(&rows, rows.stage(place).session)
    }

    fn begin_stage(&mut self, worker: u8, hand: &Hand, place: u8) -> Option<Point> {
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

    /// Runs a stage that has begun, with these records.
    fn run(&mut self, worker: u8, place: u8, records: &[Record]) -> Option<Point> {
        self.world.begin(place);
        if self.is_poison(place) {
            self.seen = self.seen.or(self.world.poison(place));
            self.crash(worker);
            return None;
        }
        if self.rows.is_broke(place) {
            return Some(Point::Ending(StageStatus::Failed));
        }
        let records = if self.rows.rules.resume { records } else { &[] };
        Some(resume(records, self.script(place)))
    }

    fn is_poison(&self, place: u8) -> bool {
        let stage = self.rows.stage(place);
        self.rows.session(stage.session).poison == Some(stage.index)
    }

    /// Whether the holder of a stage requests a result that its record already holds. Its own run has recorded it
    /// since, or an earlier run had recorded it when this run began. A run that was overtaken can't know.
    fn knows(&self, fence: Fence, place: u8, sequence: usize) -> bool {
        let stage = self.rows.stage(place);
        let record = stage.records.get(sequence);
        stage.seen == Some(fence) && record.is_some_and(|record| record.answer.is_some())
    }
}
