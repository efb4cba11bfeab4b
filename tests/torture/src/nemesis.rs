//! Doing one fault after another, from a seed.

mod crowd;
mod database;
mod upgrade;

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

use crate::Protection;
use crate::bouncer::Bouncer;
use crate::client::Client;
use crate::fault::Fault;
use crate::firewall::{self, Block};
use crate::fleet::{LEASE, Member};
use crate::model::{Mood, TheModel};
use crate::proxy::Link;
use crate::small_disk::SmallDisk;

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
    pub(crate) client: Client,
    /// Where the MCP server looks for orders.
    pub(crate) folder: PathBuf,
    /// Alerts of a burst.
    pub(crate) burst: usize,
    /// Only this one, if any.
    pub(crate) only: Option<Fault>,
    /// Whether there is another build to upgrade from.
    pub(crate) upgrades: bool,
    /// What the run is to show that it misses.
    pub(crate) without: Option<Protection>,
    pub(crate) power_losses: AtomicUsize,
    /// Sockets that were opened and not read.
    pub(crate) sockets: AtomicUsize,
    /// What was not done to its end: how often, and why the last time.
    pub(crate) undone: std::sync::Mutex<Undone>,
}

/// What was not done to its end, by kind: how often, and why the last time.
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
        // Between two builds the first thing is to upgrade: the checks read our schema.
        let mut first = self.upgrades.then_some(Fault::RollingUpgrade);
        while tokio::time::Instant::now() < end {
            let usual = choices
                .choose_weighted(&mut random, |fault| fault.weight(self.without))
                .copied();
            let chosen = match random.random_bool(0.5) && !fresh.is_empty() {
                true => Some(fresh.swap_remove(random.random_range(0..fresh.len()))),
                false => usual.ok(),
            };
            let Some(fault) = first.take().or(chosen) else {
                break;
            };
            *done.entry(fault).or_insert(0) += 1;
            self.write_down(&format!("{fault:?}"));
            let (nemesis, dice) = (Arc::clone(&self), random.random::<u64>());
            running.spawn(async move {
                // A fault that can't be done while another goes on is no failure of the fleet.
                if let Err(error) = nemesis.strike(fault, dice).await {
                    nemesis.write_down(&format!("{fault:?} was not done: {error:#}"));
                    nemesis.not_done(fault, &error);
                }
            });
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

    /// Undo whatever may still be wrong.
    pub(crate) async fn heal(&self) -> Result<()> {
        self.model.set(Mood::Good);
        if let Some(disk) = &self.disk {
            disk.free();
        }
        for order in ["hang", "flood", "huge", "fork"] {
            let _ = std::fs::remove_file(self.folder.join(order));
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

    async fn strike(&self, fault: Fault, dice: u64) -> Result<()> {
        let any = self.member(dice, "");
        let worker = self.member(dice, "stage-worker");
        let tenths = |from: u64, to: u64| Duration::from_millis(100 * (from + dice % (to - from)));
        match fault {
            Fault::Kill => any.kill(),
            Fault::KillAll => self.members.iter().for_each(Member::kill),
            Fault::Freeze => self.freeze(&[worker], LEASE * 2 + tenths(0, 20)).await,
            Fault::FreezeMost => {
                let all = self
                    .members
                    .iter()
                    .filter(|m| m.name.starts_with("stage-worker"))
                    .collect::<Vec<_>>();
                self.freeze(&all[1..], LEASE + tenths(2, 30)).await;
            }
            Fault::SameName => any.replace(),
            Fault::Drain => any.terminate(),
            Fault::CutReply => {
                for cut in 0..5 {
                    any.proxy
                        .cut_after(usize::try_from((dice >> cut) % 3_000).unwrap_or(0));
                    sleep(Duration::from_millis(400)).await;
                }
            }
            Fault::PostgresRestart => self.lose_power(Duration::ZERO).await?,
            Fault::PostgresOutage => self.lose_power(tenths(10, 200)).await?,
            Fault::TerminateStorm => self.terminate_storm().await,
            Fault::Exhaustion => self.exhaust().await,
            Fault::TableLock => self.lock_table(dice).await?,
            Fault::Listener => self.end_listeners().await?,
            Fault::Partition => {
                let how = [Link::Mute, Link::Deaf, Link::Cut];
                any.proxy.set(how[usize::try_from(dice % 3).unwrap_or(0)]);
                sleep(LEASE.mul_f64(1.5)).await;
                any.proxy.set(Link::Good);
            }
            Fault::Firewall => self.block(any, dice).await?,
            Fault::Reset => any.proxy.reset(),
            Fault::SlowLink => {
                any.proxy.set(Link::Slow);
                sleep(tenths(30, 60)).await;
                any.proxy.set(Link::Good);
            }
            Fault::Model => {
                self.model
                    .set(Mood::BAD[usize::try_from(dice % 4).unwrap_or(0)]);
                sleep(tenths(20, 60)).await;
                self.model.set(Mood::Good);
            }
            Fault::HangingTool => self.order("hang", tenths(20, 80)).await?,
            Fault::FloodingTool => self.order("flood", tenths(10, 20)).await?,
            Fault::Poison => self.client.send("Poison", 1).await,
            Fault::Duplicates => self.client.send("Brief", 100).await,
            Fault::Burst => self.flood().await,
            Fault::LostJob => self.lose_job().await?,
            Fault::HugeOutput => self.order("huge", tenths(10, 40)).await?,
            Fault::ForkBomb => self.order("fork", tenths(5, 15)).await?,
            Fault::ClockSkew => {
                let hour = 3_600;
                any.clock
                    .set([60, -60, hour, -hour][usize::try_from(dice % 4).unwrap_or(0)])?;
                sleep(tenths(30, 90)).await;
                any.clock.set(0)?;
            }
            Fault::PgBouncer => self.end_bouncers(tenths(5, 30)).await?,
            Fault::DiskFull => self.fill_disk(tenths(20, 80)).await?,
            Fault::RollingUpgrade => self.upgrade(dice).await?,
            Fault::Retention => self.grow_old().await?,
            Fault::Replays => self.replay_and_cancel(dice).await?,
            Fault::SlowSockets => self.listen_slowly(tenths(30, 80)).await?,
        }
        Ok(())
    }

    fn not_done(&self, fault: Fault, why: &anyhow::Error) {
        let mut undone = self.undone.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, last) = undone.entry(fault).or_default();
        *times += 1;
        *last = format!("{why:#}")
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
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

    fn member(&self, dice: u64, role: &str) -> &Member {
        let fitting: Vec<&Member> = self
            .members
            .iter()
            .filter(|m| m.name.starts_with(role))
            .collect();
        fitting[usize::try_from(dice >> 8).unwrap_or(0) % fitting.len()]
    }

    /// Packets between a process and Postgres, or between all and the model, get lost.
    async fn block(&self, member: &Member, dice: u64) -> Result<()> {
        let how = Block::ALL[usize::try_from(dice % 4).unwrap_or(0)];
        let of_model = (dice >> 2).is_multiple_of(5);
        let port = match of_model {
            true => self.model.port()?,
            false => member.proxy.port(),
        };
        let from = Utc::now();
        firewall::block(port, how)?;
        sleep(LEASE.mul_f64(1.5)).await;
        let lifted = firewall::lift(port);
        if of_model {
            self.model.was_out_of_reach(from);
        }
        lifted
    }

    async fn freeze(&self, members: &[&Member], time: Duration) {
        members.iter().for_each(|member| member.freeze());
        sleep(time).await;
        members.iter().for_each(|member| member.resume());
    }

    async fn order(&self, order: &str, time: Duration) -> Result<()> {
        let file = self.folder.join(order);
        std::fs::write(&file, "")?;
        sleep(time).await;
        match std::fs::remove_file(file) {
            // A server took it: some orders are for one alone.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            done => Ok(done?),
        }
    }

    async fn flood(&self) {
        let mut waves = JoinSet::new();
        for _ in 0..32 {
            let (client, each) = (self.client.clone(), self.burst / 32);
            waves.spawn(async move {
                for _ in 0..each {
                    client.send("Brief", 1).await;
                }
            });
        }
        waves.join_all().await;
    }
}
