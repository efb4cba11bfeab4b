//! The limit of open files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Limit that a process requests. Programs that it starts inherit the limit, and some of them loop over all possible
/// files.
const MOST: u64 = 65_536;

/// Raises the soft limit of open files up to the hard limit, to at most 65,536.
///
/// About two hundred stages, each with connections to a model and to MCP servers, reach the usual soft limit of 1,024.
/// A process that may not raise the limit keeps the one it has.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let Some(wanted) = raised(&limit) else { return };
    if let Err(error) = setrlimit(Resource::Nofile, wanted) {
        tracing::warn!(?error, "failed to raise the limit of open files");
    }
}

/// Returns the limit to request; `None` if the current one is enough. A missing value means no limit.
fn raised(limit: &Rlimit) -> Option<Rlimit> {
    let current = limit.current?;
    let wanted = limit.maximum.map_or(MOST, |most| most.min(MOST));
    (wanted > current).then_some(Rlimit {
        current: Some(wanted),
        ..*limit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_rises_as_far_as_the_hard_one_allows() {
        let soft = |current, maximum| raised(&Rlimit { current, maximum }).map(|r| r.current);
        assert_eq!(soft(Some(1_024), Some(1_048_576)), Some(Some(MOST)));
        assert_eq!(soft(Some(1_024), None), Some(Some(MOST)));
        assert_eq!(soft(Some(1_024), Some(4_096)), Some(Some(4_096)));
        assert_eq!(soft(Some(4_096), Some(4_096)), None);
        assert_eq!(soft(Some(1_000_000), Some(1_000_000)), None);
        assert_eq!(soft(None, None), None);
    }
}
