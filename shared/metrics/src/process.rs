//! CPU, memory and files of this process.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// When the metrics were made: as the process starts.
pub(crate) static STARTED: LazyLock<f64> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs_f64()
});

/// What Linux says about this process.
pub(crate) struct ProcessFigures {
    pub(crate) cpu_seconds: f64,
    pub(crate) resident_bytes: f64,
    pub(crate) open_files: f64,
    /// Unix time.
    pub(crate) started_at: f64,
}

impl ProcessFigures {
    /// `None` where there is no `/proc`.
    pub(crate) fn read() -> Option<Self> {
        /// Of `/proc`, whatever the kernel's own: `USER_HZ`.
        const TICKS_A_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // The name, in brackets, may hold spaces; fields are counted from behind it.
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
