//! Named points at which a test can kill the process like a crash does: with SIGKILL, without clean-up.
//!
//! [`reached`] is called next to every commit and every external call. In a release build it does nothing. In a debug
//! build the environment of the process arms a point ([`obey`]), so that real processes die where a test wants them to.

/// Variable that arms a point: `<name>`, or `<name>:<n>` to skip the first `n - 1` passes.
pub const VARIABLE: &str = "TARSY_CRASH_AT";

/// Variable with the path of a file. The name of each point is appended to it when it is passed, one per line.
pub const LOG_VARIABLE: &str = "TARSY_CRASH_LOG";

/// Marks a crash point. Does not return if the point is armed and due.
#[inline]
pub fn reached(name: &'static str) {
    #[cfg(debug_assertions)]
    armed::reached(name);
    #[cfg(not(debug_assertions))]
    let _ = name;
}

/// Arms the point that [`VARIABLE`] names, and logs passed points to the file that [`LOG_VARIABLE`] names. A release
/// build reads neither.
pub fn obey<'a>(setting: impl Fn(&'static str) -> Option<&'a str>) {
    #[cfg(debug_assertions)]
    {
        if let Some(point) = setting(VARIABLE) {
            armed::arm(point);
        }
        if let Some(file) = setting(LOG_VARIABLE) {
            armed::log_to(file);
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = setting;
}

#[cfg(debug_assertions)]
mod armed {
    use std::fs::File;
    use std::io::Write as _;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    static LOG: OnceLock<File> = OnceLock::new();

    pub(crate) fn reached(name: &'static str) {
        if let Some(mut log) = LOG.get()
            && let Err(reason) = log.write_all(format!("{name}\n").as_bytes())
        {
            note(&format!("crash point {name} is not written down: {reason}"));
        }
        fail::fail_point!(name);
    }

    pub(crate) fn log_to(path: &str) {
        match File::options().append(true).create(true).open(path) {
            Ok(file) => {
                let _ = LOG.set(file);
            }
            Err(reason) => note(&format!("crash points are not written down: {reason}")),
        }
    }

    pub(crate) fn arm(setting: &str) {
        let (name, passes) = match setting.rsplit_once(':') {
            Some((name, n)) => (name, n.parse().unwrap_or(1)),
            None => (setting, 1),
        };
        let left = AtomicU32::new(passes);
        let armed = fail::cfg_callback(name, move || {
            if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                // The signal is delivered before the call returns; the loop is for the type.
                let _ = kill_process(getpid(), Signal::KILL);
                loop {
                    std::thread::park();
                }
            }
        });
        if let Err(reason) = armed {
            // A test whose process does not crash fails anyway. This message explains why.
            note(&format!("crash point {name} is not armed: {reason}"));
        }
    }

    #[expect(
        clippy::print_stderr,
        reason = "debug builds only, before logs are set up"
    )]
    fn note(what: &str) {
        eprintln!("{what}");
    }
}
