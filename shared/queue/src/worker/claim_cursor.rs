//! Claim cursors: for each lane, where the next claim starts.
//!
//! A claimed job leaves dead entries at the front of the index of ready jobs. Postgres removes them once no
//! transaction can see them any more. A report that runs for three minutes keeps hundreds of thousands of them, and a
//! claim that starts at the front walks over them all.
//!
//! Within a lane (one priority of a queue), jobs become ready in the order of their ranks. The exceptions are jobs
//! that come back (released, or taken from a dead worker) and jobs whose transaction took long to commit. So a claim
//! starts shortly before the point where the last one ended. It starts at the front when jobs came back, and from time
//! to time.
//!
//! Jobs that only other workers can run (they require something that this one doesn't offer) stay in the index, and
//! each claim would walk over them too. When claims get expensive, a worker finds the first job of each lane that it
//! can run, and starts there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::claim::{Claimed, Lane};
use crate::cost_throttle::CostThrottle;

/// How far before the last claimed rank a claim starts. Longer than most transactions take from making a job ready to
/// their commit.
const SLACK_US: i64 = 250_000;
/// A busy worker claims from the front at least this often, if [`FRONT_SHARE`] allows it.
const FRONT_EVERY: Duration = Duration::from_secs(1);
/// Claims from the front take at most 1 part in this many of a worker's time. Jobs that come back are announced, so
/// these claims only find jobs that were committed late.
const FRONT_SHARE: u32 = 100;
/// A claim that took longer may have walked over many jobs of other workers.
const EXPENSIVE: Duration = Duration::from_millis(1);
/// Searches for the end of those jobs take at most 1 part in this many of a worker's time.
const OTHERS_SHARE: u32 = 50;

/// Cursors of all lanes. Each claim loop has one.
#[derive(Debug)]
pub(crate) struct ClaimCursor {
    /// Highest rank claimed in a lane, in Unix microseconds.
    ranks: HashMap<(String, i16), i64>,
    front: CostThrottle,
    others: CostThrottle,
}

impl Default for ClaimCursor {
    fn default() -> Self {
        Self {
            ranks: HashMap::new(),
            front: CostThrottle::new(FRONT_SHARE),
            others: CostThrottle::new(OTHERS_SHARE),
        }
    }
}

impl ClaimCursor {
    /// Returns whether to claim from the front now. `calm`: the last claim left slots free.
    pub(crate) fn is_front_due(&self, calm: bool, now: Instant) -> bool {
        let every = match calm {
            true => Duration::ZERO,
            false => FRONT_EVERY,
        };
        self.front.is_due(every, now)
    }

    /// Returns the lanes of `queues`, each with the rank to start from.
    pub(crate) fn lanes(&self, queues: &[String], from_front: bool) -> Vec<Lane> {
        let lane = |queue: &String, priority| {
            let rank = self.ranks.get(&(queue.clone(), priority));
            let from = rank.filter(|_| !from_front);
            Lane {
                queue: queue.clone(),
                priority,
                from_us: from.map_or(0, |rank| rank.saturating_sub(SLACK_US)),
            }
        };
        let lanes = queues
            .iter()
            .flat_map(|queue| crate::PRIORITIES.map(|priority| lane(queue, priority)));
        lanes.collect()
    }

    /// Records a claim that began at `started`.
    pub(crate) fn claimed(&mut self, jobs: &[Claimed], from_front: bool, started: Instant) {
        if from_front {
            self.front.done(started);
        }
        for job in jobs {
            self.reached(&job.queue, job.priority, job.rank_us);
        }
    }

    /// Returns whether to search for the end of other workers' jobs, after a claim that took this long.
    pub(crate) fn is_skip_due(&self, took: Duration, now: Instant) -> bool {
        took > EXPENSIVE && self.others.is_due(Duration::ZERO, now)
    }

    /// Records the result of such a search, which began at `started`: the first job of each lane that this worker can
    /// run.
    pub(crate) fn skipped(&mut self, firsts: &[Lane], started: Instant) {
        self.others.done(started);
        for lane in firsts {
            self.reached(&lane.queue, lane.priority, lane.from_us);
        }
    }

    fn reached(&mut self, queue: &str, priority: i16, rank_us: i64) {
        let lane = (queue.to_owned(), priority);
        let rank = self.ranks.entry(lane).or_insert(rank_us);
        *rank = rank_us.max(*rank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(priority: i16, rank_us: i64) -> Claimed {
        Claimed {
            claim: tarsy_model::ClaimRef {
                job_id: uuid::Uuid::nil(),
                owner: uuid::Uuid::nil(),
                epoch: 1,
            },
            queue: "q".into(),
            kind: String::new(),
            subject: uuid::Uuid::nil(),
            payload: String::new(),
            attempts: 0,
            max_attempts: 1,
            crashes: 0,
            lone_crashes: 0,
            isolated: false,
            snoozes: 0,
            traceparent: None,
            waited: Duration::ZERO,
            priority,
            rank_us,
        }
    }

    fn starts(cursor: &ClaimCursor, from_front: bool) -> Vec<i64> {
        let lanes = cursor.lanes(&["q".to_owned()], from_front);
        lanes.iter().map(|lane| lane.from_us).collect()
    }

    #[test]
    fn each_lane_starts_shortly_before_its_highest_claimed_rank() {
        let mut cursor = ClaimCursor::default();
        let second = 1_000_000;
        let jobs = [job(1, 9 * second), job(1, 7 * second), job(3, 2 * second)];
        cursor.claimed(&jobs, false, Instant::now());
        cursor.claimed(&[job(1, 8 * second)], false, Instant::now());
        assert_eq!(
            starts(&cursor, false),
            [0, 9 * second - SLACK_US, 0, 2 * second - SLACK_US]
        );
        assert_eq!(starts(&cursor, true), [0; 4]);
    }

    #[test]
    fn jobs_of_others_are_skipped_after_an_expensive_claim_but_not_those_before_the_position_reached()
     {
        let (mut cursor, now) = (ClaimCursor::default(), Instant::now());
        assert!(!cursor.is_skip_due(EXPENSIVE, now));
        assert!(cursor.is_skip_due(EXPENSIVE * 2, now));
        let second = 1_000_000;
        cursor.claimed(&[job(2, 9 * second)], false, now);
        let lane = |priority, from_us| Lane {
            queue: "q".into(),
            priority,
            from_us,
        };
        cursor.skipped(&[lane(0, 5 * second), lane(2, 4 * second)], now);
        let expected = [5 * second - SLACK_US, 0, 9 * second - SLACK_US, 0];
        assert_eq!(starts(&cursor, false), expected);
        assert_eq!(starts(&cursor, true), [0; 4], "the front is looked at, too");
    }
}
