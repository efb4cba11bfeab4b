//! Jobs of lost processes: taken away, counted, and taken back.

use crate::Tables;
use crate::crashes::Owner;
use crate::tables::{Job, JobState};

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
