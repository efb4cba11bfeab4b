//! Checks that a run proves something: each fault must hit, and the fence must refuse a write.

use std::collections::BTreeMap;

use clap::ValueEnum as _;

use crate::Arguments;
use crate::fault::Fault;
use crate::invariants::{Broken, broken_by};
use crate::nemesis::{Done, Undone};

/// Effects of a run's faults.
pub(crate) struct Faults<'a> {
    pub(crate) done: &'a Done,
    pub(crate) undone: &'a Undone,
    /// Writes refused because their job had been taken away.
    pub(crate) refused: usize,
    /// Jobs that a sweeper took from workers.
    pub(crate) recoveries: usize,
    /// Complete answers beyond the first one of a question.
    pub(crate) repeated_answers: usize,
    /// Tool calls for which it is unknown whether they took effect.
    pub(crate) unknown_outcomes: usize,
    /// Reason why a required fault is not possible on this machine.
    pub(crate) skipped: BTreeMap<Fault, &'static str>,
}

impl Faults<'_> {
    /// Returns an effect that a run with these options should have had but did not have.
    pub(crate) fn not_shown(&self, arguments: &Arguments) -> Option<Broken> {
        if arguments.without.is_some() {
            return None;
        }
        match &*arguments.only {
            [] => broken_by(
                "I4",
                "no stale write was refused, so nothing was shown",
                (self.refused == 0).then(String::new),
            ),
            only => broken_by(
                "I0",
                "a fault that this run is about was never done, so nothing was shown",
                only.iter().filter_map(|fault| self.never_hit(*fault)),
            ),
        }
    }

    /// Returns jobs that were taken from live workers, which must not happen if no fault of the run kills or freezes
    /// processes.
    pub(crate) fn wrongly_taken(&self, arguments: &Arguments) -> Option<Broken> {
        let only = &arguments.only;
        let spared = !only.is_empty() && only.iter().all(|fault| fault.spares_processes());
        let taken = spared && self.recoveries > 0;
        broken_by(
            "I9",
            "jobs were taken from workers that live",
            taken.then(|| format!("{} jobs", self.recoveries)),
        )
    }

    /// Returns an effect that a run must not have if all its faults are shorter than a lease.
    pub(crate) fn costs_of_outages(&self, arguments: &Arguments) -> Option<Broken> {
        let (repeated, unknown) = (self.repeated_answers, self.unknown_outcomes);
        let cost = arguments.outlasts_all() && repeated + unknown > 0;
        broken_by(
            "I6",
            "an outage that is shorter than a lease cost a question or an outcome",
            cost.then(|| format!("{repeated} questions asked again, {unknown} outcomes unknown")),
        )
    }

    /// Returns why a fault has hit nothing, if it has not.
    fn never_hit(&self, fault: Fault) -> Option<String> {
        let done = self.done.get(&fault).copied().unwrap_or(0);
        let (undone, why) = self.undone.get(&fault).cloned().unwrap_or_default();
        let why = match (self.skipped.get(&fault), done) {
            (Some(skipped), _) => (*skipped).to_owned(),
            (None, 0) => "its turn did not come".to_owned(),
            (None, _) => why,
        };
        (done <= undone).then(|| format!("{fault:?}: {why}"))
    }
}

/// Returns the faults that were possible but did not run.
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
            repeated_answers: 0,
            unknown_outcomes: 0,
            skipped: BTreeMap::new(),
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
            skipped: BTreeMap::from([(Fault::Firewall, "nft is not installed")]),
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
        assert!(broken("lease-cut,short-silence") && broken("backend-oom") && broken("failover"));
        assert!(broken("failover,reload,lease-cut"));
        assert!(!broken("kill") && !broken("failover,rolling-upgrade"));
    }

    #[test]
    fn an_outage_that_is_shorter_than_a_lease_costs_nothing() {
        let (done, undone) = (Done::new(), Undone::new());
        let broken = |only: &str, repeated, unknown| {
            let arguments = Arguments::parse_from(["torture", "--only", only]);
            let faults = Faults {
                repeated_answers: repeated,
                unknown_outcomes: unknown,
                ..faults(&done, &undone)
            };
            faults.costs_of_outages(&arguments).is_some()
        };
        let outages = "short-silence,lease-silence,jobs-lock,lease-cut";
        assert!(broken(outages, 1, 0) && broken(outages, 0, 1));
        assert!(!broken(outages, 0, 0) && !broken("short-silence,kill", 1, 1));
    }

    #[test]
    fn each_fault_of_a_mix_must_have_hit_something() {
        let (mut done, undone) = (Done::from([(Fault::Burst, 2)]), Undone::new());
        let mix = ["--only", "burst,reload"];
        assert_eq!(rule(&mix, &faults(&done, &undone)), Some("I0"));
        done.insert(Fault::Reload, 1);
        assert_eq!(rule(&mix, &faults(&done, &undone)), None);
    }

    #[test]
    fn what_was_neither_done_nor_skipped_was_not_reached() {
        let done = Done::from([(Fault::Kill, 1)]);
        let left = not_reached(&done, |fault| fault != Fault::Kill && fault != Fault::Reset);
        assert_eq!(left, [Fault::Reset]);
    }
}
