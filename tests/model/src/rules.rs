//! What protects the fleet, and what must never be seen.

/// The protections. All are on in the product; a check that finds nothing with one of them off
/// would check nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Writes under a claim match job, owner and epoch.
    pub fence: bool,
    /// A stage is begun only by who holds its job at that moment.
    pub begin_holds: bool,
    /// A job that ended four workers, two of them while it ran alone, is given up.
    pub crash_cap: bool,
    /// What counts as a crash alone did run alone.
    pub isolation: bool,
    /// Tool calls are written before they are made.
    pub intent: bool,
    /// Cancelling a session takes its jobs away in the same transaction.
    pub revoke: bool,
    /// A job that replaces a lost one starts above the epochs its stage has seen.
    pub lasting_epochs: bool,
    /// It starts above those too that a power loss has undone.
    pub fresh_epochs: bool,
    /// A run begins with the records of those before it.
    pub resume: bool,
}

impl Rules {
    /// As the product is.
    pub const ALL: Self = Self {
        fence: true,
        begin_holds: true,
        crash_cap: true,
        isolation: true,
        intent: true,
        revoke: true,
        lasting_epochs: true,
        fresh_epochs: true,
        resume: true,
    };
}

/// What must never be seen; the names follow the invariants of the torture test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Violation {
    /// I1: a session that was accepted never ends.
    NeverEnds,
    /// I2: work that no job points to, or a job without work.
    Orphan,
    /// I3: a stage attempt, or a session between two replays, ends twice.
    EndsTwice,
    /// I4: a write was accepted under a claim that a later one had replaced.
    StaleWrite,
    /// I4: an epoch did not rise.
    EpochFell,
    /// I5: a stage began before the one before it had ended.
    OutOfOrder,
    /// I5: a stage handed on to another than a chain worker would have started.
    OtherNext,
    /// I5: a stage rests on an attempt of another stage that is not the current one.
    OldInput,
    /// I6: the model was asked more often than there were runs, or by a run that could know the answer.
    BoughtAgain,
    /// I7: a tool call that may not be repeated was repeated.
    CalledAgain,
    /// I9: poison killed more workers than it may.
    Uncapped,
    /// I9: a stage without poison was given up for what ran beside it.
    Condemned,
}
