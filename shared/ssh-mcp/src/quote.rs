//! One string for the login shell on the far side, which SSH does not let us avoid.

use std::time::Duration;

/// The command line that runs an argument vector, and ends it after `limit` whatever happens to us.
///
/// Every argument is one quoted word of a POSIX shell. `timeout` sends TERM, a second later KILL.
pub(crate) fn command_line(argv: &[String], limit: Duration) -> String {
    let mut line = format!("timeout -k 1 {}", limit.as_secs().max(1));
    for argument in argv {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// `'..'`, where a quote inside becomes `'\''`.
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
