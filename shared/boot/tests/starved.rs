//! A process that may have no more threads still finds hosts by name.
//!
//! The limit is a control group's, as around a container. It holds the whole process, so the test
//! runs itself again for it.

use std::path::PathBuf;
use std::process::Command;

/// Set for the process that is starved: where its control group is.
const STARVED_IN: &str = "TARSY_TEST_STARVED_IN";

/// A control group; it goes with its last process.
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
    let Some(group) = Group::make() else {
        eprintln!("skipped: no control group with a limit on processes can be made here");
        return;
    };
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_starved_process", "--ignored", "--nocapture"])
        .env(STARVED_IN, &group.0)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
#[ignore = "the process that the other test starts"]
fn the_starved_process() {
    let Some(group) = std::env::var_os(STARVED_IN).map(PathBuf::from) else {
        return;
    };
    let runtime = tarsy_boot::runtime().unwrap();
    std::fs::write(group.join("cgroup.procs"), std::process::id().to_string()).unwrap();
    std::fs::write(group.join("pids.max"), "1").unwrap();
    std::thread::Builder::new()
        .spawn(|| ())
        .expect_err("a thread was made: nothing is tested");

    let found = runtime.block_on(tokio::net::lookup_host("localhost:80"));
    assert!(found.unwrap().next().is_some());
}
