//! Injects one fault after another, by a seed.

mod crowd;
mod database;
mod freeze;
mod hostile;
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

use self::strike::Order;
use crate::Protection;
use crate::client::Client;
use crate::fault::Fault;
use crate::firewall;
use crate::fleet::Member;
use crate::invariants::{Broken, of};
use crate::model::{Mood, TheModel};
use crate::pgbouncer::Bouncer;
use crate::proxy::Link;
use crate::runbooks::{self, Library};
use crate::small_disk::SmallDisk;

/// How often it is tried at first to make a worker write too late.
const TRIES: usize = 3;

/// What faults are done to.
pub(crate) struct Nemesis {
    pub(crate) members: Arc<Vec<Member>>,
    pub(crate) cluster: Arc<Mutex<Cluster>>,
    /// Where Postgres keeps its data, when it can be filled.
    pub(crate) disk: Option<SmallDisk>,
    /// Between some members and Postgres.
    pub(crate) bouncers: Vec<Bouncer>,
    pub(crate) pool: PgPool,
    pub(crate) url: String,
    pub(crate) model: Arc<TheModel>,
    pub(crate) runbooks: Arc<Library>,
    pub(crate) client: Client,
    /// Where the MCP server looks for orders.
    pub(crate) folder: PathBuf,
    /// Alerts of a burst.
    pub(crate) burst: usize,
    /// Only this one, if any.
    pub(crate) only: Option<Fault>,
    /// Whether there is another build to upgrade from.
    pub(crate) upgrades: bool,
    /// Whether there is time for what takes long.
    pub(crate) is_long: bool,
    /// What the run is to show that it misses.
    pub(crate) without: Option<Protection>,
    pub(crate) power_losses: AtomicUsize,
    /// Sockets that were opened and not read.
    pub(crate) sockets: AtomicUsize,
    /// What was not done to its end, or hit nothing.
    pub(crate) undone: std::sync::Mutex<Undone>,
    /// Rules that broke while a fault was done.
    pub(crate) seen: std::sync::Mutex<BTreeMap<&'static str, Vec<String>>>,
}

/// What was not done to its end or hit nothing, by kind: how often, and why the last time.
pub(crate) type Undone = BTreeMap<Fault, (usize, String)>;

/// What was done, by kind.
pub(crate) type Done = BTreeMap<Fault, usize>;

impl Nemesis {
    /// A fault every 2 to 8 s until the time is up; then wait until the last has passed. All is
    /// left off as soon as there is `enough`.
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
                self.skipped(*fault).is_none() && self.only.is_none_or(|only| only == *fault)
            })
            .collect();
        let (mut done, mut running) = (Done::new(), JoinSet::new());
        // Each kind once, in a random order, before any comes again.
        let mut fresh = match self.without {
            Some(_) => Vec::new(),
            None => choices.clone(),
        };
        // What every run must show comes first, and alone: among other faults the frozen worker may be
        // killed before it has written anything.
        if self.without.is_none() && self.only.is_none() {
            fresh.retain(|fault| *fault != Fault::Freeze);
            for _ in 0..TRIES {
                *done.entry(Fault::Freeze).or_insert(0) += 1;
                self.struck(Fault::Freeze, random.random()).await;
                if self.is_refused().await {
                    break;
                }
            }
        }
        // Between two builds the first thing is to upgrade: the checks read our schema.
        let mut first = self.upgrades.then_some(Fault::RollingUpgrade);
        while tokio::time::Instant::now() < end {
            let usual = choices
                .choose_weighted(&mut random, |fault| match self.only {
                    Some(_) => 1,
                    None => fault.weight(self.without),
                })
                .copied();
            let chosen = match random.random_bool(0.5) && !fresh.is_empty() {
                true => Some(fresh.swap_remove(random.random_range(0..fresh.len()))),
                false => usual.ok(),
            };
            let Some(fault) = first.take().or(chosen) else {
                break;
            };
            *done.entry(fault).or_insert(0) += 1;
            let (nemesis, dice) = (Arc::clone(&self), random.random::<u64>());
            running.spawn(async move { nemesis.struck(fault, dice).await });
            // Without a protection the same few are done over and over: on a busy machine the fleet
            // must come to work again in between, or there is nothing to miss.
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

    /// Do it, and note if it came to nothing.
    async fn struck(&self, fault: Fault, dice: u64) {
        self.write_down(&format!("{fault:?}"));
        // A fault that can't be done while another goes on is no failure of the fleet.
        let why = match self.strike(fault, dice).await {
            Ok(hit) if hit > 0 => return,
            Ok(_) => fault.missed().to_owned(),
            Err(error) => format!("{error:#}"),
        };
        self.not_done(fault, &why);
    }

    /// Undo whatever may still be wrong.
    pub(crate) async fn heal(&self) -> Result<()> {
        self.model.set(Mood::Good);
        self.runbooks.set(runbooks::Mood::Good);
        if let Some(disk) = &self.disk {
            disk.free();
        }
        for order in Order::ALL {
            // It is there only if a strike was left off.
            let _ = std::fs::remove_file(self.folder.join(order.file()));
        }
        firewall::lift_all()?;
        for member in self.members.iter() {
            member.proxy.set(Link::Good);
            member.resume();
            member.clock.set(0)?;
        }
        self.bouncers.iter().try_for_each(Bouncer::again)?;
        self.cluster.lock().await.start_again()?;
        Ok(())
    }

    /// A rule that broke while a fault was done, and what shows it.
    fn saw(&self, rule: &'static str, what: String) {
        self.write_down(&format!("{rule}: {what}"));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.entry(rule).or_default().push(what);
    }

    /// What broke while faults were done.
    pub(crate) fn seen(&self) -> Vec<Broken> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.clone().into_iter();
        seen.filter_map(|(rule, rows)| of("I0", rule, rows))
            .collect()
    }

    fn not_done(&self, fault: Fault, why: &str) {
        self.write_down(&format!("{fault:?} was not done: {why}"));
        let mut undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, last) = undone.entry(fault).or_default();
        *times += 1;
        *last = why.lines().next().unwrap_or_default().to_owned();
    }

    /// All strikes of a kind came to nothing, as was seen in the end.
    pub(crate) fn was_in_vain(&self, fault: Fault, times: usize, why: &str) {
        let mut undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        undone.insert(fault, (times, why.to_owned()));
    }

    /// What was not done so far.
    pub(crate) fn undone(&self) -> Undone {
        let undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        undone.clone()
    }

    /// When which fault was done, as the processes' logs count the time.
    fn write_down(&self, what: &str) {
        let line = format!("{} {what}\n", Utc::now().format("%T%.3f"));
        let path = self.folder.join("faults");
        let file = OpenOptions::new().create(true).append(true).open(path);
        // It is for those who look why a run is red.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    /// Why a fault is not among those of this run.
    pub(crate) fn skipped(&self, fault: Fault) -> Option<&'static str> {
        match fault {
            Fault::DiskFull if self.disk.is_none() => Some(
                "only in runs of five minutes and more, as root: Postgres lies on a small tmpfs then",
            ),
            _ => fault.skipped(),
        }
    }

    fn member(&self, dice: u64) -> &Member {
        &self.members[usize::try_from(dice >> 8).unwrap_or(0) % self.members.len()]
    }
}
