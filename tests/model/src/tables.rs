//! The rows.

use tarsy_model::{SessionStatus, StageStatus};

use crate::crashes::{Crashes, Owner};
use crate::{Rules, Violation};

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
    /// Length of its chain.
    pub chain: u8,
    /// The stage that kills its worker.
    pub poison: Option<u8>,
    /// Shadow: how often it has ended since its last replay.
    pub ends: u8,
    /// Shadow: a chain job was given up, so stages may be missing.
    pub given_up: bool,
}

/// A kind of call that an agent makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// The model.
    Model,
    /// A tool whose call may be repeated.
    Read,
    /// A tool whose call may not.
    Effect,
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
    /// From 1.
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

/// All rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tables {
    /// `alert_sessions`.
    pub sessions: Vec<Session>,
    /// `stage_executions`.
    pub stages: Vec<Stage>,
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

    /// The current (highest) attempt of a stage, by its place in [`Tables::stages`].
    #[must_use]
    pub fn current(&self, session: u8, index: u8) -> Option<u8> {
        let of = |stage: &&(usize, &Stage)| stage.1.session == session && stage.1.index == index;
        let rows: Vec<(usize, &Stage)> = self.stages.iter().enumerate().collect();
        let best = rows
            .iter()
            .filter(of)
            .max_by_key(|(_, stage)| stage.attempt)?;
        u8::try_from(best.0).ok()
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

    pub(crate) fn session_of(&self, subject: Subject) -> u8 {
        match subject {
            Subject::Chain(session) => session,
            Subject::Stage(place) => self.stage(place).session,
        }
    }

    pub(crate) fn job_mut(&mut self, id: u16) -> Option<&mut Job> {
        self.jobs.iter_mut().find(|job| job.id == id)
    }
}
