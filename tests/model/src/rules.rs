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
    /// A stage is started only in a session that has not ended.
    pub start_in_live: bool,
    /// A job that replaces a lost one starts above the epochs its stage has seen.
    pub lasting_epochs: bool,
    /// It starts above those too that a power loss has undone.
    pub fresh_epochs: bool,
    /// A run begins with the records of those before it.
    pub resume: bool,
    /// What an end makes due is decided by a chain job, unless nothing else could be; else by the ending statement, from
    /// what it sees of the others.
    pub fan_in_by_job: bool,
    /// What a worker goes on with is the sole successor; else the stage that is listed next.
    pub sole_successor: bool,
    /// An attempt that is there is not made again.
    pub unique_attempt: bool,
    /// A decision applies only to an undecided wait.
    pub decided_once: bool,
    /// A call that was asked about is made only if it was approved.
    pub heed_denial: bool,
    /// A replay deletes the session's chain jobs, claimed ones included.
    pub revoke_on_replay: bool,
    /// What rests on a stage that was left behind is not replayed before it.
    pub refuse_outdated: bool,
    /// A session that is given up takes its live stages and open waits with it.
    pub cut_on_give_up: bool,
    /// A call that dispatched a child before a crash finds it.
    pub one_child_a_call: bool,
    /// A child is dispatched only by a stage of a session that has not ended.
    pub dispatch_in_live: bool,
    /// Children are bounded in number and depth.
    pub bounded_children: bool,
    /// A stage that waits for its children gives up its job.
    pub wait_ends_job: bool,
    /// Who begins to wait for children has them looked at after that.
    pub look_after_wait: bool,
    /// Who ends a child has its parent looked at after that.
    pub look_after_end: bool,
    /// A stage goes on when all its children have ended; else when one has.
    pub all_children_end: bool,
    /// Who cancels a session cancels its children.
    pub cancel_children: bool,
    /// A child spends the money of the session at the top; else its own.
    pub spend_at_top: bool,
}

impl Rules {
    /// As the product is.
    pub const ALL: Self = Self {
        fence: true,
        begin_holds: true,
        crash_cap: true,
        isolation: true,
        intent: true,
        start_in_live: true,
        lasting_epochs: true,
        fresh_epochs: true,
        resume: true,
        fan_in_by_job: true,
        sole_successor: true,
        unique_attempt: true,
        decided_once: true,
        heed_denial: true,
        revoke_on_replay: true,
        refuse_outdated: true,
        cut_on_give_up: true,
        one_child_a_call: true,
        dispatch_in_live: true,
        bounded_children: true,
        wait_ends_job: true,
        look_after_wait: true,
        look_after_end: true,
        all_children_end: true,
        cancel_children: true,
        spend_at_top: true,
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
    /// I5: a branch of a stage, or a join, was started twice in one round.
    StartedTwice,
    /// I5: a wait was decided twice.
    DecidedTwice,
    /// I5: a call that needs an approval was made without one.
    Unapproved,
    /// I5: a stage began before those that it needs had settled.
    OutOfOrder,
    /// I5: a stage handed on to another than a chain worker would have started.
    OtherNext,
    /// I5: a stage rests on an attempt of another stage that is not the current one.
    OldInput,
    /// I5: a call dispatched two children.
    DispatchedTwice,
    /// I5: there are more children, or deeper ones, than there may be.
    Unbounded,
    /// I5: a child of a cancelled session is live.
    Stray,
    /// I5: a stage went on before its children had ended.
    FreedEarly,
    /// I5: a stage that waits holds a job, and so a slot.
    HoldsSlot,
    /// I5: a child was run beyond the limit of the session at the top.
    Overspent,
    /// I6: the model was asked more often than there were runs, or by a run that could know the answer.
    BoughtAgain,
    /// I7: a tool call that may not be repeated was repeated.
    CalledAgain,
    /// I9: poison killed more workers than it may.
    Uncapped,
    /// I9: a stage without poison was given up for what ran beside it.
    Condemned,
}
