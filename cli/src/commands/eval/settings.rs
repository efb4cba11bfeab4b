//! Settings of the sessions in a run's folder.

use std::path::Path;

use anyhow::{Result, bail};
use tarsy_eval::Settings;

const FILE: &str = "settings.json";

/// Stores the settings of a run in its folder. Refuses to resume a run with other settings, because its report would
/// mix both.
pub(super) fn keep(folder: &Path, settings: &Settings) -> Result<()> {
    let file = folder.join(FILE);
    if file.exists() {
        let kept = read(folder)?;
        // The seed does not affect sessions.
        let same = Settings {
            seed: kept.seed,
            ..settings.clone()
        };
        if kept != same {
            bail!(
                "{} is the folder of a run with {kept}; this run has {settings}: choose another --output",
                folder.display()
            );
        }
    }
    super::write_json(&file, settings)
}

/// Reads the settings of the run in this folder, even if it was interrupted before its report.
pub(super) fn read(folder: &Path) -> Result<Settings> {
    let file = folder.join(FILE);
    if !file.exists() {
        // A run of an older version has its settings only in the report.
        return Ok(super::read_report(folder)?.settings);
    }
    super::read_json(&file)
}
