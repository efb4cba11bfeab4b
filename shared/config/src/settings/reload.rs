//! When the configuration is reloaded.

use std::time::Duration;

use super::reader::Reader;

/// When a process reloads the configuration file, in addition to SIGHUP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReloadSettings {
    /// `TARSY_CONFIG_POLL`: interval at which the file is checked. A change is loaded at the second check that finds
    /// it. Default 2 s; `None` (0): only SIGHUP loads it.
    pub poll: Option<Duration>,
}

impl ReloadSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let poll = reader.duration(
            "TARSY_CONFIG_POLL",
            Duration::from_secs(2),
            (Duration::ZERO, Duration::from_secs(3_600)),
            "time between two looks at the configuration file, which is loaded again when it has changed; `0s`: on SIGHUP alone",
        );
        Self {
            poll: Some(poll).filter(|poll| !poll.is_zero()),
        }
    }
}
