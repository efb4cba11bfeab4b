//! Limit of open files of the process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Sufficient limit. It is not higher, because programs that iterate over all file descriptors up
/// to the limit would be slow.
const ENOUGH: u64 = 65_536;

/// Raises the limit of open files as far as needed and allowed, and returns it.
pub(super) fn limit() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(ENOUGH).min(ENOUGH);
    let mut limit = current.unwrap_or(u64::MAX);
    if limit < wanted {
        let raised = Rlimit {
            current: Some(wanted),
            maximum,
        };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => limit = wanted,
            Err(error) => tracing::warn!(?error, limit, "the limit of open files stays as it is"),
        }
    }
    usize::try_from(limit).unwrap_or(usize::MAX)
}
