//! Limits processes and threads, so that a fork bomb hits only its own worker.

use std::path::PathBuf;

/// Limit for a worker and its children.
const MOST: &str = "300";

/// A control group with a pid limit.
#[derive(Debug)]
pub(crate) struct ProcessLimit {
    folder: PathBuf,
}

impl ProcessLimit {
    /// Creates one; `None` where control groups are not available.
    pub(crate) fn make(name: &str) -> Option<Self> {
        let roots = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
        roots.iter().find_map(|root| {
            let folder =
                PathBuf::from(root).join(format!("tarsy-torture-{}-{name}", std::process::id()));
            std::fs::create_dir(&folder).ok()?;
            let limit = Self { folder };
            std::fs::write(limit.folder.join("pids.max"), MOST).ok()?;
            Some(limit)
        })
    }

    /// Whether this machine allows control groups.
    pub(crate) fn possible() -> bool {
        Self::make("probe").is_some()
    }

    /// How often the limit was reached.
    pub(crate) fn refused(&self) -> u64 {
        let events = std::fs::read_to_string(self.folder.join("pids.events")).unwrap_or_default();
        let met = events
            .lines()
            .find_map(|line| line.strip_prefix("max ")?.parse().ok());
        met.unwrap_or(0)
    }

    /// Adds a process; its future children belong to it too.
    pub(crate) fn add(&self, process: u32) {
        let _ = std::fs::write(self.folder.join("cgroup.procs"), process.to_string());
    }
}

impl Drop for ProcessLimit {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}
