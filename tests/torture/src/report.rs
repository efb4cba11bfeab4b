//! The report of a run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::configuration::Rollout;
use crate::fault::Fault;
use crate::invariants::Broken;
use crate::nemesis::{Done, Undone};
use crate::partitioning::Partitioned;
use crate::resource_usage::Gauge;

/// The whole report; `--json` prints it as one object.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    /// Command that repeats the run.
    pub(crate) again: String,
    pub(crate) seconds: u64,
    /// Duration of the faults.
    pub(crate) rage_seconds: f64,
    pub(crate) without: Option<String>,
    pub(crate) alerts_sent: usize,
    pub(crate) alerts_accepted: usize,
    pub(crate) sessions: BTreeMap<String, i64>,
    /// Number of waits, by what they wait for and how they were decided.
    pub(crate) waits: BTreeMap<String, i64>,
    /// Number of sessions that waited until the faults were over.
    pub(crate) parked: u64,
    pub(crate) faults: Done,
    /// Faults that failed or hit nothing.
    pub(crate) undone: Undone,
    /// Possible faults that did not run.
    pub(crate) not_reached: Vec<Fault>,
    pub(crate) skipped: BTreeMap<String, &'static str>,
    /// The last migration at the start, and at the end.
    pub(crate) migrations: [i64; 2],
    /// Number of times that the process limit refused a new process to a worker and its tools.
    pub(crate) forks_refused: u64,
    /// Sockets that were opened and not read.
    pub(crate) slow_sockets: usize,
    /// Responses to operators, by status.
    pub(crate) operator_answers: BTreeMap<u16, usize>,
    pub(crate) process_starts: usize,
    pub(crate) recoveries: usize,
    /// Driver tasks that panicked on a torn stream.
    pub(crate) driver_panics: usize,
    pub(crate) stale_writes_refused: usize,
    /// Includes outcomes that are not stale, because cancels and deleted jobs drop outcomes too.
    pub(crate) outcomes_dropped: usize,
    pub(crate) repeated_answers: usize,
    pub(crate) most_workers_killed_by_one_poison: usize,
    pub(crate) drain_seconds: f64,
    pub(crate) rollout: Rollout,
    /// Result of the partitioning; `None`: the tables were not partitioned.
    pub(crate) partitioned: Option<Partitioned>,
    pub(crate) before: BTreeMap<String, Gauge>,
    pub(crate) after: BTreeMap<String, Gauge>,
    pub(crate) broken: Vec<Broken>,
}

impl Report {
    pub(crate) fn print(&self) {
        let sessions: Vec<String> = self
            .sessions
            .iter()
            .map(|(status, n)| format!("{n} {status}"))
            .collect();
        let faults: Vec<String> = self
            .faults
            .iter()
            .map(|(fault, n)| format!("{fault:?} {n}"))
            .collect();
        println!(
            "seed {}, {} s{}",
            self.seed,
            self.seconds,
            match &self.without {
                Some(protection) => format!(", WITHOUT {protection}"),
                None => String::new(),
            }
        );
        println!(
            "alerts       {} sent, {} accepted; sessions: {}",
            self.alerts_sent,
            self.alerts_accepted,
            sessions.join(", ")
        );
        let waits: Vec<String> = self
            .waits
            .iter()
            .map(|(how, n)| format!("{n} {how}"))
            .collect();
        println!(
            "waits        {}; {} waited for the whole run",
            waits.join(", "),
            self.parked
        );
        println!(
            "faults       {}: {}",
            self.faults.values().sum::<usize>(),
            faults.join(", ")
        );
        for (fault, (times, why)) in &self.undone {
            println!("not done     {fault:?} {times}, e.g. {why}");
        }
        if !self.not_reached.is_empty() {
            let kinds: Vec<String> = self.not_reached.iter().map(|f| format!("{f:?}")).collect();
            println!("not reached  {}", kinds.join(", "));
        }
        for (fault, reason) in &self.skipped {
            println!("skipped      {fault}: {reason}");
        }
        println!(
            "recoveries   {} jobs taken from dead or frozen workers, {} process starts",
            self.recoveries, self.process_starts
        );
        println!(
            "stale writes {} refused; {} outcomes dropped besides, some after cancels",
            self.stale_writes_refused, self.outcomes_dropped
        );
        println!(
            "model        {} answers bought again, unrecorded when their worker was lost",
            self.repeated_answers
        );
        if !self.operator_answers.is_empty() {
            println!("operators    were answered {:?}", self.operator_answers);
        }
        if self.driver_panics > 0 {
            println!(
                "driver       panicked {} times on rows that were cut and written on",
                self.driver_panics
            );
        }
        if self.slow_sockets > 0 {
            println!(
                "sockets      {} were opened and not read",
                self.slow_sockets
            );
        }
        println!(
            "poison       killed at most {} workers by one alert",
            self.most_workers_killed_by_one_poison
        );
        if self.migrations[0] != self.migrations[1] {
            let [from, to] = self.migrations;
            println!("upgraded     from migration {from} to {to}, under load");
        }
        if self.rollout.version > 0 {
            let Rollout {
                version,
                accepted,
                ahead,
                broken,
                refused,
            } = self.rollout;
            println!(
                "rollouts     {version}: {accepted} alerts of new chains accepted, {ahead} before all workers knew the agent; {refused} of {broken} processes refused a broken file"
            );
        }
        match &self.partitioned {
            None => println!("tables       plain"),
            Some(done) => println!(
                "tables       partitioned in {:.1} s by run {} of the command; the first was killed at \"{}\"; {} model calls, {} tool calls, {} events behind the first partition",
                done.seconds,
                done.runs,
                done.killed.as_deref().unwrap_or("no point"),
                done.rows_behind[0],
                done.rows_behind[1],
                done.rows_behind[2]
            ),
        }
        if self.forks_refused > 0 {
            println!("fork bombs   met their limit {} times", self.forks_refused);
        }
        println!("drain        {:.1} s", self.drain_seconds);
        for (name, after) in &self.after {
            let before = self.before.get(name).copied().unwrap_or(*after);
            println!(
                "{name:<16} RSS {} to {} MiB, of which its own {} to {}, files {} to {}",
                before.rss_kib / 1024,
                after.rss_kib / 1024,
                before.own_kib / 1024,
                after.own_kib / 1024,
                before.files,
                after.files
            );
        }
        for broken in &self.broken {
            println!(
                "BROKEN {}: {} ({})",
                broken.invariant, broken.rule, broken.count
            );
            for example in &broken.examples {
                println!("    {example}");
            }
        }
        if self.broken.is_empty() {
            println!("all invariants hold");
        } else {
            println!("again: {}", self.again);
        }
    }
}
