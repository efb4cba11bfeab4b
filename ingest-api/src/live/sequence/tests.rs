use proptest::prelude::*;

use crate::live::sequence::*;

fn writers(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn found(ids: &[i64]) -> Vec<(i64, ())> {
    ids.iter().map(|id| (*id, ())).collect()
}

fn ids(taken: &ReadyEvents<()>) -> Vec<i64> {
    taken.ready.iter().map(|(id, ())| *id).collect()
}

#[test]
fn an_event_waits_for_the_one_before_it() {
    let now = Instant::now();
    let mut sequence = Sequence::beginning(&[5], now);
    assert_eq!(
        ids(&sequence.take(&writers(&[]), found(&[7]), true, now)),
        [] as [i64; 0]
    );
    assert_eq!(sequence.wanted(), [(6, 6), (8, i64::MAX)]);
    assert_eq!(
        ids(&sequence.take(&writers(&["a"]), found(&[6, 8]), true, now)),
        [6, 7, 8]
    );
    assert_eq!((sequence.position(), sequence.has_gaps()), (8, false));
}

#[test]
fn an_id_is_void_when_every_transaction_that_could_write_it_has_ended() {
    let now = Instant::now();
    let mut sequence = Sequence::beginning(&[5], now);
    sequence.take(&writers(&[]), found(&[8]), true, now);
    assert_eq!(
        ids(&sequence.take(&writers(&["a", "b"]), found(&[]), true, now)),
        [] as [i64; 0]
    );
    // The writer `c`, which began later, can't write the missing ids.
    assert_eq!(
        ids(&sequence.take(&writers(&["b", "c"]), found(&[6]), true, now)),
        [6]
    );
    assert_eq!(
        ids(&sequence.take(&writers(&["c"]), found(&[]), true, now)),
        [8]
    );
}

#[test]
fn a_stuck_writer_is_passed_by_and_its_event_is_late() {
    let now = Instant::now();
    let mut sequence = Sequence::beginning(&[5], now);
    sequence.take(&writers(&["stuck"]), found(&[7]), true, now);
    let later = now + PATIENCE;
    assert_eq!(
        ids(&sequence.take(&writers(&["stuck"]), found(&[]), true, later)),
        [7]
    );
    assert_eq!(
        ids(&sequence.take(&writers(&["stuck"]), found(&[8]), true, later)),
        [8]
    );
    let taken = sequence.take(&writers(&[]), found(&[6]), true, later);
    assert_eq!((ids(&taken), taken.late), (vec![], vec![6]));
    assert!(!sequence.has_gaps());
}

#[test]
fn an_id_that_was_not_checked_is_not_void() {
    let now = Instant::now();
    let mut sequence = Sequence::beginning(&[0], now);
    sequence.take(&writers(&[]), found(&[3, 6]), true, now);
    assert_eq!(
        ids(&sequence.take(&writers(&[]), found(&[2]), false, now)),
        [2, 3]
    );
    assert_eq!(sequence.wanted(), [(4, 5), (7, i64::MAX)]);
}

#[test]
fn gaps_from_before_the_beginning_are_watched_but_delay_no_events() {
    let now = Instant::now();
    let mut sequence = Sequence::beginning(&[3, 5], now);
    assert_eq!(
        ids(&sequence.take(&writers(&["a"]), found(&[6]), true, now)),
        [6]
    );
    let taken = sequence.take(&writers(&[]), found(&[4]), true, now);
    assert_eq!((ids(&taken), taken.late), (vec![], vec![4]));
}

proptest! {
    /// In any order of commits, each event is passed on once and in order, and none is lost.
    #[test]
    fn every_commit_is_handed_on_once(
        fates in prop::collection::vec((0..40_u8, prop::bool::weighted(0.8)), 1..60),
        page in 1..8_usize,
    ) {
        let now = Instant::now();
        let mut sequence = Sequence::beginning(&[], now);
        let mut given = Vec::new();
        for turn in 0..200_u8 {
            // Every transaction that has not ended holds the lock. Some roll back.
            let open = fates.iter().enumerate().filter(|(_, (end, _))| *end > turn);
            let open: BTreeSet<String> = open.map(|(index, _)| index.to_string()).collect();
            let wanted = sequence.wanted();
            let mut visible: Vec<i64> = fates
                .iter()
                .zip(1_i64..)
                .filter(|((end, commits), id)| {
                    *commits && *end <= turn && wanted.iter().any(|(first, last)| (first..=last).contains(&id))
                })
                .map(|(_, id)| id)
                .collect();
            let complete = visible.len() <= page;
            visible.truncate(page);
            let taken = sequence.take(&open, found(&visible), complete, now);
            prop_assert!(taken.late.is_empty());
            given.extend(ids(&taken));
        }
        let committed: Vec<i64> =
            fates.iter().zip(1_i64..).filter(|((_, commits), _)| *commits).map(|(_, id)| id).collect();
        prop_assert_eq!(given, committed);
        prop_assert!(!sequence.has_gaps());
    }
}
