//! CPU, memory and files of this process.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// Start time of the process, in Unix seconds.
pub(crate) static STARTED: LazyLock<f64> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs_f64()
});

/// CPU, memory and file counts of this process, from `/proc`.
pub(crate) struct ProcessStats {
    pub(crate) cpu_seconds: f64,
    pub(crate) resident_bytes: f64,
    pub(crate) open_files: f64,
    /// Start time, in Unix seconds.
    pub(crate) started_at: f64,
}

impl ProcessStats {
    /// Reads `/proc`. Returns `None` if it does not exist.
    pub(crate) fn read() -> Option<Self> {
        /// Clock ticks per second in `/proc` (`USER_HZ`), independent of the kernel's own rate.
        const TICKS_A_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // The process name, in brackets, may contain spaces, so fields are counted after it.
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: f64 = resident.split_whitespace().next()?.parse().ok()?;
        let files = std::fs::read_dir("/proc/self/fd").ok()?.count();
        Some(Self {
            cpu_seconds: (ticks(11)? + ticks(12)?) / TICKS_A_SECOND,
            resident_bytes: kibibytes * 1024.0,
            open_files: u32::try_from(files).ok()?.into(),
            started_at: *STARTED,
        })
    }
}
