//! What the sessions in a run's folder were made with.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
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
    super::write(&file, &serde_json::to_string_pretty(settings)?)
}

/// Settings of the run in this folder, also if it was interrupted before its report.
pub(super) fn read(folder: &Path) -> Result<Settings> {
    let file = folder.join(FILE);
    if !file.exists() {
        // A run of an older version.
        return Ok(super::read_report(folder)?.settings);
    }
    let text = fs::read_to_string(&file).with_context(|| super::failed("read", &file))?;
    serde_json::from_str(&text).with_context(|| super::failed("read", &file))
}
