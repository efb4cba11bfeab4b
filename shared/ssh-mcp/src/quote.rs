//! Builds the one string for the remote login shell that SSH requires.

use std::time::Duration;

/// Returns the command line that runs an argument vector and ends it after `limit`, no matter what happens to this
/// process.
///
/// Every argument is one quoted word of a POSIX shell. `timeout` sends TERM, and KILL one second later.
pub(crate) fn command_line(argv: &[String], limit: Duration) -> String {
    let mut line = format!("timeout -k 1 {}", limit.as_secs().max(1));
    for argument in argv {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// Returns `'..'`, with each quote inside written as `'\''`.
fn quoted(argument: &str) -> String {
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::command_line;

    #[test]
    fn each_argument_is_one_word() {
        let argv = ["echo", "it's", "$(id)", ""].map(str::to_owned);
        let line = command_line(&argv, Duration::from_secs(5));
        assert_eq!(line, r"timeout -k 1 5 'echo' 'it'\''s' '$(id)' ''");
    }
}
