//! What the sessions in a run's folder were made with.

use std::path::Path;

use anyhow::{Result, bail};
use tarsy_eval::Settings;

const FILE: &str = "settings.json";

/// Keeps the settings of a run in its folder. Refuses to resume a run with other settings, since its report would mix both.
pub(super) fn keep(folder: &Path, settings: &Settings) -> Result<()> {
    let file = folder.join(FILE);
    if file.exists() {
        let kept = read(folder)?;
        // The seed changes no session.
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

/// Settings of the run in this folder, also if it was interrupted before its report.
pub(super) fn read(folder: &Path) -> Result<Settings> {
    let file = folder.join(FILE);
    if !file.exists() {
        // A run of an older version.
        return Ok(super::read_report(folder)?.settings);
    }
    super::read_json(&file)
}
