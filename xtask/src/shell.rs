//! Calling other programs, their output going straight to ours.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::terminal;

/// Run the program to its end, showing the command line first.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    terminal::say(&line);
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot run `{line}`: is it installed?"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Whether the program can be run and succeeds; it prints nothing.
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
