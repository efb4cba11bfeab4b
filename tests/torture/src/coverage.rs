//! Checks that a run proves something: each fault must hit, and the fence must refuse a write.

use clap::ValueEnum as _;

use crate::Arguments;
use crate::fault::Fault;
use crate::invariants::{Broken, of};
use crate::nemesis::{Done, Undone};

/// Effects of a run's faults.
pub(crate) struct Faults<'a> {
    pub(crate) done: &'a Done,
    pub(crate) undone: &'a Undone,
    /// Writes refused because their job had been taken away.
    pub(crate) refused: usize,
    /// Jobs that a sweeper took from workers.
    pub(crate) recoveries: usize,
    /// Why the only fault of the run is impossible here.
    pub(crate) skipped: Option<&'static str>,
}

impl Faults<'_> {
    /// Effects that a run with these options should have had and has not.
    pub(crate) fn not_shown(&self, arguments: &Arguments) -> Option<Broken> {
        match (arguments.without, arguments.only) {
            (Some(_), _) => None,
            (None, Some(only)) => self.never_hit(only),
            (None, None) => of(
                "I4",
                "no stale write was refused, so nothing was shown",
                (self.refused == 0).then(String::new),
            ),
        }
    }

    /// Effects that a run of this fault alone must not have: jobs taken from live workers.
    pub(crate) fn wrongly_taken(&self, arguments: &Arguments) -> Option<Broken> {
        let spared = arguments.only.is_some_and(Fault::spares_processes);
        let taken = spared && self.recoveries > 0;
        of(
            "I9",
            "jobs were taken from workers that live",
            taken.then(|| format!("{} jobs", self.recoveries)),
        )
    }

    fn never_hit(&self, only: Fault) -> Option<Broken> {
        let done = self.done.get(&only).copied().unwrap_or(0);
        let (undone, why) = self.undone.get(&only).cloned().unwrap_or_default();
        let why = self.skipped.map_or(why, str::to_owned);
        of(
            "I0",
            "the only fault of this run was never done, so nothing was shown",
            (done <= undone).then_some(why),
        )
    }
}

/// Faults that were possible and have not run.
pub(crate) fn not_reached(done: &Done, skipped: impl Fn(Fault) -> bool) -> Vec<Fault> {
    let all = Fault::value_variants().iter().copied();
    all.filter(|fault| !done.contains_key(fault) && !skipped(*fault))
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn rule(options: &[&str], faults: &Faults<'_>) -> Option<&'static str> {
        let arguments = Arguments::parse_from(["torture"].iter().chain(options));
        faults.not_shown(&arguments).map(|broken| broken.invariant)
    }

    const fn faults<'a>(done: &'a Done, undone: &'a Undone) -> Faults<'a> {
        Faults {
            done,
            undone,
            refused: 0,
            recoveries: 0,
            skipped: None,
        }
    }

    #[test]
    fn the_only_fault_must_have_hit_something() {
        let (done, mut undone) = (Done::from([(Fault::Burst, 2)]), Undone::new());
        let only = ["--only", "burst"];
        assert_eq!(rule(&only, &faults(&done, &undone)), None);
        undone.insert(Fault::Burst, (1, String::new()));
        assert_eq!(rule(&only, &faults(&done, &undone)), None);
        undone.insert(Fault::Burst, (2, String::new()));
        assert_eq!(rule(&only, &faults(&done, &undone)), Some("I0"));
    }

    #[test]
    fn a_skipped_only_fault_shows_nothing() {
        let (done, undone) = (Done::new(), Undone::new());
        let skipped = Faults {
            skipped: Some("nft is not installed"),
            ..faults(&done, &undone)
        };
        assert_eq!(rule(&["--only", "firewall"], &skipped), Some("I0"));
        assert_eq!(rule(&["--without", "fence"], &skipped), None);
    }

    #[test]
    fn a_run_of_all_faults_refuses_stale_writes() {
        let (done, undone) = (Done::new(), Undone::new());
        let mut faults = faults(&done, &undone);
        assert_eq!(rule(&[], &faults), Some("I4"));
        faults.refused = 1;
        assert_eq!(rule(&[], &faults), None);
    }

    #[test]
    fn a_fault_that_spares_processes_takes_no_job() {
        let (done, undone) = (Done::new(), Undone::new());
        let taken = Faults {
            recoveries: 3,
            ..faults(&done, &undone)
        };
        let broken = |only: &str| {
            let arguments = Arguments::parse_from(["torture", "--only", only]);
            taken.wrongly_taken(&arguments).is_some()
        };
        assert!(broken("lease-cut") && broken("backend-oom") && broken("failover"));
        assert!(!broken("kill"));
    }

    #[test]
    fn what_was_neither_done_nor_skipped_was_not_reached() {
        let done = Done::from([(Fault::Kill, 1)]);
        let left = not_reached(&done, |fault| fault != Fault::Kill && fault != Fault::Reset);
        assert_eq!(left, [Fault::Reset]);
    }
}
