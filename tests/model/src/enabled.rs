//! Actions that a state allows.

use tarsy_model::{SessionStatus, WaitDecision, WaitSort};

use crate::Action;
use crate::chain::Decision;
use crate::fleet::{Fleet, Hand, Point, Role, Worker};
use crate::tables::{Job, JobState, Subject, small};

/// Maximum number of concurrent jobs of a worker.
pub(crate) const SLOTS: usize = 2;

impl Fleet {
    /// Adds the actions of workers without any failure.
    pub fn work(&self, into: &mut Vec<Action>) {
        for (worker, process) in self.workers.iter().enumerate() {
            if !process.up || process.frozen {
                continue;
            }
            let worker = small(worker);
            for (hand, held) in process.hands.iter().enumerate() {
                let hand = small(hand);
                into.push(Action::Move { worker, hand });
                if process.may_go_on(held) {
                    into.push(Action::GoOn { worker, hand });
                }
            }
            let alone = process.hands.iter().any(|held| held.isolated);
            if process.hands.len() < SLOTS && !alone {
                let fits = |subject: Subject| {
                    !matches!(subject, Subject::Stage(_)) == (process.role == Role::Chain)
                };
                let runs_alone = |job: &Job| self.rows.rules.isolation && job.crashes.isolates();
                let ready = self.rows.jobs.iter().filter(|j| {
                    j.state == JobState::Ready
                        && fits(j.subject)
                        && (process.hands.is_empty() || !runs_alone(j))
                        && !self.is_hourly_check(j)
                });
                into.extend(ready.map(|job| Action::Claim {
                    worker,
                    job: job.id,
                }));
            }
        }
    }

    /// Adds decisions of waits, by people or by signals.
    pub fn answers(&self, into: &mut Vec<Action>) {
        let waits = (0..=u8::MAX).zip(&self.rows.waits);
        for (wait, row) in waits.filter(|(_, row)| row.decision.is_none()) {
            into.extend(verdicts(row.sort).iter().map(|verdict| Action::Decide {
                wait,
                verdict: *verdict,
            }));
        }
    }

    /// Adds failures of processes, connections and leases.
    pub fn trouble(&self, into: &mut Vec<Action>) {
        for (worker, process) in self.workers.iter().enumerate() {
            let worker = small(worker);
            if !process.up {
                into.push(Action::Restart { worker });
                continue;
            }
            into.push(Action::Crash { worker });
            if process.frozen {
                into.push(Action::Thaw { worker });
                continue;
            }
            into.push(Action::Freeze { worker });
            into.push(Action::ReleaseStrays { worker });
            for (hand, held) in process.hands.iter().enumerate() {
                let hand = small(hand);
                into.push(Action::Release { worker, hand });
                if held.at != Point::Claimed {
                    into.push(Action::MoveUnacknowledged { worker, hand });
                }
                if process.may_go_on(held) {
                    into.push(Action::GoOnUnacknowledged { worker, hand });
                }
                if matches!(held.at, Point::Running { .. }) {
                    into.push(Action::Fail { worker, hand });
                }
            }
        }
        self.expiries(into);
        self.hours(into);
        into.push(Action::Sweep);
        into.push(Action::PowerLoss);
    }

    /// Adds the hourly check of chain workers for stages that wait for children.
    pub fn hours(&self, into: &mut Vec<Action>) {
        let chain = |process: &Worker| process.role == Role::Chain && process.up && !process.frozen;
        let checks = self.rows.jobs.iter();
        let checks = checks.filter(|job| job.state == JobState::Ready && self.is_hourly_check(job));
        for job in checks.map(|job| job.id) {
            let worker = self
                .workers
                .iter()
                .position(|w| chain(w) && w.hands.is_empty());
            into.extend(worker.map(|worker| Action::Claim {
                worker: small(worker),
                job,
            }));
        }
    }

    fn is_hourly_check(&self, job: &Job) -> bool {
        let children = |wait| self.rows.wait(wait).sort == WaitSort::Children;
        matches!(job.subject, Subject::Wait(wait) if children(wait))
    }

    /// Adds leases that may expire.
    pub fn expiries(&self, into: &mut Vec<Action>) {
        let running = self
            .rows
            .jobs
            .iter()
            .filter(|job| job.state == JobState::Running);
        into.extend(running.map(|job| Action::Expire { job: job.id }));
    }

    /// Adds stages that may have waited too long for a worker. Not part of [`Fleet::trouble`], which random histories
    /// use.
    pub fn unscheduled(&self, into: &mut Vec<Action>) {
        let waiting =
            self.rows.jobs.iter().filter(|job| {
                job.state == JobState::Ready && matches!(job.subject, Subject::Stage(_))
            });
        into.extend(waiting.map(|job| Action::Unschedule { job: job.id }));
    }

    /// Adds the actions of people.
    pub fn people(&self, into: &mut Vec<Action>) {
        for (session, row) in self.rows.sessions.iter().enumerate() {
            let session = small(session);
            match row.status {
                SessionStatus::Pending | SessionStatus::InProgress => {
                    into.push(Action::Cancel { session })
                }
                SessionStatus::Completed | SessionStatus::Failed | SessionStatus::Cancelled => {
                    self.replays(session, row.shape.stages(), into);
                }
            }
        }
        // From an outdated page, a person can answer a wait that is already decided.
        let decided = (0..=u8::MAX).zip(&self.rows.waits);
        for (wait, row) in decided.filter(|(_, row)| row.decision.is_some()) {
            into.extend(verdicts(row.sort).last().map(|verdict| Action::Decide {
                wait,
                verdict: *verdict,
            }));
        }
        into.extend(
            self.rows
                .jobs
                .iter()
                .map(|job| Action::LoseJob { job: job.id }),
        );
        into.push(Action::Repair);
    }

    fn replays(&self, session: u8, stages: u8, into: &mut Vec<Action>) {
        for stage in 0..stages {
            let branches = self.rows.current(session, stage);
            let each = branches.iter().filter(|_| branches.len() > 1);
            let each = each.map(|place| Some(self.rows.stage(*place).branch));
            for branch in each.chain([None]) {
                if self.rows.can_replay(session, stage, branch) {
                    into.push(Action::Replay {
                        session,
                        stage,
                        branch,
                    });
                }
            }
        }
    }
}

impl Worker {
    /// Whether its next write may make jobs due that it then holds.
    fn may_go_on(&self, hand: &Hand) -> bool {
        let starts = matches!(hand.at, Point::Decided(Decision::Start(_)));
        let decides = self.role == Role::Stage && starts;
        (matches!(hand.at, Point::Ending(_)) || decides) && !hand.isolated
    }
}

/// Returns the decisions that people may take on a wait; none for a timer or for children. Waits about spending are not
/// part of the model.
const fn verdicts(sort: WaitSort) -> &'static [WaitDecision] {
    match sort {
        WaitSort::Approval | WaitSort::ToolCall => &[WaitDecision::Approved, WaitDecision::Denied],
        WaitSort::Signal => &[WaitDecision::Signalled],
        WaitSort::Timer | WaitSort::Children | WaitSort::Spending => &[],
    }
}
