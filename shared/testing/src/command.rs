//! Runs helper programs. Errors include the end of a program's output.

use std::process::{Command, Stdio};

use crate::{Error, Result};

/// Lines of output shown in an error.
const SHOWN_LINES: usize = 20;

/// Runs a program to its end and returns its standard output.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let line = command_line(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Spawn {
            command: line.clone(),
            source,
        })?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let printed = format!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
    Err(Error::Command {
        command: line,
        status: output.status,
        output: indented_tail(&printed),
    })
}

fn command_line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the last non-empty lines of `text`, indented, each after a line break.
pub(crate) fn indented_tail(text: &str) -> String {
    let lines: Vec<_> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..]
        .iter()
        .map(|line| format!("\n    {line}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_failed_program_contains_its_output() {
        let error =
            run(Command::new("sh").args(["-c", "echo to be read >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("to be read"), "{error}");
        assert!(error.to_string().contains("exit status: 3"), "{error}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program-of-ours")).unwrap_err();
        assert!(
            error.to_string().contains("no-such-program-of-ours"),
            "{error}"
        );
    }
}
