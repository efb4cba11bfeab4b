//! The scripted operator of `cargo xtask demo --once`, which approves everything.

use std::collections::HashSet;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::{interrupt, terminal};

const EVERY: Duration = Duration::from_millis(300);

/// Approves the requests of sessions until `submitted` has exited, and returns its status.
///
/// `tarsy` returns a command that runs the command line program against the fleet.
pub(super) fn approve_until_ended(
    submitted: &mut Child,
    tarsy: impl Fn() -> Command,
) -> Result<ExitStatus> {
    let mut approved = HashSet::new();
    loop {
        if let Some(status) = submitted.try_wait()? {
            return Ok(status);
        }
        for id in open_approvals(tarsy())? {
            if approved.insert(id.clone()) {
                approve(tarsy(), &id)?;
            }
        }
        if interrupt::wait_for(EVERY) {
            submitted.kill()?;
        }
    }
}

fn open_approvals(mut tarsy: Command) -> Result<Vec<String>> {
    let listed = tarsy.args(["approvals", "list", "--json"]).output()?;
    anyhow::ensure!(
        listed.status.success(),
        "`tarsy approvals list` failed: {}",
        String::from_utf8_lossy(&listed.stderr).trim()
    );
    let listed: Value =
        serde_json::from_slice(&listed.stdout).context("`tarsy approvals list` gave no JSON")?;
    let approvals = listed["approvals"].as_array().into_iter().flatten();
    let ids = approvals.filter_map(|approval| approval["wait_id"].as_str());
    Ok(ids.map(str::to_owned).collect())
}

fn approve(mut tarsy: Command, id: &str) -> Result<()> {
    terminal::info("the scripted operator of --once approves");
    let answer = tarsy
        .args(["approvals", "approve", id, "--reason"])
        .arg("the scripted operator of the demo approves everything")
        .output()?;
    anyhow::ensure!(
        answer.status.success(),
        "`tarsy approvals approve` failed: {}",
        String::from_utf8_lossy(&answer.stderr).trim()
    );
    Ok(())
}
