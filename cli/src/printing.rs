//! Printing for a reader that may go, as `head` does. What goes wrong on standard error is nobody's concern.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

/// Print a line to standard output; ends the program where nobody reads it any more.
macro_rules! println {
    () => { $crate::printing::out(format_args!("")) };
    ($($arguments:tt)*) => { $crate::printing::out(format_args!($($arguments)*)) };
}

/// Print a line to standard error, if somebody reads it.
macro_rules! eprintln {
    ($($arguments:tt)*) => { $crate::printing::err(format_args!($($arguments)*)) };
}

pub(crate) fn out(line: Arguments<'_>) {
    let written = writeln!(std::io::stdout().lock(), "{line}");
    if let Err(error) = written {
        end(&error);
    }
}

/// Print a text as it is to standard output.
pub(crate) fn out_bytes(text: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(text).and_then(|()| stdout.flush()) {
        end(&error);
    }
}

pub(crate) fn err(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// A reader that went has read enough; a full disk is an error.
#[expect(
    clippy::disallowed_methods,
    reason = "as SIGPIPE would: a command that prints holds nothing to be drained"
)]
fn end(error: &std::io::Error) {
    let is_gone = error.kind() == ErrorKind::BrokenPipe;
    if !is_gone {
        err(format_args!(
            "error: standard output can't be written: {error}"
        ));
    }
    std::process::exit(i32::from(!is_gone));
}

/// The status of a command that could not do it.
pub(crate) fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
    ExitCode::FAILURE
}
