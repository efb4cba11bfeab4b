//! Printing to pipes whose reader may close, like `head`. Errors on standard error are ignored.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use crate::output::harmless;

/// Prints a line to standard output; exits if the reader has closed it.
macro_rules! println {
    () => { $crate::printing::out(format_args!("")) };
    ($($arguments:tt)*) => { $crate::printing::out(format_args!($($arguments)*)) };
}

/// Prints a line to standard error and ignores errors.
macro_rules! eprintln {
    ($($arguments:tt)*) => { $crate::printing::err(format_args!($($arguments)*)) };
}

pub(crate) fn out(line: Arguments<'_>) {
    let written = writeln!(std::io::stdout().lock(), "{line}");
    if let Err(error) = written {
        end(&error);
    }
}

/// Prints bytes to standard output, without adding a newline.
pub(crate) fn out_bytes(text: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(text).and_then(|()| stdout.flush()) {
        end(&error);
    }
}

pub(crate) fn err(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Exits quietly on a closed pipe, and with an error on a full disk.
#[expect(
    clippy::disallowed_methods,
    reason = "as SIGPIPE would: a command that prints holds nothing to be drained"
)]
fn end(error: &std::io::Error) {
    let is_gone = error.kind() == ErrorKind::BrokenPipe;
    if !is_gone {
        err(format_args!(
            "error: failed to write standard output: {error}"
        ));
    }
    std::process::exit(i32::from(!is_gone));
}

/// Prints an error with its causes and returns the failure exit code. Errors may quote files and servers, so control
/// characters are replaced before they reach the terminal.
pub(crate) fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {}", harmless(&error.to_string()));
    for cause in error.chain().skip(1) {
        eprintln!("  caused by: {}", harmless(&cause.to_string()));
    }
    ExitCode::FAILURE
}
