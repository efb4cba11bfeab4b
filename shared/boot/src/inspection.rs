//! Keeps other processes of the same user out of this process.

use std::io;

/// Variable that leaves core dumps and debuggers to everyone; `on` is its only value with a meaning.
const CORE_DUMPS: &str = "TARSY_CORE_DUMPS";

/// Denies processes of the same user the environment, memory and open files of this process, unless `TARSY_CORE_DUMPS`
/// is `on`. The first call of every `main`, before any child is started.
///
/// MCP servers over standard streams run as the same user, and `/proc/PID/environ` holds every secret of the fleet.
/// A process that may trace all others (root) is not denied. The kernel writes no core dump of this process then.
///
/// # Errors
///
/// The system's, if it has no such switch.
pub fn deny_inspection() -> io::Result<()> {
    if std::env::var_os(CORE_DUMPS).is_some_and(|value| value == "on") {
        return Ok(());
    }
    deny()
}

#[cfg(target_os = "linux")]
fn deny() -> io::Result<()> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

#[cfg(not(target_os = "linux"))]
fn deny() -> io::Result<()> {
    Ok(())
}
