//! Runbook limits of a process.

use std::path::PathBuf;
use std::time::Duration;

use super::reader::Reader;

/// Overrides of the file's `runbooks` section. `None` keeps the value of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunbookSettings {
    /// `RUNBOOK_TIMEOUT`: longest fetch, redirects included.
    pub timeout: Option<Duration>,
    /// `RUNBOOK_MAX_BYTES`: largest runbook, in bytes.
    pub max_bytes: Option<usize>,
    /// `RUNBOOK_DIR`: directory from which `local:<name>` is read.
    pub local_dir: Option<PathBuf>,
}

impl RunbookSettings {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Self {
        let timeout = reader
            .text("RUNBOOK_TIMEOUT", "10s", "longest runbook fetch")
            .map(crate::units::duration);
        if matches!(timeout, Some(None | Some(Duration::ZERO))) {
            reader.problem(
                "`RUNBOOK_TIMEOUT`: invalid value, expected a length of time".to_owned(),
                "e.g. `10s`",
            );
        }
        Self {
            timeout: timeout.flatten(),
            max_bytes: reader.parse(
                "RUNBOOK_MAX_BYTES",
                "1048576",
                "a number of bytes",
                "largest runbook in bytes",
            ),
            local_dir: reader
                .text(
                    "RUNBOOK_DIR",
                    "config/runbooks",
                    "directory of `local:<name>` runbooks",
                )
                .map(PathBuf::from),
        }
    }
}
