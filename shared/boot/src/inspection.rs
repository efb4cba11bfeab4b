//! Prevents other processes of the same user from inspecting this process.

use std::io;

/// Variable that permits core dumps and debuggers. The only value with an effect is `on`.
const CORE_DUMPS: &str = "TARSY_CORE_DUMPS";

/// Denies processes of the same user access to the environment, memory and open files of this process, unless
/// `TARSY_CORE_DUMPS` is `on`. It must be the first call of every `main`, before any child is started.
///
/// MCP servers over standard streams run as the same user, and `/proc/PID/environ` contains every secret of the fleet.
/// A process that may trace all others (root) still has access. As a side effect, the kernel writes no core dump of
/// this process.
///
/// # Errors
///
/// The system's error, if the switch is not available.
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
