//! Faults of this machine. They are no fault of the work that failed because of them.

use std::error::Error;
use std::io;

/// Reason why this machine could not even start something. Another machine may be able to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalFault {
    /// The target can't be reached from here: no connection to the model, or no program of the MCP server.
    Unreachable,
    /// The machine has run out of something.
    Shortage(Shortage),
}

impl LocalFault {
    /// Returns the fault that an error of the operating system shows.
    #[must_use]
    pub fn find(error: &io::Error) -> Self {
        Shortage::find(error).map_or(Self::Unreachable, Self::Shortage)
    }
}

/// A resource that the operating system has run out of, or of which this process has reached its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Shortage {
    /// `EMFILE`: this process has as many files open as it may.
    #[error("it may open no more files (limit of open files, RLIMIT_NOFILE)")]
    ProcessFiles,
    /// `ENFILE`: the machine has as many files open as it can.
    #[error("its machine can open no more files")]
    MachineFiles,
    /// `EAGAIN`: no process or thread can be started.
    #[error("it can start no more processes or threads (limit of tasks)")]
    Processes,
    /// `ENOMEM`.
    #[error("its machine is out of memory")]
    Memory,
    /// `ENOSPC`.
    #[error("its disk is full")]
    Disk,
}

impl Shortage {
    /// All shortages.
    pub const ALL: [Self; 5] = [
        Self::ProcessFiles,
        Self::MachineFiles,
        Self::Processes,
        Self::Memory,
        Self::Disk,
    ];

    /// Returns the word used in metrics, e.g. `process_files`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProcessFiles => "process_files",
            Self::MachineFiles => "machine_files",
            Self::Processes => "processes",
            Self::Memory => "memory",
            Self::Disk => "disk",
        }
    }

    /// Finds the shortage that caused an error, anywhere in its chain of sources.
    #[must_use]
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut cause = Some(error);
        while let Some(error) = cause {
            let shortage = error.downcast_ref::<Self>().copied();
            let shortage = shortage.or_else(|| Self::from_io(error.downcast_ref()?));
            if shortage.is_some() {
                return shortage;
            }
            cause = error.source();
        }
        None
    }

    fn from_io(error: &io::Error) -> Option<Self> {
        match error.raw_os_error() {
            Some(code) => Self::from_errno(code),
            // `source()` of an `io::Error` skips the error that it wraps, so look at that one with `get_ref`.
            None => Self::find(error.get_ref()?),
        }
    }

    /// Maps an error number of Linux (`errno(3)`) to the shortage.
    const fn from_errno(code: i32) -> Option<Self> {
        match code {
            11 => Some(Self::Processes),
            12 => Some(Self::Memory),
            23 => Some(Self::MachineFiles),
            24 => Some(Self::ProcessFiles),
            28 => Some(Self::Disk),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("it failed")]
    struct Wrapper(#[source] Box<dyn Error + Send + Sync>);

    #[test]
    fn a_shortage_is_found_below_other_errors() {
        for (errno, shortage) in [11, 24, 12, 23, 28].into_iter().zip([
            Shortage::Processes,
            Shortage::ProcessFiles,
            Shortage::Memory,
            Shortage::MachineFiles,
            Shortage::Disk,
        ]) {
            let os = || io::Error::from_raw_os_error(errno);
            let in_io = io::Error::other(Wrapper(Box::new(os())));
            assert_eq!(Shortage::find(&os()), Some(shortage));
            assert_eq!(Shortage::find(&Wrapper(Box::new(os()))), Some(shortage));
            assert_eq!(Shortage::find(&io::Error::other(os())), Some(shortage));
            assert_eq!(Shortage::find(&Wrapper(Box::new(in_io))), Some(shortage));
            assert_eq!(Shortage::find(&shortage), Some(shortage));
        }
    }

    #[test]
    fn what_a_peer_does_is_no_shortage() {
        for kind in [
            io::ErrorKind::ConnectionRefused,
            io::ErrorKind::NotFound,
            io::ErrorKind::WouldBlock,
            io::ErrorKind::TimedOut,
        ] {
            assert_eq!(Shortage::find(&io::Error::from(kind)), None, "{kind}");
        }
        assert_eq!(Shortage::find(&io::Error::from_raw_os_error(111)), None);
    }
}
