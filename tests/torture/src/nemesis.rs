//! Injects one fault after another, in an order given by the seed.

mod crowd;
mod database;
mod failover;
mod freeze;
mod hang_up;
mod hostile;
mod outages;
mod rollout;
mod severed;
mod strike;
mod upgrade;
mod waits;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use anyhow::Result;
use chrono::Utc;
use clap::ValueEnum as _;
use rand::Rng as _;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use sqlx::PgPool;
use tarsy_testing::postgres::Cluster;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::sleep;

pub(crate) use self::failover::Standby;
use self::strike::Order;
use crate::Protection;
use crate::client::Client;
use crate::configuration::Rollout;
use crate::fault::Fault;
use crate::firewall;
use crate::fleet::Member;
use crate::invariants::{Broken, broken_by};
use crate::model::{Mode, TheModel};
use crate::pgbouncer::Bouncer;
use crate::runbooks::{self, Library};
use crate::small_disk::SmallDisk;

/// Maximum number of attempts to make a worker write too late, before other faults. On an overloaded machine one in
/// three succeeds.
const TRIES: usize = 8;
/// Probability that the next fault is of a kind that has not occurred yet. In a long run almost every kind occurs. A
/// short run prefers the kinds that find the most.
const FRESH_IN_LONG_RUNS: f64 = 0.85;
const FRESH: f64 = 0.5;

/// Targets and state of the fault injection.
pub(crate) struct Nemesis {
    pub(crate) members: Arc<Vec<Member>>,
    pub(crate) cluster: Arc<Mutex<Cluster>>,
    /// Server that replaces the first one in a run with failovers.
    pub(crate) standby: Option<Standby>,
    /// Disk of Postgres, if it can be filled.
    pub(crate) disk: Option<SmallDisk>,
    /// PgBouncer instances between some members and Postgres.
    pub(crate) bouncers: Vec<Bouncer>,
    pub(crate) pool: PgPool,
    pub(crate) url: String,
    /// Which of two servers is the primary.
    pub(crate) primary: Arc<AtomicUsize>,
    pub(crate) model: Arc<TheModel>,
    pub(crate) runbooks: Arc<Library>,
    pub(crate) client: Client,
    /// Folder with the orders to the MCP server.
    pub(crate) folder: PathBuf,
    /// Alerts per burst.
    pub(crate) burst: usize,
    /// The only faults to inject; none: all.
    pub(crate) only: Vec<Fault>,
    /// Versions of the configuration that were rolled out.
    pub(crate) rollout: Mutex<Rollout>,
    /// Whether there is another build to upgrade from.
    pub(crate) upgrades: bool,
    /// Lease of the fleet.
    pub(crate) lease: Duration,
    /// Held during an outage that is shorter than a lease, because two in a row would be longer.
    pub(crate) outage: Mutex<()>,
    /// Whether there is time for long faults.
    pub(crate) is_long: bool,
    /// Disabled protection.
    pub(crate) without: Option<Protection>,
    pub(crate) power_losses: AtomicUsize,
    /// Sockets that were opened and not read.
    pub(crate) sockets: AtomicUsize,
    /// Faults that failed or hit nothing.
    pub(crate) undone: std::sync::Mutex<Undone>,
    /// Rules violated during a fault.
    pub(crate) seen: std::sync::Mutex<BTreeMap<Rule, Vec<String>>>,
}

/// Faults that failed or hit nothing, by kind: count and last reason.
pub(crate) type Undone = BTreeMap<Fault, (usize, String)>;

/// Invariant and rule.
type Rule = (&'static str, &'static str);

/// Injected faults, by kind.
pub(crate) type Done = BTreeMap<Fault, usize>;

impl Nemesis {
    /// Injects a fault every 2 to 8 s until the time is up, then waits until the last one is over. Stops as soon as
    /// `enough` has been observed.
    pub(crate) async fn rage(
        self: Arc<Self>,
        mut random: SmallRng,
        time: Duration,
        enough: impl Future<Output = ()>,
    ) -> Done {
        let mut enough = std::pin::pin!(enough);
        let end = tokio::time::Instant::now() + time;
        let choices: Vec<Fault> = Fault::value_variants()
            .iter()
            .copied()
            .filter(|fault| {
                let chosen = self.only.is_empty() || self.only.contains(fault);
                chosen && self.skipped(*fault).is_none()
            })
            .collect();
        let (mut done, mut running) = (Done::new(), JoinSet::new());
        // Faults that have not occurred yet, in random order.
        let mut fresh = match self.without {
            Some(_) => Vec::new(),
            None => choices.clone(),
        };
        // A required fault runs first, and alone. During other faults, the frozen worker may be killed before it
        // writes.
        if self.without.is_none() && self.only.is_empty() {
            fresh.retain(|fault| *fault != Fault::Freeze);
            for _ in 0..TRIES {
                *done.entry(Fault::Freeze).or_insert(0) += 1;
                self.struck(Fault::Freeze, random.random()).await;
                if self.is_refused().await {
                    break;
                }
            }
        }
        let freshness = if self.is_long {
            FRESH_IN_LONG_RUNS
        } else {
            FRESH
        };
        // With two builds the upgrade runs first, because the checks need the schema of this build.
        let mut first = self.upgrades.then_some(Fault::RollingUpgrade);
        while tokio::time::Instant::now() < end {
            let usual = choices
                .choose_weighted(&mut random, |fault| match *self.only {
                    [] => fault.weight(self.without),
                    [..] => 1,
                })
                .copied();
            let chosen = match random.random_bool(freshness) && !fresh.is_empty() {
                true => Some(fresh.swap_remove(random.random_range(0..fresh.len()))),
                false => usual.ok(),
            };
            let Some(fault) = first.take().or(chosen) else {
                break;
            };
            *done.entry(fault).or_insert(0) += 1;
            let (nemesis, dice) = (Arc::clone(&self), random.random::<u64>());
            running.spawn(async move { nemesis.struck(fault, dice).await });
            // Without a protection the same few faults repeat. On a busy machine the fleet must recover in between, or
            // there is nothing to observe.
            let shortest = match self.without {
                Some(Protection::Fence | Protection::Intent) => 4_000,
                Some(Protection::CrashCap) | None => 2_000,
            };
            let pause = sleep(Duration::from_millis(random.random_range(shortest..8_000)));
            tokio::select! {
                () = pause => {}
                () = &mut enough => {
                    running.abort_all();
                    break;
                }
            }
        }
        while running.join_next().await.is_some() {}
        done
    }

    /// Injects a fault, and records whether it failed or hit nothing.
    async fn struck(&self, fault: Fault, dice: u64) {
        self.write_down(&format!("{fault:?}"));
        // A fault that conflicts with another one is not a failure of the fleet.
        let why = match self.strike(fault, dice).await {
            Ok(hit) if hit > 0 => return,
            Ok(_) => fault.missed().to_owned(),
            Err(error) => format!("{error:#}"),
        };
        self.not_done(fault, &why);
    }

    /// Undoes all faults.
    pub(crate) async fn heal(&self) -> Result<()> {
        self.model.set(Mode::Good);
        self.runbooks.set(runbooks::Mode::Good);
        if let Some(disk) = &self.disk {
            disk.free();
        }
        for order in Order::ALL {
            // The file exists only if a fault was interrupted.
            let _ = std::fs::remove_file(self.folder.join(order.file()));
        }
        firewall::lift_all()?;
        for member in self.members.iter() {
            member.heal_links();
            member.resume();
            member.clock.set(0)?;
        }
        self.bouncers.iter().try_for_each(Bouncer::again)?;
        self.cluster.lock().await.start_again()?;
        self.roll_out_last().await
    }

    /// Records a rule violated during a fault, with an example.
    fn saw(&self, rule: Rule, what: String) {
        self.write_down(&format!("{}: {what}", rule.1));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.entry(rule).or_default().push(what);
    }

    /// Rules violated during faults.
    pub(crate) fn seen(&self) -> Vec<Broken> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.clone().into_iter();
        seen.filter_map(|((invariant, rule), rows)| broken_by(invariant, rule, rows))
            .collect()
    }

    fn not_done(&self, fault: Fault, why: &str) {
        self.write_down(&format!("{fault:?} was not done: {why}"));
        let mut undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, last) = undone.entry(fault).or_default();
        *times += 1;
        *last = why.lines().next().unwrap_or_default().to_owned();
    }

    /// Records that no fault of a kind hit anything, which is known only at the end.
    pub(crate) fn was_in_vain(&self, fault: Fault, times: usize, why: &str) {
        let mut undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        undone.insert(fault, (times, why.to_owned()));
    }

    /// Faults that failed or hit nothing so far.
    pub(crate) fn undone(&self) -> Undone {
        let undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        undone.clone()
    }

    /// Records the time of a fault, by the clock of the logs.
    fn write_down(&self, what: &str) {
        let line = format!("{} {what}\n", Utc::now().format("%T%.3f"));
        let path = self.folder.join("faults");
        let file = OpenOptions::new().create(true).append(true).open(path);
        // For debugging a failed run.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    /// Why a fault is excluded from this run.
    pub(crate) fn skipped(&self, fault: Fault) -> Option<&'static str> {
        match fault {
            Fault::DiskFull if self.disk.is_none() => Some(
                "only in runs of five minutes and more, as root: Postgres lies on a small tmpfs then",
            ),
            Fault::Failover if self.standby.is_none() => {
                Some("only if `--only` names it: without it there is one server")
            }
            _ => fault.skipped(),
        }
    }

    fn member(&self, dice: u64) -> &Member {
        &self.members[usize::try_from(dice >> 8).unwrap_or(0) % self.members.len()]
    }
}
