//! Ends the fleet of a run that was killed. Its processes are in separate process groups and would keep running.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

/// Environment variable of all processes of a fleet: the folder of their run.
pub(crate) const FOLDER: &str = "TARSY_TORTURE_FOLDER";

/// Waits for the end of its input. Then kills the processes that have the folder in their environment, and the
/// PostgreSQL servers in the second folder. After a run that ended normally there are none.
const SCRIPT: &str = r#"
cat > /dev/null
for environment in $(grep -lzsxF "$1=$2" /proc/[0-9]*/environ); do
    process=${environment#/proc/}
    kill -s KILL "${process%/environ}"
done
for file in $(find "$3" -name postmaster.pid); do
    server=$(head -n 1 "$file")
    # A stale file may name a process of somebody else by now.
    grep -qsF "$3" "/proc/$server/cmdline" && kill -s QUIT "$server"
done
"#;

/// Starts a shell that reads from this process until it ends for any reason. The shell watches processes that have the
/// first folder in their environment, and servers in the second.
pub(crate) fn start(fleet: &Path, servers: &Path) -> Result<Child> {
    Command::new("sh")
        .args(["-c", SCRIPT, "sh", FOLDER])
        .args([fleet, servers])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .context("cannot start a shell")
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn what_a_killed_run_leaves_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let sleeper = |folder: &Path| {
            let mut sleep = Command::new("sleep");
            sleep.arg("1000").env(FOLDER, folder).spawn().unwrap()
        };
        let [mut member, mut bystander] = [folder.path(), Path::new("/elsewhere")].map(sleeper);
        let note = |place: &str, process: u32| {
            let data = folder.path().join(place);
            std::fs::create_dir_all(&data).unwrap();
            let file = data.join("postmaster.pid");
            std::fs::write(&file, format!("{process}\n/data\n")).unwrap();
            file
        };
        // Like a server, `tail` has the folder among its arguments.
        let mut waits = Command::new("tail");
        waits.arg("-f").arg(note("data", 0)).stdout(Stdio::null());
        let mut server = waits.spawn().unwrap();
        note("data", server.id());
        note("stale", bystander.id());
        let mut watchdog = start(folder.path(), folder.path()).unwrap();
        assert_eq!(member.try_wait().unwrap(), None);

        drop(watchdog.stdin.take());
        assert_eq!(member.wait().unwrap().signal(), Some(9));
        assert_eq!(server.wait().unwrap().signal(), Some(3));
        watchdog.wait().unwrap();
        assert_eq!(bystander.try_wait().unwrap(), None);
        bystander.kill().unwrap();
        bystander.wait().unwrap();
    }
}
