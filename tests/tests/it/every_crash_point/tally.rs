//! Counts what a fleet has done outside its database.

use std::collections::BTreeMap;

use tarsy_tests::Fleet;

/// External effects so far.
pub(super) struct Tally {
    /// Model answers by conversation. Alerts differ, so chains share no conversation.
    pub(super) answers: BTreeMap<String, usize>,
    pub(super) reads: usize,
    pub(super) restarts: usize,
}

impl Tally {
    pub(super) fn of_fleet(fleet: &Fleet) -> Self {
        let mut answers = BTreeMap::new();
        let requests = fleet.llm.requests().into_iter();
        for request in requests.filter(|request| request.answered) {
            *answers.entry(request.fingerprint).or_insert(0) += 1;
        }
        let ledger = &fleet.ledger;
        Self {
            answers,
            reads: ledger.calls("read_status"),
            restarts: ledger.calls("restart_service"),
        }
    }

    pub(super) fn bought_again(&self) -> usize {
        self.answers.values().map(|times| times - 1).sum()
    }
}
