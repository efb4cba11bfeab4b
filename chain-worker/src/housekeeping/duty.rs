//! The duties of a chain worker besides its jobs, in one table.

use std::time::Duration;

/// A piece of background work that one worker at a time does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duty {
    /// In logs, metrics and `/health`.
    pub(super) name: &'static str,
    pub(super) work: Work,
    /// Time from the start of the process to the first time.
    pub(super) first: Duration,
    /// Time from one time to the next.
    pub(super) every: Duration,
    /// Longest time for one step; one that takes longer is on a dead connection.
    pub(super) deadline: Duration,
}

/// What a duty does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Repair,
    Index,
    IndexLate,
    RewriteDocuments,
    RollUpSessions,
    WriteTraits,
    WriteLateTraits,
    GroupIncidents,
    GroupLateSessions,
    CountUsage,
    CountLateUsage,
    ScoreSessions,
    RollUpHours,
    Prune,
    FailUnschedulable,
}

/// What a step of a duty has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing, until the next time.
    Done,
    /// Nothing, for this long.
    DoneFor(Duration),
    /// More of the same: the next step follows after a rest.
    More,
    /// Everything: another worker is at it.
    TakenElsewhere,
}

impl Step {
    /// After a batch: one that is full has left more.
    pub(super) const fn after(done: u64, batch: i64) -> Self {
        match done < batch.unsigned_abs() {
            true => Self::Done,
            false => Self::More,
        }
    }
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// Longest time until a duty that failed, or that another worker was at, has its next turn.
const RETRY: Duration = Duration::from_secs(30);
/// For work that finds what the frequent passes have missed.
const LATE: Duration = Duration::from_secs(30);
/// Pruning deletes in many transactions and maintains partitions.
const PRUNE_DEADLINE: Duration = Duration::from_secs(300);

impl Duty {
    /// One that starts with the process.
    const fn new(name: &'static str, work: Work, every: Duration) -> Self {
        Self {
            name,
            work,
            first: every,
            every,
            deadline: Duration::from_secs(30),
        }
    }

    /// Time to the next turn after one in which nothing was done.
    pub(super) fn retry(&self) -> Duration {
        self.every.min(RETRY)
    }

    /// Age of the last success beyond which something is wrong.
    pub(super) fn longest_age(&self) -> Duration {
        (self.every.max(self.first) + self.deadline) * 2
    }
}

pub(super) static DUTIES: [Duty; 15] = [
    Duty::new("repair", Work::Repair, Duration::from_secs(15)),
    Duty::new("search index", Work::Index, SECOND),
    Duty::new("late search index", Work::IndexLate, LATE),
    Duty {
        first: SECOND,
        // Older workers may still write some.
        ..Duty::new(
            "search documents",
            Work::RewriteDocuments,
            Duration::from_secs(24 * 3_600),
        )
    },
    Duty::new("session rollups", Work::RollUpSessions, SECOND),
    Duty::new("session traits", Work::WriteTraits, SECOND),
    Duty::new("late session traits", Work::WriteLateTraits, LATE),
    Duty::new("incidents", Work::GroupIncidents, SECOND),
    Duty::new("late incidents", Work::GroupLateSessions, LATE),
    Duty::new("usage", Work::CountUsage, SECOND),
    Duty::new("late usage", Work::CountLateUsage, LATE),
    Duty::new("scores", Work::ScoreSessions, Duration::from_secs(5)),
    Duty {
        first: Duration::ZERO,
        ..Duty::new("hourly rollups", Work::RollUpHours, MINUTE)
    },
    Duty {
        // A process that is restarted every minute prunes too.
        first: Duration::from_secs(10),
        deadline: PRUNE_DEADLINE,
        ..Duty::new(
            "retention",
            Work::Prune,
            tarsy_store::retention::PRUNE_INTERVAL,
        )
    },
    Duty {
        first: Duration::ZERO,
        // At the latest: the next time depends on what the last one cost.
        ..Duty::new("unschedulable stages", Work::FailUnschedulable, MINUTE)
    },
];
