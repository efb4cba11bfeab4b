//! Wrong clocks: libfaketime in a process, with its offset in a file.

use std::path::{Path, PathBuf};

/// Paths of the multi-threaded library in Debian and Fedora.
const PLACES: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

pub(crate) fn library() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|path| path.exists())
}

/// Whether a process has loaded the library.
pub(crate) fn is_in(process: u32) -> bool {
    let loaded = std::fs::read_to_string(format!("/proc/{process}/maps"));
    loaded.is_ok_and(|loaded| loaded.contains("libfaketime"))
}

/// Wall clock of a process.
#[derive(Debug)]
pub(crate) struct Clock {
    file: PathBuf,
}

impl Clock {
    /// Creates a correct clock, with its file in `folder` under the process's name.
    pub(crate) fn new(folder: &Path, name: &str) -> std::io::Result<Self> {
        let clock = Self {
            file: folder.join(format!("clock-{name}")),
        };
        clock.set(0)?;
        Ok(clock)
    }

    /// Sets the offset in seconds, effective at once and also backwards.
    pub(crate) fn set(&self, seconds: i64) -> std::io::Result<()> {
        // Renamed into place: a process never reads half an offset.
        let aside = self.file.with_extension("new");
        std::fs::write(&aside, format!("{seconds:+}\n"))?;
        std::fs::rename(aside, &self.file)
    }

    /// Environment that makes a process use the clock; empty without the library.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let Some(library) = library() else {
            return Vec::new();
        };
        vec![
            ("LD_PRELOAD", library.display().to_string()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.display().to_string()),
            ("FAKETIME_CACHE_DURATION", "1".to_owned()),
            // Only the time of day is wrong. Timers are not affected.
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
    }
}
