//! The statements over the rows: each method is one transaction of the services.

use tarsy_model::{SessionStatus, StageStatus};

use crate::chain::{Decision, look};
use crate::crashes::{Crashes, Owner};
use crate::tables::{Answer, Call, Claimed, Fence, Job, JobState, Record, Session, Stage, Subject};
use crate::{Rules, Tables, Violation};

impl Tables {
    /// Session and chain job.
    pub(crate) fn accept(&mut self, chain: u8, poison: Option<u8>) {
        let session = small(self.sessions.len());
        let status = SessionStatus::Pending;
        self.sessions.push(Session {
            status,
            chain,
            poison,
            ends: 0,
            given_up: false,
        });
        self.enqueue(Subject::Chain(session), 0);
    }

    pub(crate) fn enqueue(&mut self, subject: Subject, epoch: u32) {
        let id = self.next_job;
        self.next_job += 1;
        self.jobs.push(Job {
            id,
            subject,
            state: JobState::Ready,
            owner: None,
            epoch,
            crashes: Crashes::default(),
            isolated: false,
        });
        let session = self.session_of(subject);
        let about = |job: &&Job| self.session_of(job.subject) == session;
        if self.jobs.iter().filter(about).count() > 1 {
            self.break_rule(Violation::Orphan);
        }
    }

    pub(crate) fn claim(&mut self, id: u16, owner: Owner) -> Option<Claimed> {
        let isolation = self.rules.isolation;
        let job = self
            .job_mut(id)
            .filter(|job| job.state == JobState::Ready)?;
        job.state = JobState::Running;
        job.owner = Some(owner);
        job.epoch += 1;
        job.isolated = isolation && job.crashes.isolates();
        Some(Claimed {
            fence: Fence {
                job: id,
                owner,
                epoch: job.epoch,
            },
            subject: job.subject,
            isolated: job.isolated,
            condemned: job.crashes.condemns(),
        })
    }

    /// Take running jobs away; no crash is counted.
    pub(crate) fn free_strays(&mut self, stray: impl Fn(&Job) -> bool) {
        let running = |job: &&mut Job| job.state == JobState::Running;
        for job in self.jobs.iter_mut().filter(running) {
            if stray(job) {
                job.free();
            }
        }
    }

    fn holds(&self, fence: Fence) -> bool {
        let matches = |job: &Job| {
            job.id == fence.job
                && (!self.rules.fence || (job.owner, job.epoch) == (Some(fence.owner), fence.epoch))
        };
        self.jobs.iter().any(matches)
    }

    /// Ready again, uncounted: a drain, or a handler's retry.
    pub(crate) fn give_back(&mut self, fence: Fence) {
        if self.holds(fence)
            && let Some(job) = self.job_mut(fence.job)
        {
            job.state = JobState::Ready;
            job.owner = None;
        }
    }

    pub(crate) fn complete(&mut self, fence: Fence) -> bool {
        // Without a fence, whoever comes late believes that the job was his.
        let held = self.holds(fence) || !self.rules.fence;
        if held {
            self.jobs.retain(|job| job.id != fence.job);
        }
        held
    }

    /// Mark a stage active under a claim; its records, or nothing if it is not to be run.
    pub(crate) fn begin(&mut self, fence: Fence, place: u8) -> Option<Vec<Record>> {
        let stage = self.stage(place);
        let (session, index) = (stage.session, stage.index);
        let later = stage.claim.is_some_and(|claim| claim.epoch > fence.epoch);
        let fenced = self.rules.fence && (later || !self.holds(fence) && self.rules.begin_holds);
        if stage.status.is_terminal() || self.session(session).status.is_terminal() || fenced {
            return None;
        }
        let earlier: Vec<Option<u8>> = (0..index).map(|i| self.current(session, i)).collect();
        let open =
            |place: &Option<u8>| place.is_none_or(|place| !self.stage(place).status.is_terminal());
        if earlier.iter().any(open) {
            self.break_rule(Violation::OutOfOrder);
        }
        if let Some(last) = self.stage(place).seen {
            let twice =
                (last.job, last.epoch) == (fence.job, fence.epoch) && last.owner != fence.owner;
            if last.epoch > fence.epoch || twice {
                self.break_rule(Violation::EpochFell);
            }
        }
        let stage = self.stage_mut(place);
        stage.inputs = earlier.into_iter().flatten().collect();
        stage.status = StageStatus::Active;
        stage.claim = Some(fence);
        stage.seen = Some(fence);
        Some(stage.records.clone())
    }

    /// The row of a stage if it may be written under this claim.
    fn held_stage(&mut self, fence: Fence, place: u8) -> Option<&mut Stage> {
        let fenced = self.rules.fence;
        let stage = self.stage(place);
        let same = |claim: Fence| (claim.owner, claim.epoch) == (fence.owner, fence.epoch);
        if fenced && !(stage.claim.is_some_and(same) && stage.status == StageStatus::Active) {
            return None;
        }
        if !stage.seen.is_some_and(same) {
            self.break_rule(Violation::StaleWrite);
        }
        Some(self.stage_mut(place))
    }

    pub(crate) fn write_intent(
        &mut self,
        fence: Fence,
        place: u8,
        sequence: usize,
        call: Call,
    ) -> bool {
        let Some(stage) = self.held_stage(fence, place) else {
            return false;
        };
        match stage.records.get_mut(sequence) {
            Some(record) => record.epoch = fence.epoch,
            None => stage.records.push(Record {
                call,
                epoch: fence.epoch,
                answer: None,
            }),
        }
        true
    }

    pub(crate) fn write_result(
        &mut self,
        fence: Fence,
        place: u8,
        sequence: usize,
        answer: Answer,
    ) -> bool {
        let Some(stage) = self.held_stage(fence, place) else {
            return false;
        };
        if let Some(record) = stage.records.get_mut(sequence) {
            record.answer = Some(answer);
        }
        true
    }

    /// End of the job, end of the stage, and what comes next: the stage after it, or a chain job. The
    /// claim on that stage, which has begun, if whoever ended this one is to go on with it.
    pub(crate) fn finish_stage(
        &mut self,
        fence: Fence,
        place: u8,
        status: StageStatus,
        goes_on: bool,
    ) -> Option<Claimed> {
        if !self.complete(fence) {
            return None;
        }
        let stage = self.held_stage(fence, place)?;
        stage.status = status;
        stage.ends += 1;
        let (ends, session) = (stage.ends, stage.session);
        let (next, round) = (stage.index + 1, stage.round);
        if ends > 1 {
            self.break_rule(Violation::EndsTwice);
        }
        let last = self.current(session, next).map(|place| self.stage(place));
        let row = self.session(session);
        let is_due = !row.status.is_terminal()
            && next < row.chain
            && last.is_none_or(|last| last.round < round);
        if !is_due {
            self.enqueue(Subject::Chain(session), 0);
            return None;
        }
        let attempt = last.map_or(0, |last| last.attempt) + 1;
        let handed_on = Decision::Start {
            index: next,
            attempt,
            round,
        };
        if look(self, session) != handed_on {
            self.break_rule(Violation::OtherNext);
        }
        self.insert_stage(session, next, attempt, round);
        let due = self.jobs.last().filter(|_| goes_on)?.id;
        let next = self.claim(due, fence.owner)?;
        if let Subject::Stage(place) = next.subject {
            self.begin(next.fence, place);
        }
        Some(next)
    }

    pub(crate) fn insert_stage(&mut self, session: u8, index: u8, attempt: u8, round: u8) {
        let same = |s: &Stage| (s.session, s.index, s.attempt) == (session, index, attempt);
        if self.stages.iter().any(same) {
            return;
        }
        self.stages.push(Stage {
            session,
            index,
            attempt,
            round,
            status: StageStatus::Pending,
            claim: None,
            records: Vec::new(),
            inputs: Vec::new(),
            ends: 0,
            seen: None,
        });
        let place = small(self.stages.len() - 1);
        self.enqueue(Subject::Stage(place), 0);
        let status = &mut self.session_mut(session).status;
        if !status.is_terminal() {
            *status = SessionStatus::InProgress;
        }
    }

    pub(crate) fn finish_session(&mut self, session: u8, status: SessionStatus) {
        let fenced = self.rules.fence;
        let row = self.session_mut(session);
        if row.status.is_terminal() && fenced {
            return;
        }
        row.status = status;
        row.ends += 1;
        if row.ends > 1 {
            self.break_rule(Violation::EndsTwice);
        }
    }

    /// A ready job is gone with the stage that it is about, which has failed; its chain goes on.
    pub(crate) fn unschedule(&mut self, id: u16) {
        let ready = self.job_mut(id).filter(|job| job.state == JobState::Ready);
        let Some(Subject::Stage(place)) = ready.map(|job| job.subject) else {
            return;
        };
        let session = self.stage(place).session;
        let is_over = self.session(session).status.is_terminal();
        if is_over || self.stage(place).status.is_terminal() {
            return;
        }
        let stage = self.stage_mut(place);
        stage.status = StageStatus::Failed;
        stage.ends += 1;
        self.jobs.retain(|job| job.id != id);
        self.enqueue(Subject::Chain(session), 0);
    }

    /// Session and live stages cancelled, their jobs gone.
    pub(crate) fn cancel(&mut self, session: u8) {
        self.finish_session(session, SessionStatus::Cancelled);
        for stage in self
            .stages
            .iter_mut()
            .filter(|s| s.session == session && !s.status.is_terminal())
        {
            stage.status = StageStatus::Cancelled;
            stage.ends += 1;
        }
        if self.rules.revoke {
            let gone: Vec<u16> = self
                .jobs
                .iter()
                .filter(|j| self.session_of(j.subject) == session)
                .map(|j| j.id)
                .collect();
            self.jobs.retain(|job| !gone.contains(&job.id));
        }
    }

    /// A new attempt of one stage, in a new round.
    pub(crate) fn replay(&mut self, session: u8, index: u8) {
        let Some(place) = self.current(session, index) else {
            return;
        };
        let attempt = self.stage(place).attempt + 1;
        let rounds = self
            .stages
            .iter()
            .filter(|s| s.session == session)
            .map(|s| s.round);
        let round = rounds.max().unwrap_or(0) + 1;
        let row = self.session_mut(session);
        row.status = SessionStatus::InProgress;
        row.ends = 0;
        self.insert_stage(session, index, attempt, round);
    }

    /// Give live sessions that no job points to the job they lack; `now` is above every epoch so far.
    pub(crate) fn repair(&mut self, now: u32) {
        for session in 0..small(self.sessions.len()) {
            let pointed = self
                .jobs
                .iter()
                .any(|job| self.session_of(job.subject) == session);
            if self.session(session).status.is_terminal() || pointed {
                continue;
            }
            let live = self
                .stages
                .iter()
                .position(|s| s.session == session && !s.status.is_terminal());
            match live.map(small) {
                None => self.enqueue(Subject::Chain(session), 0),
                Some(place) => {
                    let seen = self.stage(place).claim.map_or(0, |claim| claim.epoch);
                    let epoch = match self.rules {
                        Rules {
                            lasting_epochs: false,
                            ..
                        } => 0,
                        Rules {
                            fresh_epochs: false,
                            ..
                        } => seen,
                        _ => seen.max(now),
                    };
                    self.enqueue(Subject::Stage(place), epoch);
                }
            }
        }
    }
}

impl Job {
    /// Ready for others; whoever had it holds it no more.
    pub(crate) fn free(&mut self) {
        self.state = JobState::Ready;
        self.owner = None;
        self.epoch += 1;
    }
}

/// Tables of the model stay small.
#[expect(
    clippy::expect_used,
    reason = "a model with 256 rows is a mistake of its bounds"
)]
pub(crate) fn small(n: usize) -> u8 {
    u8::try_from(n).expect("few rows")
}
