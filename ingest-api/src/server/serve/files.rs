//! How many files the process may open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// As many as anybody needs; programs that look at every number up to the limit stay quick.
const ENOUGH: u64 = 65_536;

/// The limit of open files, raised as far as the process itself may and needs to.
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
