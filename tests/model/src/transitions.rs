//! Transactions over the rows: each method is one transaction of the services.

use tarsy_chain::{may_start, sole_successor};
use tarsy_model::{SessionStatus, StageStatus};

use crate::calls::Call;
use crate::chain::{Due, due_now};
use crate::crashes::{Crashes, Owner};
use crate::tables::{
    Answer, Claimed, Fence, Job, JobState, Record, Session, Stage, Subject, small,
};
use crate::{Shape, Tables, Violation};

impl Tables {
    /// Inserts a session and its chain job.
    pub(crate) fn accept(&mut self, shape: Shape, poison: Option<u8>) {
        let session = small(self.sessions.len());
        let status = SessionStatus::Pending;
        self.sessions.push(Session {
            status,
            shape,
            poison,
            parent: None,
            has_ended: false,
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
        // Each decided end adds a chain job, and each end of a child adds one for its parent. Other subjects have a
        // single job.
        let is_one = !matches!(subject, Subject::Chain(_) | Subject::Children(_));
        if is_one
            && self
                .jobs
                .iter()
                .filter(|job| job.subject == subject)
                .count()
                > 1
        {
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
        let claimed = Claimed {
            fence: Fence {
                job: id,
                owner,
                epoch: job.epoch,
            },
            subject: job.subject,
            isolated: job.isolated,
            condemned: job.crashes.condemns(),
        };
        if let Subject::Wait(wait) = claimed.subject {
            // The job of a wait is due when its time is up.
            self.waits[usize::from(wait)].is_over = true;
        }
        Some(claimed)
    }

    /// Takes running jobs away without counting a crash.
    pub(crate) fn free_strays(&mut self, stray: impl Fn(&Job) -> bool) {
        let running = |job: &&mut Job| job.state == JobState::Running;
        for job in self.jobs.iter_mut().filter(running) {
            if stray(job) {
                job.free();
            }
        }
    }

    pub(crate) fn holds(&self, fence: Fence) -> bool {
        let matches = |job: &Job| {
            job.id == fence.job
                && (!self.rules.fence || (job.owner, job.epoch) == (Some(fence.owner), fence.epoch))
        };
        self.jobs.iter().any(matches)
    }

    /// Makes a job ready again without counting it, after a drain or for a handler's retry.
    pub(crate) fn give_back(&mut self, fence: Fence) {
        if self.holds(fence)
            && let Some(job) = self.job_mut(fence.job)
        {
            job.state = JobState::Ready;
            job.owner = None;
        }
    }

    /// Like [`give_back`](Self::give_back), for a claim that is certainly valid.
    pub(crate) fn release(&mut self, fence: Fence) {
        let is_held = |job: &&mut Job| {
            (job.id, job.owner, job.epoch) == (fence.job, Some(fence.owner), fence.epoch)
        };
        if let Some(job) = self.jobs.iter_mut().find(is_held) {
            job.state = JobState::Ready;
            job.owner = None;
        }
    }

    pub(crate) fn complete(&mut self, fence: Fence) -> bool {
        // Without the fence, a late worker believes that the job is still its own.
        let held = self.holds(fence) || !self.rules.fence;
        if held {
            self.jobs.retain(|job| job.id != fence.job);
        }
        held
    }

    /// Marks a stage as active under a claim. Returns its records, or `None` if it must not run.
    pub(crate) fn begin(&mut self, fence: Fence, place: u8) -> Option<Vec<Record>> {
        let stage = self.stage(place);
        let (session, index) = (stage.session, stage.index);
        let later = stage.claim.is_some_and(|claim| claim.epoch > fence.epoch);
        let fenced = self.rules.fence && (later || !self.holds(fence) && self.rules.begin_holds);
        if stage.status.is_terminal() || self.session(session).status.is_terminal() || fenced {
            return None;
        }
        if !self.needs_have_settled(place) {
            self.break_rule(Violation::OutOfOrder);
        }
        let inputs = self.inputs_of(session, index);
        if let Some(last) = self.stage(place).seen {
            let twice =
                (last.job, last.epoch) == (fence.job, fence.epoch) && last.owner != fence.owner;
            if last.epoch > fence.epoch || twice {
                self.break_rule(Violation::EpochFell);
            }
        }
        let stage = self.stage_mut(place);
        stage.inputs = inputs;
        stage.status = StageStatus::Active;
        stage.claim = Some(fence);
        stage.seen = Some(fence);
        Some(stage.records.clone())
    }

    /// Returns the row of a stage if it may be written under this claim.
    pub(crate) fn held_stage(&mut self, fence: Fence, place: u8) -> Option<&mut Stage> {
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

    /// Ends the job and the stage, and adds the next stage or a chain job. If the worker continues with that stage,
    /// which has then begun, or with that chain job, returns the claim on it.
    pub(crate) fn finish_stage(
        &mut self,
        fence: Fence,
        place: u8,
        status: StageStatus,
        continues: bool,
    ) -> Option<Claimed> {
        if !self.complete(fence) {
            return None;
        }
        let stage = self.held_stage(fence, place)?;
        stage.status = status;
        stage.ends += 1;
        let (ends, session) = (stage.ends, stage.session);
        let (index, round) = (stage.index, stage.round);
        if ends > 1 {
            self.break_rule(Violation::EndsTwice);
        }
        let Some(due) = self.successor(session, index, round) else {
            self.enqueue(Subject::Chain(session), 0);
            let stages = &self.session(session).shape.chain().stages;
            let decides = continues && !may_start(stages, usize::from(index)).is_empty();
            let job = self.jobs.last().filter(|_| decides)?.id;
            return self.claim(job, fence.owner);
        };
        if !due_now(self, session).contains(&due) {
            self.break_rule(Violation::OtherNext);
        }
        self.start_stages(session, &[due]);
        let due = self.jobs.last().filter(|_| continues)?.id;
        let next = self.claim(due, fence.owner)?;
        if let Subject::Stage(place) = next.subject {
            self.begin(next.fence, place);
        }
        Some(next)
    }

    /// Returns the stage that the end of another one makes due, if this is the only possible outcome and the stage does
    /// not exist yet.
    fn successor(&self, session: u8, index: u8, round: u8) -> Option<Due> {
        let row = self.session(session);
        let stages = &row.shape.chain().stages;
        let next = match self.rules.sole_successor {
            true => sole_successor(stages, usize::from(index)).map(|(next, _)| small(next)),
            false => Some(index + 1).filter(|next| *next < row.shape.stages()),
        };
        let next = next.filter(|_| !row.status.is_terminal())?;
        let last = self.rows_of(session).filter(|(_, s)| s.index == next);
        let last = last.max_by_key(|(_, stage)| stage.attempt);
        let (attempt, last_round) = last.map_or((0, None), |(_, s)| (s.attempt, Some(s.round)));
        let is_due = last_round.is_none_or(|last| last < round);
        is_due.then(|| Due::sole(next, attempt + 1, round))
    }

    /// Starts stages that a worker found due after it ended the stage before them. The worker holds the jobs of this
    /// many of them.
    pub(crate) fn start_held(
        &mut self,
        session: u8,
        due: &[Due],
        owner: Owner,
        slots: usize,
    ) -> Vec<Claimed> {
        let first = self.next_job;
        self.start_stages(session, due);
        let new = first..self.next_job;
        new.take(slots)
            .filter_map(|job| self.claim(job, owner))
            .collect()
    }

    /// Inserts rows and jobs of due stages. Because of the unique key, an existing attempt does not change.
    pub(crate) fn start_stages(&mut self, session: u8, due: &[Due]) {
        for due in due {
            if let Some(place) = self.insert_stage(session, *due, StageStatus::Pending) {
                self.enqueue(Subject::Stage(place), 0);
            }
        }
    }

    /// Inserts rows of stages that settle without being run.
    pub(crate) fn settle_stages(&mut self, session: u8, settled: &[(Due, StageStatus)]) {
        for (due, status) in settled {
            self.insert_stage(session, *due, *status);
        }
    }

    /// Inserts a row, unless the session has ended or the attempt exists.
    pub(crate) fn insert_stage(
        &mut self,
        session: u8,
        due: Due,
        status: StageStatus,
    ) -> Option<u8> {
        let is_there =
            |s: &Stage| (s.session, s.index, s.attempt) == (session, due.index, due.attempt);
        let is_refused = self.rules.unique_attempt && self.stages.iter().any(is_there);
        let has_ended = self.session(session).status.is_terminal();
        if has_ended && self.rules.start_in_live || is_refused {
            return None;
        }
        // The rules start each branch once per round.
        let again = |(_, s): (u8, &Stage)| {
            (s.index, s.branch, s.round) == (due.index, due.branch, due.round)
        };
        if self.rows_of(session).any(again) {
            self.break_rule(Violation::StartedTwice);
        }
        self.stages.push(Stage {
            session,
            index: due.index,
            branch: due.branch,
            branches: due.branches,
            attempt: due.attempt,
            round: due.round,
            status,
            claim: None,
            records: Vec::new(),
            inputs: Vec::new(),
            ends: 0,
            seen: None,
        });
        if !has_ended {
            self.session_mut(session).status = SessionStatus::InProgress;
        }
        Some(small(self.stages.len() - 1))
    }

    pub(crate) fn finish_session(&mut self, session: u8, status: SessionStatus) {
        let fenced = self.rules.fence;
        let row = self.session_mut(session);
        if row.status.is_terminal() && fenced {
            return;
        }
        row.status = status;
        row.ends += 1;
        row.has_ended = true;
        let (ends, parent) = (row.ends, row.parent);
        if ends > 1 {
            self.break_rule(Violation::EndsTwice);
        }
        if let Some(parent) = parent.filter(|_| self.rules.check_after_end) {
            let waiting = self.stage(parent.stage).session;
            self.enqueue(Subject::Children(waiting), 0);
        }
    }

    /// Deletes a ready job and fails its stage. The chain continues.
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
}

impl Job {
    /// Makes the job ready for others. Its holder loses it.
    pub(crate) fn free(&mut self) {
        self.state = JobState::Ready;
        self.owner = None;
        self.epoch += 1;
    }
}
