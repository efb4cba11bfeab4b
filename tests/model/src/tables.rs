//! Rows of the database.

use tarsy_model::{SessionStatus, StageStatus, WaitDecision, WaitSort};

use crate::calls::Call;
use crate::crashes::{Crashes, Owner};
use crate::{Rules, Shape, Violation};

/// Data that identifies a claim in a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fence {
    /// Id of the held job.
    pub job: u16,
    /// Process that holds it.
    pub owner: Owner,
    /// Epoch of the claim.
    pub epoch: u32,
}

/// Subject of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The next step of a session.
    Chain(u8),
    /// One stage attempt, by its index in [`Tables::stages`].
    Stage(u8),
    /// Expiry of a wait, by its index in [`Tables::waits`].
    Wait(u8),
    /// Stages of a session that may continue because a child session has ended.
    Children(u8),
}

/// `job_state`. `scheduled` is `ready` here, because there is no clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// Can be claimed.
    Ready,
    /// Held by a worker.
    Running,
}

/// A row of `jobs`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Job {
    /// Job id.
    pub id: u16,
    /// Subject of the job.
    pub subject: Subject,
    /// State of the job.
    pub state: JobState,
    /// Holder of the job.
    pub owner: Option<Owner>,
    /// Rises with every claim and takeover.
    pub epoch: u32,
    /// Crashes of the job.
    pub crashes: Crashes,
    /// Whether it runs alone in its worker.
    pub isolated: bool,
}

/// A claimed job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claimed {
    /// Claim of the job.
    pub fence: Fence,
    /// Subject of the job.
    pub subject: Subject,
    /// Whether it runs alone.
    pub isolated: bool,
    /// Whether it must fail instead of being run.
    pub condemned: bool,
}

/// A row of `alert_sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Session {
    /// Current status.
    pub status: SessionStatus,
    /// Chain of the session.
    pub shape: Shape,
    /// Stage that kills its worker.
    pub poison: Option<u8>,
    /// Call that dispatched it, if it is a child session.
    pub parent: Option<Parent>,
    /// Shadow: whether it has ever ended, even if it was replayed since.
    pub has_ended: bool,
    /// Shadow: number of ends since its last replay.
    pub ends: u8,
    /// Shadow: whether a chain job was given up, so that stages may be missing.
    pub given_up: bool,
}

/// Call that dispatched a child session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parent {
    /// Attempt whose agent made the call, by its index in [`Tables::stages`].
    pub stage: u8,
    /// Sequence of the call.
    pub sequence: usize,
}

/// Knowledge about the outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It was answered.
    Known,
    /// It may have happened. The model is informed.
    Unknown,
}

/// A row of the interaction tables. Its index is its sequence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Record {
    /// Kind of call.
    pub call: Call,
    /// Epoch under which it began.
    pub epoch: u32,
    /// Outcome of the call.
    pub answer: Option<Answer>,
}

/// A row of `stage_executions`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stage {
    /// Session of the stage.
    pub session: u8,
    /// Index in the chain.
    pub index: u8,
    /// Branch index.
    pub branch: u8,
    /// Number of branches.
    pub branches: u8,
    /// Attempt number from 1, counted over all branches.
    pub attempt: u8,
    /// Replay round.
    pub round: u8,
    /// Current status.
    pub status: StageStatus,
    /// Claim under which it last began.
    pub claim: Option<Fence>,
    /// Records of its agent.
    pub records: Vec<Record>,
    /// Shadow: attempts of earlier stages that it received as input.
    pub inputs: Vec<u8>,
    /// Shadow: number of ends.
    pub ends: u8,
    /// Shadow: claim that began last.
    pub seen: Option<Fence>,
}

/// A row of `waits`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wait {
    /// Attempt that waits, by its index in [`Tables::stages`].
    pub stage: u8,
    /// Kind of wait.
    pub sort: WaitSort,
    /// Sequence of the call for which an agent requests approval.
    pub sequence: usize,
    /// Whether its time is up, even if no transaction has recorded it.
    pub is_over: bool,
    /// Decision, if it was decided.
    pub decision: Option<WaitDecision>,
    /// Shadow: number of decisions.
    pub decisions: u8,
}

/// All rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tables {
    /// `alert_sessions`.
    pub sessions: Vec<Session>,
    /// `stage_executions`.
    pub stages: Vec<Stage>,
    /// `waits`.
    pub waits: Vec<Wait>,
    /// `jobs`.
    pub jobs: Vec<Job>,
    /// `lost_processes`. Without a clock, each counts as lost just now.
    pub lost: Vec<Owner>,
    pub(crate) next_job: u16,
    pub(crate) rules: Rules,
    pub(crate) broken: Option<Violation>,
}

impl Tables {
    pub(crate) const fn new(rules: Rules) -> Self {
        Self {
            sessions: Vec::new(),
            stages: Vec::new(),
            waits: Vec::new(),
            jobs: Vec::new(),
            lost: Vec::new(),
            next_job: 0,
            rules,
            broken: None,
        }
    }

    pub(crate) fn break_rule(&mut self, violation: Violation) {
        self.broken.get_or_insert(violation);
    }

    /// Returns the rows of a session's stages, with their indexes.
    pub(crate) fn rows_of(&self, session: u8) -> impl Iterator<Item = (u8, &Stage)> {
        let rows = (0..=u8::MAX).zip(&self.stages);
        rows.filter(move |(_, stage)| stage.session == session)
    }

    /// Returns the current rows of a stage, as indexes into [`Tables::stages`]: the highest attempt of each branch of
    /// its newest run.
    #[must_use]
    pub fn current(&self, session: u8, index: u8) -> Vec<u8> {
        let of_stage = || {
            self.rows_of(session)
                .filter(|(_, stage)| stage.index == index)
        };
        let newest = of_stage().max_by_key(|(_, stage)| stage.attempt);
        let branches = newest.map_or(0, |(_, stage)| stage.branches);
        let of_branch = |branch: u8| {
            let rows = of_stage().filter(|(_, stage)| stage.branch == branch);
            rows.max_by_key(|(_, stage)| stage.attempt)
        };
        (0..branches)
            .filter_map(of_branch)
            .map(|(place, _)| place)
            .collect()
    }

    pub(crate) fn stage(&self, place: u8) -> &Stage {
        &self.stages[usize::from(place)]
    }

    pub(crate) fn stage_mut(&mut self, place: u8) -> &mut Stage {
        &mut self.stages[usize::from(place)]
    }

    pub(crate) fn session(&self, session: u8) -> &Session {
        &self.sessions[usize::from(session)]
    }

    pub(crate) fn session_mut(&mut self, session: u8) -> &mut Session {
        &mut self.sessions[usize::from(session)]
    }

    pub(crate) fn wait(&self, wait: u8) -> &Wait {
        &self.waits[usize::from(wait)]
    }

    /// Returns the decision about the wait of an attempt, or about the newest wait if there were several.
    pub(crate) fn decision(&self, place: u8) -> Option<WaitDecision> {
        let waits = self.waits.iter().rev();
        waits
            .filter(|wait| wait.stage == place)
            .find_map(|wait| wait.decision)
    }

    pub(crate) fn session_of(&self, subject: Subject) -> u8 {
        match subject {
            Subject::Chain(session) | Subject::Children(session) => session,
            Subject::Stage(place) => self.stage(place).session,
            Subject::Wait(wait) => self.stage(self.wait(wait).stage).session,
        }
    }

    pub(crate) fn job_mut(&mut self, id: u16) -> Option<&mut Job> {
        self.jobs.iter_mut().find(|job| job.id == id)
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
