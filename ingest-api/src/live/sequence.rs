//! Restores the order of events whose ids become visible out of order.
//!
//! An id is assigned before its transaction commits, so event 7 may be visible while 6 is not.
//! Event 7 then waits, so that a client that names its last event id has missed none before it. Id
//! 6 is known to be unused when every transaction that could still write it has ended (see
//! [`tarsy_store::event_log::event_writers`]).
//!
//! A stuck transaction delays other events for at most [`PATIENCE`]. Then they are passed on
//! without it. If its event appears after all, it is late and gets a new id.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Longest time that an event waits for one with a lower id.
const PATIENCE: Duration = Duration::from_secs(1);

/// Range of missing ids that ends with `last`.
#[derive(Debug)]
struct Gap {
    last: i64,
    since: Instant,
    /// Transactions that may still write them; `None` before the writers were queried.
    suspects: Option<BTreeSet<String>>,
    overdue: bool,
}

/// Events that are being put into order.
#[derive(Debug)]
pub(crate) struct Sequence<E> {
    /// Every id up to this one was passed on, is unused or is overdue.
    position: i64,
    /// Events that were read but not passed on, because of a gap before them.
    waiting: BTreeMap<i64, E>,
    /// Gaps, by their first id.
    gaps: BTreeMap<i64, Gap>,
}

/// Result of a poll.
#[derive(Debug)]
pub(crate) struct ReadyEvents<E> {
    /// Events to pass on, in this order.
    pub(crate) ready: Vec<(i64, E)>,
    /// Events that became visible too late for their place.
    pub(crate) late: Vec<i64>,
}

impl<E> Sequence<E> {
    /// Begins after the newest id. `recent` are the visible ids up to it. Ids that are missing
    /// among them count as overdue.
    pub(crate) fn beginning(recent: &[i64], now: Instant) -> Self {
        let mut gaps = BTreeMap::new();
        for pair in recent.windows(2) {
            if let &[before, after] = pair
                && after > before + 1
            {
                gaps.insert(
                    before + 1,
                    Gap {
                        last: after - 1,
                        since: now,
                        suspects: None,
                        overdue: true,
                    },
                );
            }
        }
        Self {
            position: recent.last().copied().unwrap_or(0),
            waiting: BTreeMap::new(),
            gaps,
        }
    }

    /// Every event up to this id was passed on, or will never be under that id.
    pub(crate) const fn position(&self) -> i64 {
        self.position
    }

    /// Returns whether ids are missing, so that the caller must query the writers.
    pub(crate) fn has_gaps(&self) -> bool {
        !self.gaps.is_empty()
    }

    /// Returns whether an event waits for one with a lower id.
    pub(crate) fn is_held_up(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn highest(&self) -> i64 {
        self.waiting
            .last_key_value()
            .map_or(self.position, |(id, _)| *id)
    }

    /// Returns the ranges of ids to read: the missing ids, and all newer ones.
    pub(crate) fn wanted(&self) -> Vec<(i64, i64)> {
        let missing = self.gaps.iter().map(|(first, gap)| (*first, gap.last));
        missing.chain([(self.highest() + 1, i64::MAX)]).collect()
    }

    /// Records the events that a query for [`Self::wanted`] found, in the order of their ids.
    ///
    /// `writers` must be queried *before* the events. If `complete` is false, the query covered
    /// only the ids up to the last one found.
    pub(crate) fn take(
        &mut self,
        writers: &BTreeSet<String>,
        found: Vec<(i64, E)>,
        complete: bool,
        now: Instant,
    ) -> ReadyEvents<E> {
        for gap in self.gaps.values_mut() {
            match &mut gap.suspects {
                None => gap.suspects = Some(writers.clone()),
                Some(suspects) => suspects.retain(|suspect| writers.contains(suspect)),
            }
        }
        let seen_through = if complete {
            i64::MAX
        } else {
            found.last().map_or(0, |(id, _)| *id)
        };
        let mut late = Vec::new();
        for (id, event) in found {
            let highest = self.highest();
            if id > highest {
                if id > highest + 1 {
                    let gap = Gap {
                        last: id - 1,
                        since: now,
                        suspects: None,
                        overdue: false,
                    };
                    self.gaps.insert(highest + 1, gap);
                }
                self.waiting.insert(id, event);
            } else if self.fill(id) {
                late.push(id);
            } else {
                self.waiting.insert(id, event);
            }
        }
        self.gaps.retain(|_, gap| {
            let is_void =
                gap.last <= seen_through && gap.suspects.as_ref().is_some_and(BTreeSet::is_empty);
            gap.overdue |= now.duration_since(gap.since) >= PATIENCE;
            !is_void
        });
        ReadyEvents {
            ready: self.release(),
            late,
        }
    }

    /// Removes an id from its gap. Returns whether the gap was overdue, so that the event is late.
    fn fill(&mut self, id: i64) -> bool {
        let Some((&first, _)) = self.gaps.range(..=id).next_back() else {
            return true;
        };
        let Some(gap) = self.gaps.remove(&first) else {
            return true;
        };
        let Gap {
            last,
            since,
            suspects,
            overdue,
        } = gap;
        if first < id {
            self.gaps.insert(
                first,
                Gap {
                    last: id - 1,
                    since,
                    suspects: suspects.clone(),
                    overdue,
                },
            );
        }
        if id < last {
            self.gaps.insert(
                id + 1,
                Gap {
                    last,
                    since,
                    suspects,
                    overdue,
                },
            );
        }
        overdue
    }

    /// Returns the events that no gap delays any more.
    fn release(&mut self) -> Vec<(i64, E)> {
        let held_up = self
            .gaps
            .iter()
            .find(|(_, gap)| !gap.overdue)
            .map_or(i64::MAX, |(first, _)| *first);
        let mut ready = Vec::new();
        while let Some(entry) = self.waiting.first_entry()
            && *entry.key() < held_up
        {
            self.position = *entry.key();
            ready.push(entry.remove_entry());
        }
        ready
    }
}

#[cfg(test)]
mod tests;
