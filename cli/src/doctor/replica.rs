//! Checks of the replica that history is read from.

use std::time::Duration;

use tarsy_postgres::{ReplicaStanding, Trouble};

use super::Check;

const AREA: &str = "replica";
/// Lag beyond which a replica serves no reads.
const MAX_LAG: Duration = Duration::from_secs(1);

/// Checks the server of `HISTORY_DATABASE_URL`.
pub(crate) fn check(standing: &ReplicaStanding) -> Check {
    let lag = format!("{:.1} s", standing.lag.as_secs_f64());
    match &standing.trouble {
        Some(trouble) => Check::failure(
            AREA,
            format!(
                "the server of HISTORY_DATABASE_URL {trouble}: history is read from the primary"
            ),
            match trouble {
                Trouble::NotAStandby => "name a streaming standby, or leave the variable out",
                Trouble::Foreign => "name a standby of the server in DATABASE_URL",
                _ => "start it, or leave the variable out until it is back",
            },
        ),
        None if standing.lag > MAX_LAG => Check::warning(
            AREA,
            format!("the replica is {lag} behind: history is read from the primary"),
            "see pg_stat_replication on the primary; on the replica pg_get_wal_replay_pause_state(), long reads (max_standby_streaming_delay) and its disk",
        ),
        None => Check::ok(
            AREA,
            format!("history is read from a replica, {lag} behind"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;

    #[test]
    fn a_replica_that_serves_no_reads_is_found() {
        let standing = |trouble: Option<Trouble>, seconds| ReplicaStanding {
            trouble,
            lag: Duration::from_secs(seconds),
            lag_bytes: Some(0),
        };
        let found = |standing| {
            let check = check(&standing);
            (check.verdict, check.finding)
        };
        assert_eq!(found(standing(None, 0)).0, Verdict::Ok);
        let (verdict, finding) = found(standing(None, 90));
        assert_eq!(verdict, Verdict::Warning);
        assert!(finding.contains("90.0 s behind"), "{finding}");
        let (verdict, finding) = found(standing(Some(Trouble::NotAStandby), 0));
        assert_eq!(verdict, Verdict::Failure);
        assert!(finding.contains("is not a standby"), "{finding}");
    }
}
