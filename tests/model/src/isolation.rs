//! Jobs of lost processes: freeing jobs, counting crashes, and uncounting them.

use crate::Tables;
use crate::crashes::Owner;
use crate::tables::{Job, JobState};

impl Tables {
    /// Takes running jobs away, and counts a crash for each.
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

    /// Records lost processes, even if they held no jobs.
    pub(crate) fn note_lost(&mut self, processes: Vec<Owner>) {
        for process in processes {
            if !self.lost.contains(&process) {
                self.lost.push(process);
            }
        }
    }

    /// Uncounts the crashes that were counted for a process that is alive.
    pub(crate) fn take_back(&mut self, process: Owner) {
        self.lost.retain(|lost| *lost != process);
        self.jobs
            .iter_mut()
            .for_each(|job| job.crashes.take_back(process));
    }
}
