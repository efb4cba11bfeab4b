//! The order of events whose ids become visible out of order.
//!
//! An id is given out before its transaction commits, so 7 may be seen while 6 is not there
//! yet. 7 then waits, so that a client who names the last id it has seen has missed nothing
//! before it. 6 is known to be void when every transaction that could still bring it has
//! ended (see [`tarsy_store::event_log::event_writers`]). A transaction that is stuck does not hold up
//! the others for longer than [`PATIENCE`]: they pass it by, and if its event appears after
//! all it is late, and gets a new id.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How long an event waits for one with a lower id.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ids that are missing between others, all of them up to `last`.
#[derive(Debug)]
struct Gap {
    last: i64,
    since: Instant,
    /// Transactions that may still bring them; `None` before anybody has looked.
    suspects: Option<BTreeSet<String>>,
    overdue: bool,
}

/// Events on their way into order.
#[derive(Debug)]
pub(crate) struct Sequence<E> {
    /// Every id up to here was handed on, is void or overdue.
    position: i64,
    /// Seen, but behind a gap.
    waiting: BTreeMap<i64, E>,
    /// By their first id.
    gaps: BTreeMap<i64, Gap>,
}

/// What a look brought.
#[derive(Debug)]
pub(crate) struct ReadyEvents<E> {
    /// To be handed on, in this order.
    pub(crate) ready: Vec<(i64, E)>,
    /// Events that came too late for their place.
    pub(crate) late: Vec<i64>,
}

impl<E> Sequence<E> {
    /// Begin after the newest id; `recent` are the ids just before it that are there. Those
    /// that are not there count as passed by.
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

    /// Every id up to here has been handed on, or never will be under this id.
    pub(crate) const fn position(&self) -> i64 {
        self.position
    }

    /// Whether somebody has to find out who may still bring missing events.
    pub(crate) fn has_gaps(&self) -> bool {
        !self.gaps.is_empty()
    }

    /// Whether an event waits for another.
    pub(crate) fn is_held_up(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn highest(&self) -> i64 {
        self.waiting
            .last_key_value()
            .map_or(self.position, |(id, _)| *id)
    }

    /// The ids to look for: those missing, and whatever is newer.
    pub(crate) fn wanted(&self) -> Vec<(i64, i64)> {
        let missing = self.gaps.iter().map(|(first, gap)| (*first, gap.last));
        missing.chain([(self.highest() + 1, i64::MAX)]).collect()
    }

    /// Note what a look for [`Self::wanted`] found, in the order of ids.
    ///
    /// `writers` were asked for *before* looking. Unless `complete`, only ids up to the last
    /// one found were looked at.
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

    /// Take an id out of its gap; whether that was passed by already.
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

    /// Whatever no gap holds up any more.
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
