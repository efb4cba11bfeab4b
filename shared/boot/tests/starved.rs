//! Checks that a process that can create no more threads can still resolve host names.
//!
//! The limit is that of a control group, as for a container. If no group can be created, it is the limit of the user
//! (`RLIMIT_NPROC`). It applies to a whole process, so the test runs itself again in another process.
#![expect(clippy::unwrap_used, reason = "in a test, a failure is a panic")]

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set in the starved process. The value is its control group, or empty if its user is limited instead.
const STARVED_IN: &str = "TARSY_TEST_STARVED_IN";
/// Root is not subject to `RLIMIT_NPROC`, so the starved process runs as the user `nobody`.
const NOBODY: u32 = 65_534;

/// A control group. It is removed when dropped.
struct Group(PathBuf);

impl Group {
    fn make() -> Option<Self> {
        let name = format!("tarsy-boot-{}", std::process::id());
        ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"]
            .iter()
            .map(|root| PathBuf::from(root).join(&name))
            .find_map(|folder| {
                std::fs::create_dir(&folder).ok()?;
                let group = Self(folder);
                group.0.join("pids.max").is_file().then_some(group)
            })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_name_is_looked_up_where_no_thread_can_be_made() {
    let group = Group::make();
    let mut starved = Command::new(std::env::current_exe().unwrap());
    starved
        .args(["--exact", "the_starved_process", "--ignored", "--nocapture"])
        .env(STARVED_IN, group.as_ref().map_or(Path::new(""), |g| &g.0));
    if group.is_none() && user() == "0" {
        starved.uid(NOBODY).gid(NOBODY);
    }
    let output = starved.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("1 passed"),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn user() -> String {
    let output = Command::new("id").arg("-u").output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
#[ignore = "the process that the other test starts"]
fn the_starved_process() {
    let group = std::env::var_os(STARVED_IN).expect("the other test starts it");
    let runtime = tarsy_boot::runtime().unwrap();
    starve(Path::new(&group));
    std::thread::Builder::new()
        .spawn(|| ())
        .expect_err("a thread was made: nothing is tested");

    let found = runtime.block_on(tokio::net::lookup_host("localhost:80"));
    assert!(found.unwrap().next().is_some());
}

fn starve(group: &Path) {
    let own = std::process::id().to_string();
    if group.as_os_str().is_empty() {
        let limited = Command::new("prlimit")
            .args(["--pid", &own, "--nproc=1:1"])
            .status();
        assert!(limited.unwrap().success(), "prlimit (util-linux) failed");
    } else {
        std::fs::write(group.join("cgroup.procs"), own).unwrap();
        std::fs::write(group.join("pids.max"), "1").unwrap();
    }
}
