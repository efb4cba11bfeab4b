//! The duties of a chain worker besides its jobs.

use std::time::Duration;

/// A kind of background work that only one worker does at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duty {
    /// Name in logs, metrics and `/health`.
    pub(super) name: &'static str,
    pub(super) work: Work,
    /// Time from the start of the process to the first run.
    pub(super) first: Duration,
    /// Time from one run to the next.
    pub(super) every: Duration,
    /// Time limit of one step. If a step takes longer, its connection is considered dead.
    pub(super) deadline: Duration,
}

/// Work of a duty.
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

/// Result of a step: how much work is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// No work is left until the next run.
    Done,
    /// No work is left for this long.
    DoneFor(Duration),
    /// More work is left. The next step follows after a pause.
    More,
    /// Nothing was done, because another worker is doing it.
    TakenElsewhere,
}

impl Step {
    /// Returns the result of a batch. After a full batch there is more work.
    pub(super) const fn after(done: u64, batch: i64) -> Self {
        match done < batch.unsigned_abs() {
            true => Self::Done,
            false => Self::More,
        }
    }
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// Maximum time until the next run of a duty that failed or that another worker was doing.
const RETRY: Duration = Duration::from_secs(30);
/// Interval of duties that find what the frequent passes missed.
const LATE: Duration = Duration::from_secs(30);
/// Time limit of pruning, which runs many transactions and maintains partitions.
const PRUNE_DEADLINE: Duration = Duration::from_secs(300);

impl Duty {
    /// Creates a duty whose first run comes one interval after the start of the process.
    const fn new(name: &'static str, work: Work, every: Duration) -> Self {
        Self {
            name,
            work,
            first: every,
            every,
            deadline: Duration::from_secs(30),
        }
    }

    /// Returns the time to the next run after one that did nothing.
    pub(super) fn retry(&self) -> Duration {
        self.every.min(RETRY)
    }

    /// Returns the age of the last success above which something is wrong.
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
        // Repeated because older workers may still write outdated documents.
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
        // Early, so that a process that restarts every minute prunes too.
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
        // An upper limit: the time of the next run depends on the duration of the last one.
        ..Duty::new("unschedulable stages", Work::FailUnschedulable, MINUTE)
    },
];
