//! Rules for which crashes count against a job (docs/decisions/0012-a-crash-counts-for-a-stage-that-ran-alone.md).

/// A process that holds jobs.
pub(crate) type Owner = u16;

/// Number of crashes while running with other jobs that make a job a suspect.
pub(crate) const SHARED_CRASHES: usize = 2;
/// Number of crashes while running alone that condemn a job.
pub(crate) const LONE_CRASHES: usize = 2;
/// Number of crashes while running alone that do not count because other processes were lost too.
const FORGIVEN: usize = 4;
/// Maximum number of workers that a poisonous job can kill.
pub const MOST_POISONED: usize = SHARED_CRASHES + FORGIVEN + LONE_CRASHES;

/// Crashes of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Crashes {
    /// Processes that were lost while they ran the job.
    pub by: Vec<Owner>,
    /// Those of them that ran only this job and were not forgiven.
    pub alone_by: Vec<Owner>,
}

impl Crashes {
    /// Whether the job runs alone from now on.
    #[must_use]
    pub fn isolates(&self) -> bool {
        self.by.len() >= SHARED_CRASHES && !self.condemns()
    }

    /// Whether the job must fail instead of being run.
    #[must_use]
    pub fn condemns(&self) -> bool {
        self.alone_by.len() >= LONE_CRASHES
    }

    /// Counts the loss of `process`; `lost` are all processes that were lost recently.
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

    pub(crate) fn take_back(&mut self, process: Owner) {
        self.by.retain(|by| *by != process);
        self.alone_by.retain(|by| *by != process);
    }
}
