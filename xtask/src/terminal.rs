//! Messages to the terminal, a CI log, or the log of a background phase.

use std::cell::RefCell;
use std::fs::File;
use std::io::{IsTerminal, Write as _};
use std::process::Stdio;
use std::time::Duration;

thread_local! {
    /// Log of this thread, if its messages are not printed to the terminal.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Redirects this thread's messages, and the output of its programs, to a file.
pub(crate) fn log_to(file: Option<File>) {
    LOG.set(file);
}

/// Returns standard output and error for a program that this thread runs.
pub(crate) fn outputs() -> (Stdio, Stdio) {
    LOG.with_borrow(|log| {
        let copy = || match log.as_ref().map(File::try_clone) {
            Some(Ok(file)) => Stdio::from(file),
            _ => Stdio::inherit(),
        };
        (copy(), copy())
    })
}

/// Prints the title of a part of the run.
pub(crate) fn heading(text: &str) {
    println!("\n{}", paint("1;36", &format!("=== {text}")));
}

/// Prints a line of progress.
pub(crate) fn info(text: &str) {
    LOG.with_borrow_mut(|log| match log {
        // A failure to write the log must not fail the phase.
        Some(file) => drop(writeln!(file, "--> {text}")),
        None => eprintln!("{} {text}", paint("36", "-->")),
    });
}

/// Prints an error with its causes.
pub(crate) fn failure(error: &anyhow::Error) {
    eprintln!("\n{} {error}", paint("1;31", "error:"));
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}

pub(crate) fn green(text: &str) -> String {
    paint("32", text)
}

pub(crate) fn red(text: &str) -> String {
    paint("1;31", text)
}

pub(crate) fn yellow(text: &str) -> String {
    paint("1;33", text)
}

/// Formats a duration: "0.4 s", "1 min 05 s".
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

fn paint(code: &str, text: &str) -> String {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(Duration::from_millis(430)), "0.4 s");
        assert_eq!(duration(Duration::from_secs(65)), "1 min 05 s");
    }

    #[test]
    fn a_thread_with_a_log_writes_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        log_to(Some(File::create(&path).unwrap()));
        info("from us");
        crate::shell::run(std::process::Command::new("echo").arg("from a program")).unwrap();
        log_to(None);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "--> from us\n--> echo from a program\nfrom a program\n"
        );
    }
}
