//! Protections of the fleet, and violations that must never occur.

/// Protections of the fleet. All are on in the product. Each check must find a violation when one of them is off, or
/// else it would prove nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Writes under a claim match job, owner and epoch.
    pub fence: bool,
    /// Only the current holder of a stage's job can begin the stage.
    pub begin_holds: bool,
    /// A job that killed four workers, two of them while it ran alone, is given up.
    pub crash_cap: bool,
    /// A crash counts as a crash alone only if the job really ran alone.
    pub isolation: bool,
    /// Tool calls are recorded before they are made.
    pub intent: bool,
    /// A stage is started only in a session that has not ended.
    pub start_in_live: bool,
    /// A job that replaces a lost one starts above the epochs that its stage has seen.
    pub lasting_epochs: bool,
    /// Such a job also starts above the epochs that a power loss has undone.
    pub fresh_epochs: bool,
    /// A run begins with the records of earlier runs.
    pub resume: bool,
    /// A chain job decides which stages an end makes due, unless only one outcome is possible. If off, the ending
    /// statement decides, from what it sees of the other stages.
    pub fan_in_by_job: bool,
    /// A worker continues with the sole successor. If off, it continues with the next stage in the list.
    pub sole_successor: bool,
    /// An existing attempt is not created again.
    pub unique_attempt: bool,
    /// A decision applies only to an undecided wait.
    pub decided_once: bool,
    /// A call that needs approval is made only if it was approved.
    pub heed_denial: bool,
    /// A replay deletes the session's chain jobs, claimed ones included.
    pub revoke_on_replay: bool,
    /// A stage that depends on a stage that a cancelled replay did not reach is not replayed before it.
    pub refuse_outdated: bool,
    /// Giving up a session also ends its live stages and open waits.
    pub cut_on_give_up: bool,
    /// A call that dispatched a child before a crash finds this child again.
    pub one_child_a_call: bool,
    /// A child is dispatched only by a stage of a session that has not ended.
    pub dispatch_in_live: bool,
    /// The number and depth of children are limited.
    pub bounded_children: bool,
    /// A stage that waits for its children gives up its job.
    pub wait_ends_job: bool,
    /// When a stage begins to wait for children, they are checked afterwards.
    pub check_after_wait: bool,
    /// When a child ends, its parent is checked afterwards.
    pub check_after_end: bool,
    /// A stage continues when all its children have ended. If off, it continues when one has ended.
    pub all_children_end: bool,
    /// Cancelling a session cancels its children.
    pub cancel_children: bool,
    /// A child spends the budget of the session at the top. If off, it has a separate budget.
    pub spend_at_top: bool,
}

impl Rules {
    /// All protections on, as in the product.
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
        check_after_wait: true,
        check_after_end: true,
        all_children_end: true,
        cancel_children: true,
        spend_at_top: true,
    };
}

/// Violations that must never occur. The names follow the invariants of the torture test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Violation {
    /// I1: an accepted session never ends.
    NeverEnds,
    /// I2: there is work without a job, or a job without work.
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
    /// I5: a stage continued with a different stage than a chain worker would have started.
    OtherNext,
    /// I5: a stage is based on an outdated attempt of another stage.
    OldInput,
    /// I5: a call dispatched two children.
    DispatchedTwice,
    /// I5: there are more or deeper children than allowed.
    Unbounded,
    /// I5: a child of a cancelled session is live.
    Stray,
    /// I5: a stage continued before its children had ended.
    FreedEarly,
    /// I5: a waiting stage holds a job, and therefore a slot.
    HoldsSlot,
    /// I5: a child ran although the spending limit of the session at the top was reached.
    Overspent,
    /// I6: the model was asked more often than there were runs, or by a run that could have known the answer.
    BoughtAgain,
    /// I7: a tool call that may not be repeated was repeated.
    CalledAgain,
    /// I9: poison killed more workers than allowed.
    Uncapped,
    /// I9: a stage without poison was given up because of another job on its worker.
    Condemned,
}
