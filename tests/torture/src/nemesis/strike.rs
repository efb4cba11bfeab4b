//! Injects one fault with random parameters. Each fault returns how much it hit.

use std::time::Duration;

use anyhow::Result;
use chrono::Utc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::client::Door;
use crate::fault::Fault;
use crate::firewall::{self, Block};
use crate::fleet::{LEASE, Member};
use crate::ledger::Ledger;
use crate::model::Mode;
use crate::proxy::{Link, Silence};
use crate::runbooks;

/// Timeout until a fork bomb reaches its limit.
const FORKING: Duration = Duration::from_secs(10);

/// Order to the MCP server, given by a file of this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Hang,
    Flood,
    Huge,
    Fork,
    Chatter,
    Blocks,
}

impl Order {
    pub(super) const ALL: [Self; 6] = [
        Self::Hang,
        Self::Flood,
        Self::Huge,
        Self::Fork,
        Self::Chatter,
        Self::Blocks,
    ];

    pub(super) const fn file(self) -> &'static str {
        match self {
            Self::Hang => "hang",
            Self::Flood => "flood",
            Self::Huge => "huge",
            Self::Fork => "fork",
            Self::Chatter => "chatter",
            Self::Blocks => "blocks",
        }
    }

    /// Whether one call consumes the order, instead of all calls while the file exists.
    const fn is_for_one(self) -> bool {
        !matches!(self, Self::Hang | Self::Flood)
    }
}

impl Nemesis {
    /// Injects a fault; returns how many processes, connections, calls, alerts or rows it hit.
    pub(super) async fn strike(&self, fault: Fault, dice: u64) -> Result<usize> {
        let any = self.member(dice);
        let tenths = |from: u64, to: u64| Duration::from_millis(100 * (from + dice % (to - from)));
        Ok(match fault {
            Fault::Kill => any.kill(),
            Fault::KillAll => self.members.iter().map(Member::kill).sum(),
            Fault::Freeze => self.freeze_one(dice, LEASE * 2 + tenths(0, 20)).await?,
            Fault::FreezeMost => self.freeze_most(LEASE + tenths(2, 30)).await,
            Fault::SameName => any.replace(),
            Fault::Drain => any.terminate(),
            Fault::CutReply => {
                let proxy = any.proxy();
                let before = proxy.cuts();
                for cut in 0..5 {
                    proxy.cut_after(usize::try_from((dice >> cut) % 3_000).unwrap_or(0));
                    sleep(Duration::from_millis(400)).await;
                }
                proxy.cuts() - before
            }
            Fault::PostgresRestart => self.lose_power(Duration::ZERO).await?,
            Fault::PostgresOutage => {
                let longest = if self.is_long { 400 } else { 200 };
                self.lose_power(tenths(10, longest)).await?
            }
            Fault::TerminateStorm => self.terminate_storm().await,
            Fault::Exhaustion => self.exhaust().await,
            Fault::Pool => self.use_up_pool(dice).await?,
            Fault::TableLock => self.lock_table(dice).await?,
            Fault::Listener => self.end_listeners().await?,
            Fault::Partition => {
                let how = [Link::Mute, Link::Deaf, Link::Cut];
                let how = how[usize::try_from(dice % 3).unwrap_or(0)];
                linked(any, how, LEASE.mul_f64(1.5)).await
            }
            Fault::Firewall => self.block(any, dice).await?,
            Fault::Reset => any.proxy().reset(),
            Fault::SlowLink => linked(any, Link::Slow, tenths(30, 60)).await,
            Fault::Model => {
                let mode = Mode::BAD[usize::try_from(dice % 4).unwrap_or(0)];
                let before = self.model.seen(|seen| seen.requests);
                self.model.set(mode);
                sleep(tenths(20, 60)).await;
                self.model.set(Mode::Good);
                self.model.seen(|seen| seen.requests) - before
            }
            Fault::Runbooks => {
                let before = self.runbooks.requests();
                let mode = runbooks::Mode::BAD[usize::try_from(dice % 4).unwrap_or(0)];
                self.runbooks.set(mode);
                sleep(tenths(20, 60)).await;
                self.runbooks.set(runbooks::Mode::Good);
                self.runbooks.requests() - before
            }
            Fault::HangingTool => self.order(Order::Hang, tenths(20, 80)).await?,
            Fault::FloodingTool => self.order(Order::Flood, tenths(10, 20)).await?,
            Fault::Poison => self.client.send("Poison", 1).await.accepted.len(),
            Fault::Duplicates => {
                let by = [Door::Alerts, Door::Webhook][usize::try_from(dice % 2).unwrap_or(0)];
                self.client.send_by(by, "Brief", 100).await.accepted.len()
            }
            Fault::Burst => self.flood().await,
            Fault::LostJob => self.lose_job(dice).await?,
            Fault::HugeOutput => self.order(Order::Huge, tenths(10, 40)).await?,
            Fault::ForkBomb => self.fork(tenths(5, 15)).await?,
            Fault::ClockSkew => {
                let hour = 3_600;
                any.clock
                    .set([60, -60, hour, -hour][usize::try_from(dice % 4).unwrap_or(0)])?;
                sleep(tenths(30, 90)).await;
                let follows = any.follows_its_clock();
                any.clock.set(0)?;
                usize::from(follows)
            }
            Fault::PgBouncer => self.end_bouncers(tenths(5, 30)).await?,
            Fault::DiskFull => self.fill_disk(tenths(20, 80)).await?,
            Fault::RollingUpgrade => self.upgrade(dice).await?,
            Fault::Retention => self.grow_old(dice).await?,
            Fault::Waits => self.decide_together(dice).await?,
            Fault::Replays => self.replay_and_cancel(dice).await?,
            Fault::SlowSockets => self.listen_slowly(tenths(30, 80)).await?,
            Fault::SilentPeer => {
                let how = [Silence::ServerEnds, Silence::ServerHangs];
                any.proxy()
                    .silence(how[usize::try_from(dice % 2).unwrap_or(0)])
            }
            Fault::LeaseCut => {
                let _alone = self.outage.lock().await;
                self.cut_lease(dice).await?
            }
            Fault::ShortSilence => self.fall_silent(dice).await?,
            Fault::LeaseSilence => self.silence_lease(dice).await?,
            Fault::JobsLock => self.lock_jobs(dice).await?,
            Fault::BackendOom => self.kill_backend(dice).await?,
            Fault::KillTogether => self.kill_together(dice),
            Fault::PoisonDocuments => self.post_poison(dice).await?,
            Fault::Slowloris => self.hold_requests_open(tenths(30, 80)).await?,
            Fault::HangUp => self.hang_up(dice).await?,
            Fault::Failover => self.fail_over(dice).await?,
            Fault::HostileServer => self.talk_without_end(dice).await?,
            Fault::Reload => self.roll_out(dice).await?,
        })
    }

    /// Drops packets between a process and Postgres, or between all processes and the model.
    async fn block(&self, member: &Member, dice: u64) -> Result<usize> {
        let how = Block::ALL[usize::try_from(dice % 4).unwrap_or(0)];
        let of_model = (dice >> 2).is_multiple_of(5);
        let (port, hit) = match of_model {
            true => (self.model.port()?, 1),
            false => (member.proxy().port(), member.proxy().open()),
        };
        let from = Utc::now();
        firewall::block(port, how)?;
        sleep(LEASE.mul_f64(1.5)).await;
        let lifted = firewall::lift(port);
        if of_model {
            self.model.was_out_of_reach(from);
        }
        lifted.map(|()| hit)
    }

    /// Gives an order to the MCP server; returns the number of calls it affected.
    pub(super) async fn order(&self, order: Order, time: Duration) -> Result<usize> {
        let file = self.folder.join(order.file());
        let before = Ledger::read(&self.folder)?.calls();
        std::fs::write(&file, "")?;
        sleep(time).await;
        let taken = match std::fs::remove_file(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            done => done.map(|()| false)?,
        };
        Ok(match order.is_for_one() {
            true => usize::from(taken),
            false => Ledger::read(&self.folder)?.calls() - before,
        })
    }

    /// Makes a tool fork; returns how often it reached its limit.
    async fn fork(&self, time: Duration) -> Result<usize> {
        let refused = || self.members.iter().map(Member::forks_refused).sum::<u64>();
        let before = refused();
        if self.order(Order::Fork, time).await? == 0 {
            return Ok(0);
        }
        let longest = Instant::now() + FORKING;
        while refused() == before && Instant::now() < longest {
            sleep(Duration::from_millis(100)).await;
        }
        Ok(usize::try_from(refused() - before)?)
    }

    async fn flood(&self) -> usize {
        let mut waves = JoinSet::new();
        for _ in 0..32 {
            let (client, each) = (self.client.clone(), self.burst / 32);
            waves.spawn(async move {
                let mut accepted = 0;
                for _ in 0..each {
                    let sent = client.send("Brief", 1).await;
                    accepted += usize::from(!sent.accepted.is_empty());
                }
                accepted
            });
        }
        waves.join_all().await.into_iter().sum()
    }
}

/// Degrades a process's link for a while; returns the number of its connections.
async fn linked(member: &Member, how: Link, time: Duration) -> usize {
    let proxy = member.proxy();
    let hit = proxy.open();
    proxy.set(how);
    sleep(time).await;
    proxy.set(Link::Good);
    hit
}
