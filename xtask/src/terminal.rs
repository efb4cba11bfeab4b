//! How we speak to the one at the terminal (or in a CI log).

use std::io::IsTerminal;
use std::time::Duration;

/// Open a part of the run.
pub(crate) fn heading(text: &str) {
    println!("\n{}", paint("1;36", &format!("=== {text}")));
}

/// One line of progress, beside what the command is asked to print.
pub(crate) fn say(text: &str) {
    eprintln!("{} {text}", paint("36", "-->"));
}

/// What happened, why, and so on down the causes.
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

/// "0.4 s", "1 min 05 s".
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
}
