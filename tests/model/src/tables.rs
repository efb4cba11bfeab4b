//! The rows.

use tarsy_model::{SessionStatus, StageStatus, WaitDecision, WaitSort};

use crate::calls::Call;
use crate::crashes::{Crashes, Owner};
use crate::{Rules, Shape, Violation};

/// What a write under a claim names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The job that is held.
    pub job: u16,
    /// The process that holds it.
    pub owner: Owner,
    /// Which hold it is.
    pub epoch: u32,
}

/// What a job is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The next step of a session.
    Chain(u8),
    /// One stage attempt, by its place in [`Tables::stages`].
    Stage(u8),
    /// The end of a wait's time, by its place in [`Tables::waits`].
    Wait(u8),
    /// Stages of a session that may go on, as a child session has ended.
    Children(u8),
}

/// `job_state`; `scheduled` is `ready` here, for there is no clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// To be claimed.
    Ready,
    /// Held.
    Running,
}

/// A row of `jobs`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Job {
    /// Its id.
    pub id: u16,
    /// What it is about.
    pub subject: Subject,
    /// Whether it is held.
    pub state: JobState,
    /// By whom.
    pub owner: Option<Owner>,
    /// Rises with every claim and takeover.
    pub epoch: u32,
    /// What it went down with.
    pub crashes: Crashes,
    /// It runs alone in its worker.
    pub isolated: bool,
}

/// A claimed job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claimed {
    /// The claim.
    pub fence: Fence,
    /// What it is about.
    pub subject: Subject,
    /// It runs alone.
    pub isolated: bool,
    /// It is to be failed, not run.
    pub condemned: bool,
}

/// A row of `alert_sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Session {
    /// Where it stands.
    pub status: SessionStatus,
    /// Its chain.
    pub shape: Shape,
    /// The stage that kills its worker.
    pub poison: Option<u8>,
    /// What dispatched it, if it is a child session.
    pub parent: Option<Parent>,
    /// Shadow: it has ended, whether or not it was replayed since.
    pub has_ended: bool,
    /// Shadow: how often it has ended since its last replay.
    pub ends: u8,
    /// Shadow: a chain job was given up, so stages may be missing.
    pub given_up: bool,
}

/// The call that dispatched a child session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parent {
    /// The attempt whose agent made it, by its place in [`Tables::stages`].
    pub stage: u8,
    /// Which of its calls.
    pub sequence: usize,
}

/// What is known of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It was answered.
    Known,
    /// It may have happened; the model is told so.
    Unknown,
}

/// A row of the interaction tables; its sequence is its place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Record {
    /// What was called.
    pub call: Call,
    /// Epoch it was begun under.
    pub epoch: u32,
    /// What came of it.
    pub answer: Option<Answer>,
}

/// A row of `stage_executions`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stage {
    /// Whose.
    pub session: u8,
    /// Place in the chain.
    pub index: u8,
    /// Which branch.
    pub branch: u8,
    /// Of how many.
    pub branches: u8,
    /// From 1, those of all branches together.
    pub attempt: u8,
    /// Replay round.
    pub round: u8,
    /// Where it stands.
    pub status: StageStatus,
    /// The fence of its last begin.
    pub claim: Option<Fence>,
    /// What its agent did.
    pub records: Vec<Record>,
    /// Shadow: the attempts of earlier stages that it was given.
    pub inputs: Vec<u8>,
    /// Shadow: how often it has ended.
    pub ends: u8,
    /// Shadow: the hold that began last.
    pub seen: Option<Fence>,
}

/// A row of `waits`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wait {
    /// The attempt that waits, by its place in [`Tables::stages`].
    pub stage: u8,
    /// What it waits for.
    pub sort: WaitSort,
    /// Which call an agent asks about.
    pub sequence: usize,
    /// Its time is up, whether or not anybody has said so.
    pub is_over: bool,
    /// How it was decided.
    pub decision: Option<WaitDecision>,
    /// Shadow: how often it was decided.
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
    /// `lost_processes`; there is no clock, so each was lost a moment ago.
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

    /// The rows of a session's stages, with their places.
    pub(crate) fn rows_of(&self, session: u8) -> impl Iterator<Item = (u8, &Stage)> {
        let rows = (0..=u8::MAX).zip(&self.stages);
        rows.filter(move |(_, stage)| stage.session == session)
    }

    /// The current rows of a stage, by their places in [`Tables::stages`]: of the branches that its newest run had, the
    /// highest attempt of each.
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

    /// What was decided about the wait of an attempt, the newest if there were several.
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
