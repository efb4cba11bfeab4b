//! Which crashes count against a job, and which jobs run alone
//! (docs/decisions/0012-a-crash-counts-for-a-stage-that-ran-alone.md).

use crate::Tables;
use crate::tables::{Job, JobState, Owner};

/// Crashes beside other jobs that make a job a suspect.
pub(crate) const SHARED_CRASHES: usize = 2;
/// Crashes alone that condemn it.
pub(crate) const LONE_CRASHES: usize = 2;
/// Crashes alone that are forgiven while other processes are lost too.
const FORGIVEN: usize = 4;
/// Workers that poison ends at most.
pub const MOST_POISONED: usize = SHARED_CRASHES + FORGIVEN + LONE_CRASHES;

/// The crashes of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Crashes {
    /// Processes that were lost over it.
    pub by: Vec<Owner>,
    /// Those of them in which it ran alone, and that were not forgiven.
    pub alone_by: Vec<Owner>,
}

impl Crashes {
    /// Whether the job runs alone from now on.
    #[must_use]
    pub fn isolates(&self) -> bool {
        self.by.len() >= SHARED_CRASHES && !self.condemns()
    }

    /// Whether the job is failed instead of run.
    #[must_use]
    pub fn condemns(&self) -> bool {
        self.alone_by.len() >= LONE_CRASHES
    }

    /// Count the loss of `process`; `lost` are all that were lost of late.
    pub(crate) fn count(&mut self, process: Owner, alone: bool, lost: &[Owner]) {
        let is_other = |other: &Owner| *other != process && !self.by.contains(other);
        let counted = SHARED_CRASHES + self.alone_by.len();
        let forgiven = self.by.len().saturating_sub(counted);
        let is_forgiven = forgiven < FORGIVEN && lost.iter().any(is_other);
        if alone && !is_forgiven {
            self.alone_by.push(process);
        }
        self.by.push(process);
    }

    fn take_back(&mut self, process: Owner) {
        self.by.retain(|by| *by != process);
        self.alone_by.retain(|by| *by != process);
    }
}

impl Tables {
    /// Take running jobs away, and count a crash for each.
    pub(crate) fn free_lost(&mut self, lost: impl Fn(&Job) -> bool) {
        let is_lost = |job: &&Job| job.state == JobState::Running && lost(job);
        let taken: Vec<Owner> = self
            .jobs
            .iter()
            .filter(is_lost)
            .filter_map(|job| job.owner)
            .collect();
        self.note_lost(taken);
        for job in self.jobs.iter_mut().filter(|job| is_lost(&&**job)) {
            if let Some(process) = job.owner {
                let alone = job.isolated || !self.rules.isolation;
                job.crashes.count(process, alone, &self.lost);
            }
            job.free();
        }
    }

    /// Note processes that are lost, also where they held nothing.
    pub(crate) fn note_lost(&mut self, processes: Vec<Owner>) {
        for process in processes {
            if !self.lost.contains(&process) {
                self.lost.push(process);
            }
        }
    }

    /// A process lives: the crashes that were counted for it are taken back.
    pub(crate) fn take_back(&mut self, process: Owner) {
        self.lost.retain(|lost| *lost != process);
        self.jobs
            .iter_mut()
            .for_each(|job| job.crashes.take_back(process));
    }
}
