//! Runs other programs.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::terminal;

/// Prints the command line, runs the program, and waits for its end.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    terminal::info(&line);
    let (out, err) = terminal::outputs();
    let status = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status()
        .with_context(|| format!("cannot run `{line}`: is it installed?"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs a program with the output of this program. Returns whether it succeeds.
pub(crate) fn succeeds_aloud(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("cannot run `{}`: is it installed?", line(command)))?;
    Ok(status.success())
}

/// Whether the program starts and succeeds. Its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy();
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    std::iter::once(name)
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}
